import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import issparse
from scipy.spatial.distance import pdist, squareform
from sklearn.exceptions import ConvergenceWarning
from sklearn.manifold import ClassicalMDS
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.datasets.manifolds import roll_and_thread
from nldr.methods.mvu._face import cliques, face_basis, independent_edges
from nldr.methods.mvu._interior import Program
from nldr.methods.mvu.mvu import MVU
from nldr.neighborhoods.dimension import intrinsic_dimension
from nldr.neighborhoods.graphs import DisconnectedGraphWarning

RNG = np.random.default_rng(0)
CLOUD = RNG.standard_normal((30, 4))


def roll(n_samples):
    """The Swiss roll of height 30 for which optima are known."""
    rng = np.random.default_rng(0)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n_samples))
    return np.column_stack([t * np.cos(t), 30 * rng.random(n_samples), t * np.sin(t)])


def all_coordinates(X, **params):
    return MVU(len(X), **params).fit(X)


def squared_lengths(points, edges):
    return np.square(points[edges[:, 0]] - points[edges[:, 1]]).sum(axis=1)


@pytest.mark.parametrize("constraint", ["equal", "shrink"])
@pytest.mark.parametrize("n_neighbors", [4, 8])
def test_solution_is_feasible_and_its_figures_are_its_own(constraint, n_neighbors):
    X = roll(60)
    mvu = all_coordinates(X, constraint=constraint, n_neighbors=n_neighbors)
    Y, edges = mvu.embedding_, mvu.edges_
    assert_allclose(Y.sum(axis=0), 0, atol=1e-8 * np.abs(Y).sum())
    assert_allclose(np.square(Y).sum(), mvu.trace_)
    assert_allclose(np.square(Y).sum(axis=0), mvu.eigenvalues_, atol=1e-9 * mvu.trace_)
    wanted = squared_lengths(X, edges)
    excess = squared_lengths(Y, edges) - wanted
    worst = excess.max() if constraint == "shrink" else np.abs(excess).max()
    assert_allclose(max(worst, 0), mvu.max_violation_ * wanted.mean(), atol=1e-9 * wanted.mean())
    assert mvu.max_violation_ < 1e-5
    assert mvu.duality_gap_ < mvu.tol
    assert mvu.dual_bound_ > np.square(X - X.mean(axis=0)).sum()


def test_edges_are_the_union_of_nearest_neighbors():
    nearest = squareform(pdist(CLOUD)) + 1e9 * np.eye(30)
    joined = nearest <= np.sort(nearest, axis=1)[:, [3]]
    expected = np.argwhere(np.triu(joined | joined.T))
    assert_array_equal(MVU(n_neighbors=4).fit(CLOUD).edges_, expected)


def test_known_optimum_of_a_roll():
    mvu = all_coordinates(roll(100), tol=5e-4)
    assert len(mvu.edges_) == 300
    assert mvu.trace_ == pytest.approx(19754.57, rel=1e-3)
    assert mvu.duality_gap_ < 5e-4
    assert mvu.max_violation_ < 1e-6
    assert MVU(tol=1e-5).fit(roll(100)).trace_ == pytest.approx(19754.57, rel=3e-4)


@pytest.mark.parametrize("constraint", ["equal", "shrink"])
def test_equals_the_reference(constraint):
    X = RNG.standard_normal((40, 8))  # groups joined to each other are in general position
    ours = MVU(n_neighbors=4, constraint=constraint, tol=1e-6).fit(X)
    theirs = MVU(n_neighbors=4, constraint=constraint, solver="sdp").fit(X)
    assert ours.trace_ == pytest.approx(theirs.trace_, rel=1e-4)
    assert ours.dual_bound_ == pytest.approx(theirs.dual_bound_, rel=1e-4)
    assert_allclose(pdist(ours.embedding_), pdist(theirs.embedding_), atol=5e-2)


def test_complete_graph_is_classical_scaling():
    mvu = MVU(4, n_neighbors=29, tol=1e-7).fit(CLOUD)
    expected = ClassicalMDS(4).fit_transform(CLOUD)
    assert_allclose(pdist(mvu.embedding_), pdist(expected), rtol=1e-8)
    assert_allclose(mvu.eigenvalues_[4:], 0, atol=1e-8)
    assert mvu.dual_bound_ == pytest.approx(mvu.trace_, rel=1e-6)


