import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import issparse
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import pdist

from nldr.methods.mvu.interior import _solver
from nldr.methods.mvu.interior._face import face_basis
from nldr.methods.mvu.interior._problem import UnfoldingProblem
from nldr.methods.mvu.interior._solver import (
    FEASIBLE,
    TO_BOUNDARY,
    _cone_step_length,
    _NewtonSystem,
    _positive_step_length,
    restore_feasibility,
    solve_interior_point,
    unfold,
)


def complete_edges(n_samples):
    return np.argwhere(np.triu(np.ones((n_samples, n_samples)), 1))


def path_problem(rng, *, shrink):
    """Unfold a path: the optimum is a straight line with the same edges."""
    n_samples = 12
    edges = np.column_stack([np.arange(n_samples - 1), np.arange(1, n_samples)])
    lengths = rng.uniform(0.5, 1.5, n_samples - 1)
    basis = face_basis(np.zeros((n_samples, 1)), iter(()))
    line = np.append(0, np.cumsum(lengths))
    return UnfoldingProblem(basis, edges, lengths**2, shrink=shrink), line - line.mean()


@pytest.mark.parametrize("n_edges", [60, 300], ids=["fewer edges than points", "more edges"])
def test_linear_maps_agree_with_their_definition_in_dense_and_sparse_bases(n_edges, rng):
    X = rng.standard_normal((100, 2))
    basis = face_basis(X, iter([np.arange(i, i + 4) for i in range(0, 90, 10)]))
    edges = rng.permutation(complete_edges(100))[:n_edges]
    dense = basis.toarray() - basis.toarray().mean(axis=0)
    B = dense[edges[:, 0]] - dense[edges[:, 1]]
    M = rng.standard_normal((basis.shape[1],) * 2)
    M += M.T
    w = rng.random(n_edges)
    assert issparse(basis)
    for form in (basis, dense):
        problem = UnfoldingProblem(form, edges, np.ones(n_edges), shrink=False)
        assert_allclose(problem.laplacian(w), B.T @ np.diag(w) @ B, atol=1e-11)
        assert_allclose(problem.laplacian_times(w, M), B.T @ np.diag(w) @ B @ M, atol=1e-11)
        assert_allclose(problem.edge_products(M), B @ M @ B.T, atol=1e-11)
        assert_allclose(problem.edge_lengths(M), np.diag(B @ M @ B.T), atol=1e-11)


@pytest.mark.parametrize("shrink", [False, True])
def test_optimum_of_a_path_is_a_straight_line(shrink, rng):
    problem, line = path_problem(rng, shrink=shrink)
    solution = unfold(problem, 1e-6, 100)
    assert_allclose(pdist(solution.coordinates), pdist(line[:, np.newaxis]), rtol=1e-3)
    assert solution.bound == pytest.approx(line @ line, rel=1e-5)


@pytest.mark.parametrize("shrink", [False, True])
def test_direction_satisfies_the_linearized_equations(shrink, rng):
    problem, _ = path_problem(rng, shrink=shrink)
    state = problem.initial_state()
    K, w, S, slack = state.K, state.w, state.S, state.slack
    mu = 0.3
    step = _NewtonSystem(problem, state).direction(mu, np.zeros_like(K), np.zeros_like(w))
    # Primal feasibility, Eq. 1, and dual feasibility, Eq. 2
    lengths = problem.edge_lengths(K + step.dK)
    assert_allclose(lengths + slack + step.dslack, problem.squared, atol=1e-8)
    assert_allclose(step.dS, problem.laplacian(step.dw), atol=1e-12)
    # Central path, linearized in the symmetric form of Eq. 5
    inverse = np.linalg.inv(S)
    product = K @ step.dS @ inverse
    assert_allclose(
        step.dK + K + (product + product.T) / 2, mu * inverse, atol=1e-8 * np.abs(step.dK).max()
    )
    if shrink:
        assert_allclose(w * step.dslack + slack * step.dw + w * slack, mu, atol=1e-10)


@pytest.mark.parametrize("size", [30, 220], ids=["dense", "Lanczos"])
def test_step_length_stays_short_of_the_boundary_of_the_cone(size, rng, monkeypatch):
    seeds = []
    monkeypatch.setattr(_solver, "eigsh", lambda *a, **k: seeds.append(k["rng"]) or eigsh(*a, **k))
    root = np.tril(rng.standard_normal((size, size))) / size + np.eye(size)
    M = root @ root.T
    change = rng.standard_normal((size, size))
    change = -(change @ change.T) / size
    step = _cone_step_length(root, change)
    # Lanczos finds the least eigenvalue to one percent
    least = np.linalg.eigvals(np.linalg.solve(M, change)).real.min()
    assert step == pytest.approx(TO_BOUNDARY / -least, rel=0.02)
    assert np.linalg.eigvalsh(M + step * change)[0] > 0
    assert _cone_step_length(root, -change) == 1
    # Where Lanczos starts again, from a random vector, repeated fits have to be equal
    assert seeds == [0, 0] * (size == 220)


def test_step_length_of_positive_vectors():
    values = np.array([1.0, 2.0])
    assert _positive_step_length(values, np.array([-0.5, 3.0])) == 1
    assert _positive_step_length(values, np.array([-0.5, -8.0])) == pytest.approx(TO_BOUNDARY / 4)


@pytest.mark.parametrize("shrink", [False, True])
def test_restoration_makes_a_kernel_matrix_feasible(shrink, rng):
    problem, line = path_problem(rng, shrink=shrink)
    state = solve_interior_point(problem, 1e-4, 100)
    wrong = 1.001 * state.K
    assert problem.violation(problem.edge_lengths(wrong)) > FEASIBLE
    restored = restore_feasibility(problem, wrong)
    assert problem.violation(problem.edge_lengths(restored)) <= FEASIBLE
    assert np.linalg.eigvalsh(restored)[0] > -1e-10
    assert np.trace(restored) == pytest.approx(line @ line, rel=1e-3)


def test_infeasible_lengths_end_the_iteration_early():
    # A triangle with sides 1, 1 and 3 does not exist
    edges = complete_edges(3)
    basis = face_basis(np.array([[0.0, 0], [1, 0], [0, 1]]), iter(()))
    problem = UnfoldingProblem(basis, edges, np.array([1.0, 1.0, 9.0]), shrink=False)
    state = solve_interior_point(problem, 1e-4, 100)
    assert state.n_iter < 100
    assert problem.violation(state.lengths) > FEASIBLE
