import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import ClassicalMDS

from nldr.datasets.manifolds import roll_and_thread, swiss_roll, two_swiss_rolls
from nldr.methods.mvu.mvu import MVU

CONSTRAINTS = pytest.mark.parametrize("constraint", ["equal", "shrink"])


def roll(n_samples, rng):
    return swiss_roll(n_samples=n_samples, height=30.0, noise=0.0, rng=rng).X


@pytest.fixture
def cloud(rng):
    return rng.standard_normal((30, 4))


def squared_lengths(points, edges):
    return np.square(points[edges[:, 0]] - points[edges[:, 1]]).sum(axis=1)


@CONSTRAINTS
def test_solution_is_feasible_and_attributes_describe_it(constraint, rng):
    X = roll(60, rng)
    mvu = MVU(60, constraint=constraint, n_neighbors=8, disconnected="bridges").fit(X)
    Y, edges = mvu.embedding_, mvu.edges_
    assert_allclose(Y.sum(axis=0), 0, atol=1e-8 * np.abs(Y).sum())
    assert_allclose(np.square(Y).sum(), mvu.trace_)
    assert_allclose(np.square(Y).sum(axis=0), mvu.eigenvalues_, atol=1e-9 * mvu.trace_)
    expected = squared_lengths(X, edges)
    excess = squared_lengths(Y, edges) - expected
    worst = excess.max() if constraint == "shrink" else np.abs(excess).max()
    assert_allclose(
        max(worst, 0), mvu.max_violation_ * expected.mean(), atol=1e-9 * expected.mean()
    )
    assert mvu.max_violation_ < 3e-5
    assert mvu.duality_gap_ < mvu.tol
    assert mvu.dual_bound_ > np.square(X - X.mean(axis=0)).sum()


def test_edges_are_the_union_of_nearest_neighbors(cloud):
    distances = squareform(pdist(cloud)) + 1e9 * np.eye(30)
    nearest = distances <= np.sort(distances, axis=1)[:, [5]]
    expected = np.argwhere(np.triu(nearest | nearest.T))
    assert_array_equal(MVU(n_neighbors=6).fit(cloud).edges_, expected)


def test_trace_of_a_roll_equals_the_known_optimum():
    X = roll(100, np.random.default_rng(0))
    mvu = MVU(tol=1e-5).fit(X)
    assert len(mvu.edges_) == 300
    assert mvu.trace_ == pytest.approx(19754.57, rel=3e-4)
    assert mvu.duality_gap_ < 1e-5
    assert mvu.max_violation_ < 1e-6


@CONSTRAINTS
def test_solvers_agree(constraint, rng):
    X = rng.standard_normal((30, 8))
    params = {"n_neighbors": 4, "constraint": constraint, "disconnected": "bridges"}
    ours = MVU(tol=1e-6, **params).fit(X)
    reference = MVU(solver="sdp", **params).fit(X)
    assert ours.trace_ == pytest.approx(reference.trace_, rel=1e-4)
    assert ours.dual_bound_ == pytest.approx(reference.dual_bound_, rel=1e-4)
    assert_allclose(pdist(ours.embedding_), pdist(reference.embedding_), atol=5e-2)


@CONSTRAINTS
def test_complete_graph_equals_classical_scaling(constraint, cloud):
    mvu = MVU(4, n_neighbors=29, constraint=constraint, tol=1e-7).fit(cloud)
    expected = ClassicalMDS(4).fit_transform(cloud)
    assert_allclose(pdist(mvu.embedding_), pdist(expected), rtol=1e-7)
    assert_allclose(mvu.eigenvalues_[4:], 0, atol=1e-7)
    assert mvu.n_iter_ == 0
    assert mvu.duality_gap_ == pytest.approx(0, abs=1e-12)
    assert mvu.certificate(cloud).gap == pytest.approx(0, abs=1e-9)


def test_flat_sheet_is_recovered(rng):
    axis = np.linspace(0, 1, 8)
    sheet = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    sheet += 0.02 * rng.standard_normal(sheet.shape)
    rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0][:2]
    mvu = MVU(n_neighbors=12, tol=1e-6).fit(sheet @ rotation)
    assert_allclose(pdist(mvu.embedding_), pdist(sheet), rtol=1e-4)


def test_spiral_is_straightened():
    t = np.linspace(1.5 * np.pi, 3 * np.pi, 100)
    X = np.column_stack([t * np.cos(t), t * np.sin(t)])
    length = np.append(0, np.cumsum(np.linalg.norm(np.diff(X, axis=0), axis=1)))
    mvu = MVU(1, n_neighbors=2, tol=1e-4).fit(X)
    assert abs(np.corrcoef(mvu.embedding_[:, 0], length)[0, 1]) > 0.9999
    assert mvu.n_dimensions_ == round(mvu.intrinsic_dimension_) == 1


def test_distant_components_reach_a_small_gap(rng):
    X = roll_and_thread(n_samples=250, height=8.0, distance=20.0, noise=0.0, rng=rng).X
    mvu = MVU(n_neighbors=6, disconnected="enhanced", tol=2e-3).fit(X)
    assert mvu.duality_gap_ <= 2e-3
    assert mvu.max_violation_ <= 3e-5


@pytest.mark.recipe
def test_repeated_fits_with_lanczos_restarts_are_identical():
    # On these points ARPACK restarts, from random vectors that need a seed of their own.
    rng = np.random.default_rng(245553314011448132670733868393701985299)
    X = two_swiss_rolls(n_samples=600, height=12.0, distance=60.0, noise=0.0, rng=rng).X
    fits = [MVU(n_neighbors=6, tol=0.002, disconnected="bridges").fit(X) for _ in range(2)]
    assert_array_equal(fits[0].embedding_, fits[1].embedding_)