def test_flat_sheet_comes_back():
    axis = np.linspace(0, 1, 8)
    sheet = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    sheet += 0.02 * np.random.default_rng(1).standard_normal(sheet.shape)
    turn = np.linalg.qr(RNG.standard_normal((3, 3)))[0][:2]
    mvu = MVU(n_neighbors=12, tol=1e-6).fit(sheet @ turn)
    assert_allclose(pdist(mvu.embedding_), pdist(sheet), rtol=1e-4)


def test_roll_is_unrolled():
    t = np.linspace(1.5 * np.pi, 3 * np.pi, 100)
    X = np.column_stack([t * np.cos(t), t * np.sin(t)])
    length = np.append(0, np.cumsum(np.linalg.norm(np.diff(X, axis=0), axis=1)))
    mvu = MVU(1, n_neighbors=2, tol=1e-4).fit(X)
    assert abs(np.corrcoef(mvu.embedding_[:, 0], length)[0, 1]) > 0.9999
    assert mvu.n_dimensions_ == round(mvu.intrinsic_dimension_) == 1


def test_order_place_turn_and_size_do_not_matter():
    X = roll(60)
    turn = np.linalg.qr(RNG.standard_normal((3, 3)))[0]
    order = RNG.permutation(60)
    one = MVU(tol=1e-7).fit(X)
    other = MVU(tol=1e-7).fit(1e3 * (X @ turn)[order] + 5)
    assert other.trace_ == pytest.approx(1e6 * one.trace_, rel=1e-4)
    assert_allclose(
        squareform(pdist(other.embedding_)),
        1e3 * squareform(pdist(one.embedding_))[np.ix_(order, order)],
        atol=0.5e-2 * 1e3 * np.ptp(one.embedding_),
    )


def test_shrinking_allows_no_less():
    X = roll(60)
    equal, shrink = (MVU(constraint=c, tol=1e-5).fit(X) for c in ("equal", "shrink"))
    assert shrink.dual_bound_ >= equal.trace_ * (1 - 1e-6)


def test_two_fits_are_identical_and_signs_are_fixed():
    one, other = (MVU().fit_transform(roll(60)) for _ in range(2))
    assert_array_equal(one, other)
    assert_array_equal(one.max(axis=0), np.abs(one).max(axis=0))


@pytest.mark.parametrize("constraint", ["equal", "shrink"])
def test_duplicates_stay_together(constraint):
    X = np.repeat(CLOUD[:12], 2, axis=0)
    Y = MVU(3, n_neighbors=9, constraint=constraint).fit_transform(X)
    assert_allclose(Y[::2], Y[1::2], atol=1e-6)


def test_equal_rows_are_one_point():
    mvu = MVU(n_neighbors=2).fit(np.ones((5, 3)))
    assert_array_equal(mvu.embedding_, np.zeros((5, 2)))
    assert mvu.trace_ == mvu.duality_gap_ == 0


def test_parts_are_refused():
    X = np.concatenate([CLOUD, CLOUD[:20] + 100])
    with pytest.raises(ValueError, match=r"2 parts \(of 30, 20 points\): the variance has no max"):
        MVU().fit(X)


def test_parts_are_joined_on_record():
    X = np.concatenate([CLOUD, CLOUD[:20] + 100])
    with pytest.warns(DisconnectedGraphWarning, match="2 parts"):
        mvu = MVU(n_neighbors=8, disconnected="warn").fit(X)
    assert mvu.n_connected_components_ == 2
    assert np.count_nonzero(np.diff(mvu.edges_ >= 30)) == 1
    assert mvu.duality_gap_ < mvu.tol


@pytest.mark.parametrize("remedy", ["bridges", "enhanced", "more_neighbors"])
def test_remedies_join_in_silence(remedy):
    X = np.concatenate([CLOUD, CLOUD[:20] + 100])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mvu = MVU(n_neighbors=8, disconnected=remedy).fit(X)
    more = remedy == "more_neighbors"
    assert mvu.n_connected_components_ == (1 if more else 2)
    assert (mvu.n_neighbors_ > 8) == more
    n_added = {"bridges": 1, "enhanced": 1 + round(intrinsic_dimension(X)), "more_neighbors": 0}
    assert len(mvu.added_edges_) == n_added[remedy]
    if not more:
        assert np.count_nonzero(np.diff(mvu.edges_ >= 30)) == n_added[remedy]
    assert mvu.duality_gap_ < mvu.tol


def test_too_many_components_are_an_error():
    with pytest.raises(ValueError, match="n_components=31 is too high for 30 samples"):
        MVU(31).fit(CLOUD)


