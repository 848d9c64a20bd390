import numpy as np
import pytest
from numpy.testing import assert_allclose

from nldr.datasets.manifolds import swiss_roll
from nldr.methods.mvu import _solvers
from nldr.methods.mvu._edges import edges_and_squared_lengths
from nldr.methods.mvu.equal._augmented import COLUMNS, _Lagrangian
from nldr.methods.mvu.equal._dual import MODES, DualProblem, _largest_step, _System
from nldr.methods.mvu.interior._face import cliques, complement_basis, dependencies
from nldr.methods.mvu.mvu import MVU
from nldr.neighborhoods.graphs import knn_graph


@pytest.fixture
def roll(rng):
    """Return edges, squared lengths and dependencies of a roll with a connected graph."""
    X = swiss_roll(n_samples=60, height=10.0, noise=0.0, rng=rng).X
    edges, squared = edges_and_squared_lengths(knn_graph(X, 7), X)
    Z = complement_basis(60, list(dependencies(X, cliques(edges, 60))))[1]
    return edges, squared / squared.mean(), Z


def test_lagrangian_is_minimized_where_its_derivatives_vanish(roll, rng):
    lagrangian = _Lagrangian(*roll, 60)
    lagrangian.w, lagrangian.penalty = rng.standard_normal(len(roll[0])), 3.0
    Y, V = rng.standard_normal((2, 60, COLUMNS))
    ahead, behind = lagrangian.at(Y + 1e-6 * V), lagrangian.at(Y - 1e-6 * V)
    slope = (ahead.value - behind.value) / 2e-6
    assert np.vdot(lagrangian.gradient(lagrangian.at(Y)), V) == pytest.approx(slope, rel=1e-5)
    p = lagrangian.minimize(0.3 * Y, 1e-12)
    assert np.abs(lagrangian.gradient(p)).max() < 1e-6 * np.abs(p.Y).max()


@pytest.fixture
def dual(roll, rng):
    """Return a dual problem of a roll, feasible multipliers, and differences along its face."""
    edges, squared, Z = roll
    problem = DualProblem(edges, squared, Z)
    # An orthonormal basis of the vectors of sum zero that are orthogonal to Z
    left, values, _ = np.linalg.svd(np.column_stack([np.ones(60), Z.toarray()]))
    U = left[:, np.count_nonzero(values > 1e-9) :]
    w = problem.feasible(rng.uniform(0.5, 1.5, len(edges)))
    return problem, w, U[edges[:, 0]] - U[edges[:, 1]]


def test_eigenvalues_are_those_on_the_face(dual):
    problem, w, along = dual
    expected = np.linalg.eigvalsh(along.T @ (w[:, None] * along))
    assert_allclose(problem.lowest(w, 0.5, 3)[0], expected[:3], rtol=1e-4)
    assert problem.bound(w, 0.5) == pytest.approx(w @ problem.squared / expected[0], rel=1e-4)
    assert problem.shifted(w, expected[0] * 1.001) is None
    assert problem.bound(-w, 0.5) == np.inf


@pytest.fixture
def system(dual, rng):
    """Return a Newton system with its terms C, of the inverse of S, and D, of the coordinates."""
    problem, w, along = dual
    Y = rng.standard_normal((60, 3))
    S = along.T @ (w[:, None] * along) - np.eye(along.shape[1])
    differences = problem.B @ Y
    C = along @ np.linalg.solve(S, along.T)
    return _System(problem, w, Y, 0.7), C, differences @ differences.T, (along, S)


def test_newton_matrix_is_that_of_the_dense_equations(system, rng):
    result, C, D, (along, S) = system
    values, vectors = np.linalg.eigh(S)
    low = along @ (vectors[:, :MODES] / np.sqrt(values[:MODES]))
    rest = 0.7 * np.square(C - low @ low.T)
    expected = (2 * C - low @ low.T) * D + rest + 0.2 * np.diag(np.diag(rest))
    v = rng.standard_normal(len(C))
    assert_allclose(result.resistance, np.diag(C), rtol=1e-2)
    assert_allclose(result.times(v, 0.2), expected @ v, atol=1e-2 * np.abs(expected @ v).max())


def test_preconditioner_is_the_inverse_of_its_part(system, rng):
    result, _, D, _ = system
    C = result.problem.B @ result.inverse.solve(result.Bt.toarray())
    matrix = 2 * C * D + 1.2 * np.diag(result.diagonal)
    r = rng.standard_normal(len(C))
    assert_allclose(matrix @ result.preconditioner(0.2)(r), r, atol=1e-2 * np.abs(r).max())


def test_conjugate_gradients_solve_the_newton_system(system, rng):
    result = system[0]
    b = rng.standard_normal(len(result.diagonal))
    residual, precondition = result.times(result.solve(b, 0.2), 0.2) - b, result.preconditioner(0.2)
    assert precondition(residual) @ residual < 0.05**2 * (precondition(b) @ b)


def test_largest_step_ends_at_the_boundary(dual, rng):
    problem, w, _ = dual
    dw = -w * rng.uniform(0.0, 1.0, len(w))
    t = _largest_step(problem, w, dw)
    assert problem.shifted(w + t * dw, 1.0) is not None
    assert problem.shifted(w + (t + 0.01) * dw, 1.0) is None


def test_low_rank_agrees_with_the_interior_point_method(rng):
    X = swiss_roll(n_samples=60, height=20.0, noise=0.0, rng=rng).X
    fits = [
        MVU(n_neighbors=5, disconnected="bridges", tol=tol, solver=solver).fit(X)
        for solver, tol in (("low_rank", 2e-2), ("interior_point", 1e-3))
    ]
    assert fits[0].trace_ == pytest.approx(fits[1].trace_, rel=5e-3)
    proof = fits[0].certificate(X)
    assert proof.bound == pytest.approx(fits[0].dual_bound_, rel=1e-3)
    assert -1e-3 < proof.gap <= 2e-2
    assert proof.violation <= 3e-5


@pytest.mark.parametrize(("tol", "expected"), [(1e-2, "low_rank"), (1e-7, "interior_point")])
def test_many_points_take_the_low_rank_method_if_it_converges(tol, expected, monkeypatch):
    monkeypatch.setattr(_solvers, "TOO_MANY", 20)
    angle = np.linspace(0, np.pi, 30)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    result, other = (MVU(1, n_neighbors=2, solver=s, tol=tol).fit(X) for s in ("auto", expected))
    assert_allclose(result.multipliers_, other.multipliers_)
