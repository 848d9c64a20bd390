import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist

from nldr.methods.mvu.aligned import AlignedDisjointMVU
from nldr.methods.mvu.disjoint import DisjointMVU
from nldr.methods.mvu.largest import LargestComponentMVU
from nldr.methods.mvu.mvu import MVU
from nldr.methods.mvu.placement._arrangement import farthest_points, separation_factor
from nldr.methods.mvu.placement._stress import scale_centers
from nldr.methods.mvu.published import PublishedDisjointMVU
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


@pytest.mark.parametrize(
    ("method", "n_components", "share"),
    [
        (AlignedDisjointMVU, 2, None),
        (DisjointMVU, 2, None),
        (LargestComponentMVU, 2, None),
        (PublishedDisjointMVU, 10, 0.98),
    ],
)
def test_single_component_equals_plain_unfolding(method, n_components, share, cloud):
    model = method(n_components, n_neighbors=8).fit(cloud)
    mvu = MVU(n_components, n_neighbors=8, variance_share=share).fit(cloud)
    assert model.n_connected_components_ == 1
    assert_allclose(pdist(model.embedding_), pdist(mvu.embedding_))
    if isinstance(model, (DisjointMVU, PublishedDisjointMVU)):
        assert model.references_.shape == (0,)
        assert model.added_edges_.shape == (0, 2)
        assert model.duality_gap_ == pytest.approx(mvu.duality_gap_)
        assert model.max_violation_ == mvu.max_violation_
    if isinstance(model, DisjointMVU):
        assert model.separation_ == 1
    if isinstance(model, PublishedDisjointMVU):
        assert model.n_dimensions_ == mvu.n_kept_


@pytest.mark.parametrize(
    "options", [{"separate": False}, {}, {"placement": "references"}, {"cut_bridges": False}]
)
def test_components_are_moved_rigidly(options, cloud):
    X = np.concatenate([cloud, cloud[:20] + 100, cloud[:12] - [90, 0, 0]])
    disjoint = DisjointMVU(n_neighbors=8, **options).fit(X)
    assert disjoint.n_connected_components_ == 3
    for label, mvu in enumerate(disjoint.component_mvus_):
        rows = disjoint.labels_ == label
        alone = MVU(n_neighbors=8).fit(X[rows])
        assert_array_equal(mvu.coordinates_, alone.coordinates_)
        assert_allclose(pdist(disjoint.embedding_[rows]), pdist(alone.embedding_), atol=1e-6)


def test_shortest_distances_between_components_are_kept_where_possible(sheet):
    X = copies(sheet, [0, 0, 0], [10, 0, 0], [20, 0, 0])
    disjoint = DisjointMVU(n_neighbors=8, placement="references", separate=False).fit(X)
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
    disjoint = DisjointMVU(n_neighbors=3, placement="references").fit(X)
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
    # No need, and groups with the same center
    assert separation_factor(points, labels, np.array([0.1])) == 1
    assert separation_factor(points[[0, 1, 0, 1]], labels, np.array([1.0])) == 1


@pytest.mark.parametrize(
    ("method", "options", "with_references"),
    [
        (DisjointMVU, {"placement": "distances"}, False),
        (DisjointMVU, {"placement": "references"}, True),
        (PublishedDisjointMVU, {}, True),
    ],
)
def test_certificate_covers_components_and_references(method, options, with_references, rng):
    sheets = rng.uniform(0, 1, (2, 50, 3)) * [4, 3, 0.2]
    sheets[1, :, 1] += 30
    model = method(n_neighbors=8, tol=2e-3, **options).fit(np.concatenate(sheets))
    mvus = model.component_mvus_
    assert len(mvus) == 2
    assert (model.trace_ > sum(mvu.trace_ for mvu in mvus)) == with_references
    assert model.trace_ <= model.dual_bound_ * (1 + 1e-6)
    assert max(mvu.duality_gap_ for mvu in mvus) <= model.duality_gap_ + 1e-12
    assert model.duality_gap_ <= 2e-3
    assert max(mvu.max_violation_ for mvu in mvus) <= model.max_violation_ < 1e-3


def test_certificate_is_recomputed_from_data_and_embedding(sheet, cloud):
    X = np.concatenate([sheet, cloud + 30])
    disjoint = DisjointMVU(n_neighbors=8).fit(X)
    proof = disjoint.certificate(X)
    for component, mvu in zip(proof.components, disjoint.component_mvus_, strict=True):
        assert component.trace == pytest.approx(mvu.trace_)
        assert component.bound == pytest.approx(mvu.dual_bound_, rel=1e-4)
    # The sheet is flat, the cloud has three dimensions, of which two are shown
    values = np.sort(np.linalg.svd(disjoint.component_mvus_[1].coordinates_)[1])[::-1] ** 2
    assert proof.variance_shares[0] == pytest.approx(1, abs=1e-3)
    assert proof.variance_shares[1] == pytest.approx(values[:2].sum() / values.sum())
    assert proof.rigidity < 1e-9
    first = disjoint.labels_ == 0
    closest = [cdist(Y[first], Y[~first]).min() for Y in (X, disjoint.embedding_)]
    assert proof.separation == pytest.approx(closest[1] / closest[0])
    assert proof.stress == pytest.approx(disjoint.placement_stress_)
    # A component that is bent afterwards is noticed
    disjoint.embedding_[:10] *= 1.1
    assert disjoint.certificate(X).rigidity > 1e-3


def test_flat_sheets_return_to_where_they_were(sheet):
    X = copies(sheet, [0, 0, 0], [10, 3, 0], [4, -9, 0])
    disjoint = DisjointMVU(n_neighbors=8, tol=1e-4).fit(X)
    assert disjoint.separation_ == 1
    assert_allclose(pdist(disjoint.embedding_), pdist(X), rtol=0.05, atol=0.05)


def test_components_keep_their_dimension_where_there_is_room(cloud, sheet):
    X = np.concatenate([5 * cloud[:20], sheet[:20] + 60])
    each = DisjointMVU(2, n_neighbors=8).fit(X)
    room = DisjointMVU(3, n_neighbors=8).fit(X)
    assert each.certificate(X).variance_shares[0] < 0.9
    assert room.certificate(X).variance_shares[0] > 0.99
    # All axes of the placed components, of which the joint principal axes are shown
    joint = DisjointMVU(2, n_neighbors=8, projection="joint").fit(X)
    assert_allclose(pdist(joint.embedding_), pdist(room.embedding_[:, :2]), rtol=1e-3, atol=1e-3)


def test_weak_bridge_between_clouds_is_cut(rng):
    # Two clouds, mirror images of each other, and one point in the gap that is joined to both
    cloud = rng.standard_normal((80, 3))
    X = np.concatenate([cloud, [10, 0, 0] - cloud * [1, -1, -1], [[5, 0, 0]]])
    kept = DisjointMVU(n_neighbors=6, cut_bridges=False).fit(X)
    cut = DisjointMVU(n_neighbors=6).fit(X)
    assert kept.n_connected_components_ == 1
    assert kept.bridges_.shape == (0, 2)
    assert cut.n_connected_components_ == 2
    assert len(np.unique(cut.labels_[:80])) == len(np.unique(cut.labels_[80:160])) == 1
    assert set(cut.bridges_.ravel()) & {160}