def test_too_few_steps_are_said():
    with pytest.warns(ConvergenceWarning, match="duality gap is .* asked for was 0.01"):
        mvu = MVU(max_iter=3).fit(roll(60))
    assert mvu.n_iter_ == 3
    assert mvu.duality_gap_ > 1e-2
    assert mvu.dual_bound_ > MVU().fit(roll(60)).trace_


@pytest.mark.parametrize("seed", [0, 2])
def test_parts_far_apart_reach_a_small_gap(seed):
    rng = np.random.default_rng(seed)
    X = roll_and_thread(n_samples=400, height=8.0, distance=20.0, noise=0.0, rng=rng).X
    mvu = MVU(n_neighbors=6, disconnected="enhanced", tol=2e-3).fit(X)
    assert mvu.duality_gap_ <= 2e-3
    assert mvu.max_violation_ <= 3e-5


def test_cliques_are_all_maximal_ones():
    joined = np.triu(RNG.random((12, 12)) < 0.5, 1)
    found = {tuple(c.tolist()) for c in cliques(np.argwhere(joined), 12)}
    near = joined | joined.T | np.eye(12, dtype=bool)
    subsets = [np.flatnonzero([m >> b & 1 for b in range(12)]) for m in range(1, 4096)]
    whole = [set(s.tolist()) for s in subsets if near[np.ix_(s, s)].all()]
    expected = {tuple(sorted(s)) for s in whole if not any(s < other for other in whole)}
    assert found == expected


def test_face_holds_the_data_and_no_dependency():
    X = RNG.standard_normal((9, 2))
    basis = face_basis(X, iter([np.arange(5), np.arange(4, 9)]))
    centered = X - X.mean(axis=0)
    assert basis.shape == (9, 9 - 1 - 2 * 2)
    basis = basis - basis.mean(axis=0)  # what edges do not see
    assert_allclose(basis.T @ basis, np.eye(4), atol=1e-12)
    assert_allclose(basis @ (basis.T @ centered), centered, atol=1e-12)


def test_face_of_many_blocks_is_sparse_and_exact():
    X = RNG.standard_normal((300, 2))
    groups = [np.arange(i, i + 5) for i in range(0, 250, 9)] + [np.arange(3, 8)]
    basis = face_basis(X, iter(groups))
    assert issparse(basis)
    full = basis.toarray() - basis.toarray().mean(axis=0)
    assert basis.shape == (300, 299 - 2 * len(groups))
    assert_allclose(full.T @ full, np.eye(full.shape[1]), atol=1e-12)
    for members in groups:
        affine = np.column_stack([np.ones(5), X[members]])
        dependency = np.linalg.svd(affine)[0][:, 3:]
        assert_allclose(dependency.T @ full[members], 0, atol=1e-12)


@pytest.mark.parametrize("n_edges", [60, 300])  # fewer than points, and more
def test_program_is_the_same_in_any_basis(n_edges):
    X = RNG.standard_normal((100, 2))
    basis = face_basis(X, iter([np.arange(i, i + 4) for i in range(0, 90, 10)]))
    edges = RNG.permutation(np.argwhere(np.triu(np.ones((100, 100)), 1)))[:n_edges]
    dense = basis.toarray() - basis.toarray().mean(axis=0)
    ours, other = (Program(b, edges, np.ones(n_edges), shrink=False) for b in (basis, dense))
    M = RNG.standard_normal((basis.shape[1],) * 2)
    M += M.T
    w = RNG.random(n_edges)
    ends = dense[edges[:, 0]] - dense[edges[:, 1]]
    assert issparse(basis)
    assert_allclose(other.laplacian(w), ends.T @ (w[:, np.newaxis] * ends), atol=1e-12)
    assert_allclose(other.products(M), ends @ M @ ends.T, atol=1e-12)
    assert_allclose(ours.laplacian(w), other.laplacian(w), atol=1e-12)
    assert_allclose(ours.laplacian_times(w, M), other.laplacian(w) @ M, atol=1e-12)
    assert_allclose(ours.products(M), other.products(M), atol=1e-12)
    assert_allclose(ours.lengths(M), other.products(M).diagonal(), atol=1e-12)


def test_independent_edges_of_a_rigid_group():
    basis = face_basis(CLOUD, iter([np.arange(30)]))
    edges = np.argwhere(np.triu(np.ones((30, 30)), 1))
    assert len(independent_edges(basis, edges)) == 4 * 5 / 2


@pytest.mark.filterwarnings(
    "ignore:the neighborhood graph", "ignore::sklearn.exceptions.ConvergenceWarning"
)
@parametrize_with_checks(
    [MVU(disconnected="warn", constraint=constraint) for constraint in ("equal", "shrink")]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
