import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist
from sklearn.linear_model import LinearRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.mvu.disjoint import DisjointMVU, far_apart, separation, spread
from nldr.methods.mvu.mvu import MVU
from nldr.neighborhoods.graphs import closest_pairs

RNG = np.random.default_rng(0)
CLOUD = RNG.standard_normal((30, 3))
SHEET = RNG.uniform(0, 1, (60, 2)) * [3, 1]


def sheets(*offsets):
    """Copies of one sheet, flat and parallel to each other."""
    flat = np.column_stack([SHEET, np.zeros(len(SHEET))])
    return np.concatenate([flat + offset for offset in offsets])


def broken_roll(n_samples):
    rng = np.random.default_rng(0)
    p, q = 0.6 * rng.random(n_samples), 15 * rng.random(n_samples)
    outer = p > 0.4
    t = 1.5 * np.pi * (1 + 2 * (p + 0.4 * outer))
    arc = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    return np.column_stack([t * np.cos(t), q, t * np.sin(t)]), np.column_stack([arc, q]), outer


def test_one_component_is_plain_unfolding():
    disjoint = DisjointMVU(n_neighbors=6).fit(CLOUD)
    expected = MVU(n_neighbors=6).fit(CLOUD).embedding_
    assert disjoint.n_connected_components_ == disjoint.separation_ == 1
    assert len(disjoint.references_) == len(disjoint.added_edges_) == 0
    assert_allclose(pdist(disjoint.embedding_), pdist(expected))


@pytest.mark.parametrize("separate", [False, True])
def test_components_are_unfolded_rigidly(separate):
    X = np.concatenate([CLOUD, CLOUD[:20] + 100, CLOUD[:12] - [90, 0, 0]])
    disjoint = DisjointMVU(n_neighbors=6, separate=separate).fit(X)
    assert disjoint.n_connected_components_ == 3
    for label, part in enumerate(disjoint.parts_):
        rows = disjoint.labels_ == label
        alone = MVU(n_neighbors=6).fit(X[rows])
        assert_allclose(pdist(disjoint.embedding_[rows]), pdist(alone.embedding_), atol=1e-6)
        assert_allclose(part.embedding_, alone.embedding_, atol=1e-6)


def test_pieces_of_a_roll_are_unrolled_and_lie_apart():
    X, Z, outer = broken_roll(400)
    disjoint = DisjointMVU(n_neighbors=6, tol=1e-3).fit(X)
    assert disjoint.n_connected_components_ == 2
    assert_array_equal(disjoint.dimensions_, [2, 2])
    for piece in (outer, ~outer):
        Y = disjoint.embedding_[piece]
        assert LinearRegression().fit(Y, Z[piece]).score(Y, Z[piece]) > 0.98
    between = [cdist(points[outer], points[~outer]).min() for points in (X, disjoint.embedding_)]
    assert between[1] > 0.97 * between[0]


def test_references_are_those_of_the_text():
    X = sheets([0, 0, 0], [10, 0, 0], [20, 0, 0])
    disjoint = DisjointMVU(n_neighbors=8, separate=False).fit(X)
    pairs, lengths = closest_pairs(X, disjoint.labels_)
    assert set(pairs.ravel()) <= set(disjoint.references_)
    assert len(disjoint.references_) <= 3 * 3 + 6
    # Flat sheets side by side allow all shortest distances at once, and are as far as they can be.
    assert_array_equal(disjoint.added_edges_, pairs)
    Y = disjoint.embedding_
    i, j = pairs.T
    assert_allclose(np.linalg.norm(Y[i] - Y[j], axis=1), lengths, rtol=0.05)
    assert np.ptp(Y[:, 0]) >= 0.95 * np.ptp(X[:, 0])


