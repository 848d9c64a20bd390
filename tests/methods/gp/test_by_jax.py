"""The Bayesian GPLVM's bound and its gradient, against automatic differentiation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nldr.methods.gp.bayesian_gplvm import BayesianBound, MaskedBayesianBound
from nldr.methods.gp.inducing._kernel import JITTER
from nldr.methods.gp.missing import Observations
from nldr.methods.gp.variational import _psi_statistics

jax = pytest.importorskip("jax")
jnp = jax.numpy


def statistics(m, s, Z, k):
    """Return E[k(x, x)], E[φ] and E[φφᵀ] of each row, with x ~ N(m, diag s)."""
    variance, white, a, linear = k[0], k[1], k[2 : 2 + Z.shape[1]], k[2 + Z.shape[1] :]

    def expected(power, center):
        """Return the mean of exp(−½ power Σ a (x − center)²), and the mean of x under it."""
        rho = 1 / (1 + power * a * s)
        logs = 0.5 * (jnp.log(rho) - power * a * rho * (m - center) ** 2).sum(axis=1)
        return jnp.exp(logs), rho * m + (1 - rho) * center

    psi0 = variance + white + (m**2 + s) @ linear
    weights, tilted = jax.vmap(lambda z: expected(1.0, z))(Z)  # inducing points first
    se1 = variance * weights
    scaled = Z * linear
    steps = Z[:, None] - Z[None]
    pairs = jax.vmap(jax.vmap(lambda z, w: expected(2.0, (z + w) / 2)[0]))
    first, second = jnp.broadcast_arrays(Z[:, None], Z[None])
    se2 = variance**2 * jnp.exp(-0.25 * (steps**2 @ a))[:, :, None] * pairs(first, second)
    cross = jnp.einsum("in,inq,jq->ijn", se1, tilted, scaled)
    flat = scaled @ m.T
    spread = jnp.einsum("iq,nq,jq->ijn", scaled, s, scaled)
    psi2 = se2 + cross + cross.swapaxes(0, 1) + flat[:, None] * flat[None] + spread
    return psi0, (se1 + flat).T, psi2


def bound(parts, Y, is_observed):
    """Return the bound of Titsias and Lawrence, a sum over features and their observed rows."""
    m, log_s, Z, logs, log_b = parts
    s, k, b = jnp.exp(log_s), jnp.exp(logs), jnp.exp(log_b)
    a, linear, size = k[2 : 2 + Z.shape[1]], k[2 + Z.shape[1] :], len(Z)
    psi0, psi1, psi2 = statistics(m, s, Z, k)
    distances = ((Z[:, None] - Z[None]) ** 2) @ a
    A = k[0] * jnp.exp(-0.5 * distances) + (Z * linear) @ Z.T
    A += (k[1] + JITTER * jnp.trace(A) / size) * jnp.eye(size)

    def misfit(y, seen):
        """Return minus twice the part of a feature; ``y`` is 0 where it is not observed."""
        S, c = psi2 @ seen, psi1.T @ y
        log_det = jnp.linalg.slogdet(A + b * S)[1] - jnp.linalg.slogdet(A)[1]
        explained = b**2 * c @ jnp.linalg.solve(A + b * S, c)
        trace = b * (psi0 @ seen - jnp.trace(jnp.linalg.solve(A, S)))
        return seen.sum() * jnp.log(2 * jnp.pi / b) + log_det + b * y @ y - explained + trace

    divergence = (m**2 + s - log_s - 1).sum()
    return -0.5 * (divergence + jax.vmap(misfit)(Y.T, is_observed.T).sum())


compiled = jax.jit(jax.value_and_grad(bound))


@pytest.mark.parametrize("lost", [False, True])
def test_bound_and_gradient_equal_those_of_automatic_differentiation(rng, lost, monkeypatch):
    n, q, size, d = 9, 2, 5, 4
    is_observed = np.ones((n, d), dtype=bool)
    if lost:  # two features miss the same row, and two others rows of their own
        is_observed[2, :2] = False
        is_observed[[5, 6], [2, 3]] = False
    Y = np.where(is_observed, rng.standard_normal((n, d)), 0.0)
    ours = BayesianBound(Y, d, size, q)
    if lost:
        ours = MaskedBayesianBound(Observations(Y, is_observed, np.zeros(d), 1.0), size, q)
    parts = (
        rng.standard_normal((n, q)),
        rng.uniform(-3, 0, (n, q)),
        rng.standard_normal((size, q)),
        rng.uniform(-1, 0.5, 2 + 2 * q),
        1.0,
    )
    with jax.enable_x64(True):
        expected, slopes = compiled(parts, Y, is_observed.astype(float))
        slopes = [np.asarray(slope) for slope in slopes]
    for size in (2**17, 40):  # all rows at a time, or a few
        monkeypatch.setattr(_psi_statistics, "BLOCK_SIZE", size)
        value, gradient = ours(ours.join(*parts))
        assert value == pytest.approx(float(expected), rel=1e-10)
        assert_allclose(gradient, ours.join(*slopes), rtol=1e-8, atol=1e-8)
