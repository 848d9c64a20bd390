from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array, eye_array
from scipy.stats import multivariate_normal

from nldr.methods.gp.inducing import _kernel
from nldr.methods.gp.inducing._kernel import KernelParams
from nldr.methods.gp.lola import _bound, _graph
from nldr.methods.gp.lola._bound import Layout, LolaBound
from nldr.methods.gp.lola._graph import averaging_matrix

N, D, Q = 40, 12, 3
X, Y = np.split(np.random.default_rng(0).standard_normal((N, Q + D)), [Q], axis=1)
GAMMA, LOG_BETA = 3.0, 1.2
F = KernelParams(0.8, np.array([1.0, 0.4, 2.0]), np.array([0.3, 0.1, 0.6]), 0.0)
H = KernelParams(0.5, np.array([0.7, 1.4, 0.2]), np.array([0.2, 0.4, 0.1]), 0.0)


def graph(points=X, **params):
    """Return P for some points."""
    options = {"n_neighbors": 4, "decay": 5.0, "n_steps": 6, "n_edges": N - 1} | params
    return averaging_matrix(points, **options)


def point(layout, Z, points=X):
    """Return variables with white noise in both kernels."""
    f, h = replace(F, white=0.2), replace(H, white=0.1)
    return layout.join(points, Z, f.pack(), h.pack(), LOG_BETA)


def covariance(A, B, params):
    """Return Eq. 20 by loops; white noise is that of points with themselves."""

    def of(a, b):
        distance = params.weights @ (a - b) ** 2
        return params.variance * np.exp(-0.5 * distance) + params.linear @ (a * b)

    smooth = np.array([[of(a, b) for b in B] for a in A])
    return smooth + params.white * np.eye(len(A)) if A is B else smooth


def bound_by_definition(P, P_Z, Z, f, h):
    """Return Eq. 16 by dense N × N matrices, P_Z included."""
    total = 0.0
    beta = np.exp(LOG_BETA)
    pairs = [(X, X), (X, Z), (Z, Z)]
    likelihood = [covariance(*pair, f) for pair in pairs]
    (K, cross, A), P = (covariance(*pair, h) for pair in pairs), P.toarray()
    prior = P @ K @ P.T, P @ cross @ P_Z.T, P_Z @ A @ P_Z.T
    for K, cross, A, precision, T in [(*likelihood, beta, Y), (*prior, GAMMA, X)]:
        low_rank = cross @ np.linalg.solve(A, cross.T)
        normal = multivariate_normal(cov=low_rank + np.eye(N) / precision)
        total += normal.logpdf(T.T).sum() - precision / 2 * T.shape[1] * np.trace(K - low_rank)
    return total


@pytest.mark.parametrize("white", [0.0, 0.5])
def test_bound_equals_the_definition_with_averaged_inducing_points(monkeypatch, white, rng):
    monkeypatch.setattr(_kernel, "JITTER", 1e-12)
    f, h = replace(F, white=white), replace(H, white=white)
    Z, layout = rng.standard_normal((8, Q)), Layout(N, 8, Q)
    P, P_Z = graph(), graph(Z, n_neighbors=3, n_edges=7).toarray()
    assert np.abs(P_Z - np.eye(8)).max() > 0.05
    with np.errstate(divide="ignore"):  # no white noise: its logarithm is −∞
        x = layout.join(X, Z, f.pack(), h.pack(), LOG_BETA)
    value = LolaBound(Y, D, P, GAMMA, layout)(x)[0]
    assert value == pytest.approx(bound_by_definition(P, P_Z, Z, f, h), rel=1e-6)


@pytest.mark.parametrize(  # without pairs, the trace is bounded
    ("normalization", "pairs"),
    [("random_walk", 0), ("random_walk", 10**6), ("symmetric", 10**6), ("identity", 0)],
)
def test_gradient_equals_finite_differences(monkeypatch, normalization, pairs, rng):
    monkeypatch.setattr(_bound, "PAIRS", pairs)
    plain = normalization == "identity"
    P = csr_array(eye_array(N)) if plain else graph(normalization=normalization)
    layout = Layout(N, 7, Q)
    bound = LolaBound(Y, D, P, GAMMA, layout)
    assert (bound.products is None) == (pairs == 0)
    x = point(layout, rng.standard_normal((7, Q)))
    steps = 1e-5 * np.eye(len(x))
    numeric = [(bound(x + step)[0] - bound(x - step)[0]) / 2e-5 for step in steps]
    gradient = bound(x)[1]
    assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-7 * np.abs(gradient).max())


def test_trace_of_many_pairs_is_exact_where_rows_average_equal_points(monkeypatch):
    points = np.repeat(X[: N // 4], 4, axis=0)
    P = csr_array(np.kron(np.eye(N // 4), np.full((4, 4), 0.25)))
    layout = Layout(N, 6, Q)
    x = point(layout, X[:6], points)
    values = []
    for pairs in (0, 10**6):
        monkeypatch.setattr(_bound, "PAIRS", pairs)
        values.append(LolaBound(Y, D, P, GAMMA, layout)(x)[0])
    assert values[0] == pytest.approx(values[1], rel=1e-10)


def test_terms_sum_to_the_bound(rng):
    layout = Layout(N, 8, Q)
    x = point(layout, rng.standard_normal((8, Q)))
    bound = LolaBound(Y, D, graph(), GAMMA, layout)
    assert sum(bound.terms(x)) == pytest.approx(bound(x)[0], rel=1e-12)
    # The likelihood does not depend on the prior
    other = LolaBound(Y, D, csr_array(eye_array(N)), 2 * GAMMA, layout)
    assert other.terms(x)[0] == bound.terms(x)[0]


def test_dropping_small_weights_changes_the_bound_by_less_than_a_millionth(monkeypatch, rng):
    monkeypatch.setattr(_bound, "PAIRS", 10**6)
    points = rng.standard_normal((400, 2))
    options = {"n_neighbors": 5, "decay": 40.0, "n_steps": 16}
    data, params = rng.standard_normal((400, 12)), KernelParams(1.0, np.ones(2), np.ones(2), 1e-3)
    layout = Layout(400, 20, 2)
    x = layout.join(points, points[:20], params.pack(), params.pack(), LOG_BETA)
    sparse = averaging_matrix(points, n_edges=100, **options)
    monkeypatch.setattr(_graph, "LEAST_WEIGHT", 0.0)
    full = averaging_matrix(points, n_edges=399, **options)
    assert sparse.nnz < 0.2 * full.nnz
    value, expected = (LolaBound(data, 12, P, 100.0, layout)(x)[0] for P in (sparse, full))
    assert value == pytest.approx(expected, rel=1e-6)