def test_impossible_distances_leave_a_tree():
    # An open ring, with one spot at each end and these next to each other.
    angle = np.linspace(0.2, 2 * np.pi - 0.2, 60)
    ring = 10 * np.column_stack([np.cos(angle), np.sin(angle)])
    spot = 0.02 * RNG.standard_normal((6, 2))
    X = np.concatenate([ring, np.add(spot, [13, 1]), np.add(spot, [13, -1])])
    disjoint = DisjointMVU(n_neighbors=3).fit(X)
    assert disjoint.n_connected_components_ == 3
    assert len(disjoint.added_edges_) == 2
    assert np.ptp(disjoint.embedding_[:60, 0]) > 50


def test_lines_and_spots_beside_sheets_have_fewer_dimensions():
    line = np.column_stack([np.linspace(0, 5, 20), np.full(20, 30.0), np.zeros(20)])
    spot = np.full((9, 3), -40.0)
    X = np.concatenate([sheets([0, 0, 0]), line, spot])
    disjoint = DisjointMVU(n_neighbors=8).fit(X)
    assert_array_equal(disjoint.dimensions_, [2, 1, 0])
    assert_allclose(np.linalg.svd(disjoint.embedding_[60:80], compute_uv=False).shape, 2)
    assert (
        np.linalg.matrix_rank(disjoint.embedding_[60:80] - disjoint.embedding_[60], tol=1e-4) == 1
    )
    assert_allclose(disjoint.embedding_[80:], disjoint.embedding_[[80] * 9], atol=1e-9)


def test_components_at_distance_zero_are_one():
    X = np.concatenate([np.zeros((12, 2)), np.ones((12, 2))])
    disjoint = DisjointMVU(n_neighbors=2).fit(X)
    assert disjoint.n_connected_components_ == 2
    assert_allclose(pdist(disjoint.embedding_[[0, 5, 12]]), [0, np.sqrt(2), np.sqrt(2)], atol=1e-6)


def test_place_turn_and_size_do_not_matter():
    X = sheets([0, 0, 0], [8, 1, 2])
    turn = np.linalg.qr(RNG.standard_normal((3, 3)))[0]
    one = DisjointMVU(n_neighbors=8).fit_transform(X)
    other = DisjointMVU(n_neighbors=8).fit_transform(1e3 * X @ turn + 5)
    assert_allclose(pdist(other), 1e3 * pdist(one), rtol=0.02, atol=0.02 * np.ptp(other))


def test_two_fits_are_identical_and_signs_are_fixed():
    X = sheets([0, 0, 0], [8, 1, 2])
    one, other = (DisjointMVU(n_neighbors=8).fit_transform(X) for _ in range(2))
    assert_array_equal(one, other)
    assert_array_equal(one.max(axis=0), np.abs(one).max(axis=0))


def test_far_points_span_all_dimensions():
    points = np.array([[0.0, 0], [10, 0], [5, 0.1], [2, 1], [9, -0.5]])
    assert_array_equal(far_apart(points, 3), [0, 1, 3])
    assert_array_equal(far_apart(points[:, :1], 3), [0, 1])
    assert_array_equal(far_apart(np.ones((4, 2)), 3), [0])
    assert_array_equal(far_apart(np.ones((1, 2)), 3), [0])


def test_groups_are_moved_until_they_are_apart():
    points = np.array([[0.0, 0], [2, 0], [1, 0.5], [3, 0.5]])
    labels = np.array([0, 0, 1, 1])
    factor = separation(points, labels, np.array([3.0]))
    moved = spread(points, labels, factor)
    assert 0.97 * 3 < closest_pairs(moved, labels)[1][0] < 1.1 * 3
    assert_allclose(moved[1] - moved[0], [2, 0])
    assert separation(points, labels, np.array([0.1])) == 1
    assert separation(points[[0, 1, 0, 1]], labels, np.array([1.0])) == 1


def test_too_many_components_are_an_error():
    with pytest.raises(ValueError, match="n_components=31 is too high for 30 samples"):
        DisjointMVU(31).fit(CLOUD)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([DisjointMVU()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
