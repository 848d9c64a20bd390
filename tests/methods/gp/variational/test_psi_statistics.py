import numpy as np
import pytest
from numpy.testing import assert_allclose

from nldr.methods.gp.inducing._kernel import KernelParams, cross_covariance
from nldr.methods.gp.variational import _psi_statistics
from nldr.methods.gp.variational._psi_statistics import PsiStatistics

N, M = 12, 6


def draw_problem(n_components, rng):
    """Return means, variances, inducing inputs and kernel parameters."""
    means = rng.standard_normal((N, n_components))
    variances = rng.uniform(0.05, 0.9, (N, n_components))
    Z = rng.standard_normal((M, n_components))
    params = KernelParams(
        0.8, rng.uniform(0.3, 2, n_components), rng.uniform(0.1, 0.8, n_components), 0.3
    )
    return means, variances, Z, params


def test_statistics_equal_two_dimensional_quadrature(rng):
    means, variances, Z, params = draw_problem(2, rng)
    psi = PsiStatistics(means, variances, Z, params)
    # Gauss-Hermite nodes on a grid, independent in the two dimensions; 40 per axis leave 3e-9
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    grid = np.stack(np.meshgrid(nodes, nodes, indexing="ij"), axis=-1).reshape(-1, 2)
    mass = np.outer(weights, weights).ravel() / weights.sum() ** 2
    psi2 = np.zeros((M, M))
    for n in range(N):
        K = cross_covariance(means[n] + np.sqrt(variances[n]) * grid, Z, params)[0]
        assert_allclose(psi.psi1[n], mass @ K, rtol=1e-10, atol=1e-10)
        psi2 += K.T @ (mass[:, None] * K)
    assert_allclose(psi.psi2, psi2, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("n_components", [1, 3])
def test_statistics_without_variance_are_covariances(n_components, rng):
    means, _, Z, params = draw_problem(n_components, rng)
    psi = PsiStatistics(means, np.zeros_like(means), Z, params)
    K = cross_covariance(means, Z, params)[0]
    assert_allclose(psi.psi1, K, rtol=1e-12)
    assert_allclose(psi.psi2, K.T @ K, rtol=1e-12)
    diagonal = np.diag(cross_covariance(means, means, params)[0]).sum() + N * params.white
    assert psi.psi0 == pytest.approx(diagonal, rel=1e-12)


@pytest.mark.parametrize("n_components", [1, 3])
@pytest.mark.parametrize("block", [2**17, 40])
def test_gradient_equals_finite_differences(monkeypatch, n_components, block, rng):
    monkeypatch.setattr(_psi_statistics, "BLOCK_SIZE", block)
    means, variances, Z, params = draw_problem(n_components, rng)
    by1, by2 = rng.standard_normal((N, M)), rng.standard_normal((M, M))
    by2 += by2.T
    shapes = [means.shape, variances.shape, Z.shape, (2 + 2 * n_components,)]
    cuts = np.cumsum([np.prod(shape) for shape in shapes])[:-1]

    def statistics(x):
        parts = [p.reshape(s) for p, s in zip(np.split(x, cuts), shapes, strict=True)]
        return PsiStatistics(*parts[:3], KernelParams.unpack(parts[3]))

    def value(x):
        psi = statistics(x)
        return 0.7 * psi.psi0 + np.vdot(by1, psi.psi1) + np.vdot(by2, psi.psi2)

    x = np.concatenate([means.ravel(), variances.ravel(), Z.ravel(), params.pack()])
    gradient = statistics(x).gradient(0.7, by1, by2)
    result = np.concatenate(
        [getattr(gradient, name).ravel() for name in ("means", "variances", "inducing", "logs")]
    )
    numeric = [(value(x + e) - value(x - e)) / 2e-5 for e in 1e-5 * np.eye(len(x))]
    assert_allclose(result, numeric, rtol=1e-5, atol=1e-8 * np.abs(result).max())
