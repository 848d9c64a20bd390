import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist
from sklearn.linear_model import LinearRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.datasets.manifolds import broken_swiss_roll
from nldr.methods.mvu.disjoint import (
    DisjointMVU,
    farthest_points,
    scale_centers,
    separation_factor,
)
from nldr.methods.mvu.mvu import MVU
from nldr.neighborhoods.graphs import closest_pairs


@pytest.fixture
def cloud(rng):
    return rng.standard_normal((30, 3))


@pytest.fixture
def sheet(rng):
    """A flat rectangle in three dimensions."""
    return np.column_stack([rng.uniform(0, 1, (60, 2)) * [3, 1], np.zeros(60)])


def copies(points, *offsets):
    return np.concatenate([points + offset for offset in offsets])


def test_single_component_equals_plain_unfolding(cloud):
    disjoint = DisjointMVU(n_neighbors=8).fit(cloud)
    expected = MVU(n_neighbors=8).fit(cloud).embedding_
    assert disjoint.n_connected_components_ == disjoint.separation_ == 1
    assert disjoint.references_.shape == (0,)
    assert disjoint.added_edges_.shape == (0, 2)
    assert_allclose(pdist(disjoint.embedding_), pdist(expected))


@pytest.mark.parametrize("separate", [False, True])
def test_components_are_moved_rigidly(separate, cloud):
    X = np.concatenate([cloud, cloud[:20] + 100, cloud[:12] - [90, 0, 0]])
    disjoint = DisjointMVU(n_neighbors=8, separate=separate).fit(X)
    assert disjoint.n_connected_components_ == 3
    for label, mvu in enumerate(disjoint.component_mvus_):
        rows = disjoint.labels_ == label
        alone = MVU(n_neighbors=8).fit(X[rows])
        assert_array_equal(mvu.embedding_, alone.embedding_)
        assert_allclose(pdist(disjoint.embedding_[rows]), pdist(alone.embedding_), atol=1e-6)


def test_pieces_of_a_roll_are_unrolled_and_separated(rng):
    data = broken_swiss_roll(n_samples=400, height=8.0, noise=0.0, rng=rng)
    disjoint = DisjointMVU(n_neighbors=6, tol=1e-3).fit(data.X)
    outer = data.y == 1
    assert disjoint.n_connected_components_ == 2
    for piece in (outer, ~outer):
        Y, arc = disjoint.embedding_[piece], data.Z[piece, 0]
        assert LinearRegression().fit(Y, arc).score(Y, arc) > 0.98
    before, after = (cdist(Y[outer], Y[~outer]).min() for Y in (data.X, disjoint.embedding_))
    assert after > 0.97 * before


def test_shortest_distances_between_components_are_kept_where_possible(sheet):
    X = copies(sheet, [0, 0, 0], [10, 0, 0], [20, 0, 0])
    disjoint = DisjointMVU(n_neighbors=8, separate=False).fit(X)
    pairs, lengths = closest_pairs(X, disjoint.labels_)
    assert set(pairs.ravel()) <= set(disjoint.references_)
    assert len(disjoint.references_) <= 3 * 3 + 6
    # Flat sheets side by side satisfy all shortest distances, at the maximum of the variance
    assert_array_equal(disjoint.added_edges_, pairs)
    Y = disjoint.embedding_
    i, j = pairs.T
    assert_allclose(np.linalg.norm(Y[i] - Y[j], axis=1), lengths, rtol=0.05)
    assert np.ptp(Y[:, 0]) >= 0.95 * np.ptp(X[:, 0])


def test_contradictory_distances_are_replaced_by_a_spanning_tree(rng):
    # An open ring, with one spot at each end, and these next to each other
    angle = np.linspace(0.2, 2 * np.pi - 0.2, 60)
    ring = 10 * np.column_stack([np.cos(angle), np.sin(angle)])
    spot = 0.02 * rng.standard_normal((6, 2))
    X = np.concatenate([ring, np.add(spot, [13, 1]), np.add(spot, [13, -1])])
    disjoint = DisjointMVU(n_neighbors=3).fit(X)
    assert disjoint.n_connected_components_ == 3
    assert len(disjoint.added_edges_) == 2
    assert np.ptp(disjoint.embedding_[:60, 0]) > 50


def test_lines_and_points_keep_their_dimension(sheet):
    line = np.column_stack([np.linspace(0, 5, 20), np.full(20, 30.0), np.zeros(20)])
    point = np.full((9, 3), -40.0)
    disjoint = DisjointMVU(n_neighbors=8).fit(np.concatenate([sheet, line, point]))
    Y = disjoint.embedding_
    assert_array_equal(disjoint.dimensions_, [2, 1, 0])
    assert np.linalg.matrix_rank(Y[60:80] - Y[60], tol=1e-4) == 1
    assert_allclose(Y[80:], Y[[80] * 9], atol=1e-9)


def test_components_at_distance_zero_are_merged():
    X = np.concatenate([np.zeros((12, 2)), np.ones((12, 2))])
    disjoint = DisjointMVU(n_neighbors=2).fit(X)
    assert disjoint.n_connected_components_ == 2
    assert_allclose(pdist(disjoint.embedding_[[0, 5, 12]]), [0, np.sqrt(2), np.sqrt(2)], atol=1e-6)


def test_solution_is_equivariant_to_shift_rotation_and_scale(sheet, rng):
    X = copies(sheet, [0, 0, 0], [8, 1, 2])
    rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    one = DisjointMVU(n_neighbors=8).fit_transform(X)
    other = DisjointMVU(n_neighbors=8).fit_transform(1e3 * X @ rotation + 5)
    assert_allclose(pdist(other), 1e3 * pdist(one), rtol=0.02, atol=0.02 * np.ptp(other))


def test_fits_are_reproducible_and_signs_are_fixed(sheet):
    X = copies(sheet, [0, 0, 0], [8, 1, 2])
    one, other = (DisjointMVU(n_neighbors=8).fit_transform(X) for _ in range(2))
    assert_array_equal(one, other)
    assert_array_equal(one.max(axis=0), np.abs(one).max(axis=0))


def test_farthest_points_span_all_dimensions():
    points = np.array([[0.0, 0], [10, 0], [5, 0.1], [2, 1], [9, -0.5]])
    assert_array_equal(farthest_points(points, 3), [0, 1, 3])
    assert_array_equal(farthest_points(points[:, :1], 3), [0, 1])
    assert_array_equal(farthest_points(np.ones((4, 2)), 3), [0])
    assert_array_equal(farthest_points(np.ones((1, 2)), 3), [0])


def test_separation_factor_makes_groups_far_enough_apart():
    points = np.array([[0.0, 0], [2, 0], [1, 0.5], [3, 0.5]])
    labels = np.array([0, 0, 1, 1])
    factor = separation_factor(points, labels, np.array([3.0]))
    moved = scale_centers(points, labels, factor)
    assert 0.97 * 3 < closest_pairs(moved, labels)[1][0] < 1.1 * 3
    assert_allclose(moved[1] - moved[0], [2, 0])


def test_separation_factor_is_one_if_groups_are_apart_or_share_a_center():
    points = np.array([[0.0, 0], [2, 0], [1, 0.5], [3, 0.5]])
    labels = np.array([0, 0, 1, 1])
    assert separation_factor(points, labels, np.array([0.1])) == 1
    assert separation_factor(points[[0, 1, 0, 1]], labels, np.array([1.0])) == 1


def test_too_many_components_raise(cloud):
    with pytest.raises(ValueError, match="n_components=31 is too high for 30 samples"):
        DisjointMVU(31).fit(cloud)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([DisjointMVU()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
