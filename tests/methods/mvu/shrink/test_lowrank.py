import numpy as np
import pytest
from numpy.testing import assert_allclose

from nldr.datasets.manifolds import swiss_roll
from nldr.datasets.shapes import helix
from nldr.methods.mvu._bound import connectivity, trace_bound
from nldr.methods.mvu._edges import edges_and_squared_lengths
from nldr.methods.mvu._solvers import _affordable_columns
from nldr.methods.mvu.mvu import MVU
from nldr.methods.mvu.shrink._lowrank import _Barrier, unfold_low_rank
from nldr.methods.mvu.shrink._newton import EdgeSystem
from nldr.neighborhoods.graphs import knn_graph


def roll_edges(n_samples, rng):
    X = swiss_roll(n_samples=n_samples, height=15.0, noise=0.0, rng=rng).X
    edges, squared = edges_and_squared_lengths(knn_graph(X, 8), X)
    return edges, squared / squared.mean()


def laplacian(edges, w, n_samples):
    rows = np.zeros((len(edges), n_samples))
    rows[np.arange(len(edges)), edges[:, 0]], rows[np.arange(len(edges)), edges[:, 1]] = 1, -1
    return rows.T @ (w[:, None] * rows)


def barrier_at(Y, edges, squared, mu=3.0):
    """Return the function and a feasible point, a multiple of Y."""
    lengths = np.square(Y[edges[:, 0]] - Y[edges[:, 1]]).sum(axis=1)
    barrier = _Barrier(edges, squared, len(Y), mu)
    p = barrier.at(Y * np.sqrt(0.8 / (lengths / squared).max()))
    barrier.w = mu / p.slacks
    return barrier, p


def test_derivatives_agree_with_differences(rng):
    edges, squared = roll_edges(40, rng)
    Y, V = rng.standard_normal((2, 40, 3))
    barrier, p = barrier_at(Y, edges, squared)
    step = 1e-6 * V
    slope = (barrier.value(barrier.at(p.Y + step)) - barrier.value(barrier.at(p.Y - step))) / 2e-6
    assert np.vdot(barrier.gradient(p, barrier.w), V) == pytest.approx(slope, rel=1e-5)


def test_new_column_leaves_a_saddle_point(rng):
    edges, squared = roll_edges(40, rng)
    barrier, p = barrier_at(rng.standard_normal((40, 1)), edges, squared, mu=0.01)
    p, _ = barrier.minimize(p)
    least, vector = connectivity(edges, barrier.w, 40)
    assert least < 0.9
    following = barrier.leave_saddle(p, vector)
    assert following.Y.shape == (40, 2)
    assert barrier.value(following) < barrier.value(p)
    assert following.slacks.min() > 0
    # Its length is the best of those that are halved, in squares
    others = [barrier.at(following.Y * [1, factor**0.5]) for factor in (0.5, 2)]
    feasible = [barrier.value(other) for other in others if other.slacks.min() > 0]
    assert barrier.value(following) < min(feasible)


def test_edge_system_equals_its_dense_matrix(rng):
    edges, _ = roll_edges(30, rng)
    halves = rng.standard_normal((len(edges), 2, 2))
    blocks = halves @ halves.transpose(0, 2, 1)
    dense = -0.5 * np.eye(60)
    for (i, j), block in zip(edges, blocks, strict=True):
        difference = np.zeros((30, 1))
        difference[[i, j], 0] = 1, -1
        dense += np.kron(difference @ difference.T, block)
    solve, n_negative = EdgeSystem(edges, 30).factorize(blocks, -0.5)
    right = rng.standard_normal((30, 2))
    assert_allclose(dense @ solve(right).ravel(), right.ravel(), atol=1e-8)
    assert n_negative == np.count_nonzero(np.linalg.eigvalsh(dense) < 0) >= 2


@pytest.mark.parametrize("n_samples", [300, 500], ids=["dense", "sparse"])
def test_connectivity_is_the_second_eigenvalue_of_the_laplacian(n_samples, rng):
    edges, squared = roll_edges(n_samples, rng)
    w = rng.random(len(edges))
    values = np.linalg.eigvalsh(laplacian(edges, w, n_samples))
    least, vector = connectivity(edges, w, n_samples)
    assert least == pytest.approx(values[1], rel=1e-5)
    assert least <= values[1] * (1 + 1e-9)
    assert_allclose(laplacian(edges, w, n_samples) @ vector, least * vector, atol=1e-3 * least)
    assert trace_bound(squared, edges, w, n_samples) == pytest.approx(w @ squared / least)
    # Multipliers of an indefinite Laplacian prove nothing
    w[:5] = -10
    assert trace_bound(squared, edges, w, n_samples) == np.inf


@pytest.mark.parametrize("n_features", [3, 8])
def test_low_rank_and_interior_point_methods_agree(n_features, rng):
    X = rng.standard_normal((90, n_features))
    params = {"n_neighbors": 6, "constraint": "shrink", "disconnected": "bridges", "tol": 2e-3}
    low, full = (MVU(solver=s, **params).fit(X) for s in ("low_rank", "interior_point"))
    assert 0 <= low.duality_gap_ <= 2e-3
    assert low.max_violation_ <= 1e-12
    assert low.dual_bound_ >= full.trace_ * (1 - 1e-6)
    assert full.dual_bound_ >= low.trace_ * (1 - 1e-6)
    proof = low.certificate(X)
    assert proof.gap == pytest.approx(low.duality_gap_, abs=1e-6)


@pytest.mark.parametrize("n_neighbors", [4, 8])
def test_closed_coils_converge(n_neighbors, rng):
    X = helix(n_samples=200, noise=0.0, rng=rng).X
    mvu = MVU(n_neighbors=n_neighbors, constraint="shrink", disconnected="bridges").fit(X)
    assert 0 <= mvu.duality_gap_ <= 1e-2
    assert mvu.max_violation_ <= 1e-9
    assert mvu.trace_ > np.square(X - X.mean(axis=0)).sum()


def test_too_few_columns_end_the_method_and_the_other_one_is_used(rng):
    X = rng.standard_normal((120, 8))
    edges, squared = edges_and_squared_lengths(knn_graph(X, 6), X)
    squared /= squared.mean()
    stopped = unfold_low_rank(edges, squared, 120, 1e-2, 100, most_columns=3)
    assert stopped.Y.shape[1] <= 3
    assert stopped.bound > 1.05 * np.square(stopped.Y).sum()
    assert _affordable_columns(edges, 120) < 8
    mvu = MVU(n_neighbors=6, constraint="shrink", disconnected="bridges").fit(X)
    assert 0 <= mvu.duality_gap_ <= 1e-2


def test_rounds_are_limited(rng):
    edges, squared = roll_edges(150, rng)
    assert unfold_low_rank(edges, squared, 150, 1e-3, 2).n_iter == 2


def test_many_points_are_unfolded_by_the_low_rank_method(rng):
    X = swiss_roll(n_samples=600, height=10.0, noise=0.0, rng=rng).X
    mvu = MVU(n_neighbors=6, constraint="shrink", disconnected="bridges", tol=5e-2).fit(X)
    assert mvu.coordinates_.shape[1] < 20
    assert abs(mvu.duality_gap_) <= 5e-2
    assert mvu.max_violation_ <= 3e-5
