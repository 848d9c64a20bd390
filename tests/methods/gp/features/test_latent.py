"""The interface that all models share, against other implementations and quadrature."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from nldr.methods.gp.bayesian_gplvm import BayesianGPLVM
from nldr.methods.gp.gplvm import GPLVM
from nldr.methods.gp.inducing._bound import whiten
from nldr.methods.gp.inducing._kernel import cross_covariance, inducing_root
from nldr.methods.gp.lolagp import LolaGP

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# Noisy observations of three quarters of a circle
RNG = np.random.default_rng(0)
ANGLE = np.sort(RNG.uniform(0, 1.5 * np.pi, 50))
DATA = np.column_stack([np.cos(ANGLE), np.sin(ANGLE)]) @ RNG.standard_normal((2, 4)) * 3 + 5
DATA += 0.3 * RNG.standard_normal((50, 4))
TRAIN, NEW = DATA[::2], DATA[1::2]
MODELS = {
    "exact": GPLVM(init="pca", max_iter=60, tol=None),
    "exact, with prior": GPLVM(init="pca", prior="gaussian", max_iter=10, tol=None),
    "bayesian": BayesianGPLVM(n_inducing=10, max_iter=100, random_state=0),
    "lolagp": LolaGP(n_inducing=10, max_iter=60, random_state=0),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param].fit(TRAIN)


@pytest.fixture(scope="module")
def grid(model):
    """Return a grid of latent points, the logarithm of a cell's area, and log p(y|x)p(x)."""
    center, scale = model._posterior.mean, model._posterior.scale
    line = np.linspace(-4.5, 4.5, 161)
    points = center + np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2) * scale
    means, deviations = model.inverse_transform(points, return_std=True)
    residuals = (NEW[:, None] - means) / deviations
    density = -0.5 * np.square(residuals).sum(axis=2) - np.log(deviations).sum(axis=1)
    density -= 0.5 * NEW.shape[1] * np.log(2 * np.pi)
    prior = multivariate_normal(center, model._posterior.covariance).logpdf(points)
    area = 2 * np.log(line[1] - line[0]) + np.log(scale).sum()
    return points, area, prior, density + prior


def test_evidence_equals_quadrature(model, grid):
    _, area, _, joint = grid
    assert_allclose(model.score_samples(NEW), logsumexp(joint, axis=1) + area, atol=0.05)
    assert model.score(NEW) == pytest.approx(model.score_samples(NEW).mean())


def test_modes_and_covariances_equal_those_of_the_grid(model, grid):
    points, _, _, joint = grid
    weights = np.exp(joint - logsumexp(joint, axis=1)[:, None])
    result, covariances = model.transform(NEW, return_cov=True)
    # No grid point is more probable than the mode
    value = model._posterior.log_joint(result, NEW)[0]
    assert (value > joint.max(axis=1) - 1e-6 * np.abs(value)).mean() > 0.9
    # Laplace's approximation, where the posterior is compact
    means = weights @ points
    spread = np.einsum("ng,gq,gr->nqr", weights, points, points)
    spread -= means[:, :, None] * means[:, None]
    compact = np.sqrt(np.linalg.det(spread)) < 0.02 * np.prod(model._posterior.scale)
    assert compact.any()
    offset = np.linalg.solve(np.linalg.cholesky(spread), (result - means)[:, :, None])
    assert np.median(np.linalg.norm(offset[compact, :, 0], axis=1)) < 0.5
    ratio = np.linalg.det(covariances[compact]) / np.linalg.det(spread[compact])
    assert 0.5 < np.median(ratio) < 1.5


def test_samples_have_the_moments_of_the_model(model, grid):
    points, area, prior, _ = grid
    weights = np.exp(prior + area)
    means, deviations = model.inverse_transform(points, return_std=True)
    expected = weights @ means
    variance = weights @ (np.square(deviations) + np.square(means)) - expected**2
    draws = model.sample(4000, random_state=0)
    assert_allclose(draws.mean(axis=0), expected, atol=4 * np.sqrt(variance.max() / 4000))
    assert_allclose(draws.var(axis=0), variance, rtol=0.15)
    assert_array_equal(model.sample(3, random_state=1), model.sample(3, random_state=1))


def test_training_rows_have_covariances(model):
    covariances = model.transform(TRAIN, return_cov=True)[1]
    assert (np.linalg.eigvalsh(covariances) > 0).all()
    if hasattr(model, "variances_"):
        assert_array_equal(np.diagonal(covariances, axis1=1, axis2=2), model.variances_)


def test_latent_points_of_other_dimension_raise(model):
    with pytest.raises(ValueError, match="X has 3 columns, but latent points have 2"):
        model.inverse_transform(np.zeros((1, 3)))


@pytest.mark.parametrize("model", ["lolagp"], indirect=True)
def test_predictions_from_inducing_points_equal_the_joint_normal_distribution(model, rng):
    points = rng.standard_normal((5, 2))
    params, Z = model.kernel_f_, model.inducing_inputs_
    root, scale = inducing_root(Z, params)[0], np.sqrt(TRAIN.var(axis=0).mean())
    # Covariances K_NM K_MM⁻¹ K_MN of training and new points, without any reduction
    V = whiten(root, cross_covariance(np.vstack([model.embedding_, points]), Z, params)[0].T)
    Q, n = V.T @ V, len(TRAIN)
    gain = Q[n:, :n] @ np.linalg.inv(Q[:n, :n] + np.eye(n) / model.noise_precision_)
    means, deviations = model.inverse_transform(points, return_std=True)
    assert_allclose(means, TRAIN.mean(axis=0) + gain @ (TRAIN - TRAIN.mean(axis=0)), rtol=1e-6)
    own = params.variance + params.white + np.square(points) @ params.linear
    variances = own + 1 / model.noise_precision_ - np.einsum("ij,ij->i", gain, Q[n:, :n])
    assert_allclose(deviations, scale * np.sqrt(variances)[:, None].repeat(4, 1), rtol=1e-6)


def test_relevance_is_the_share_of_the_means_that_a_column_carries(model):
    flat = model.embedding_.copy()
    flat[:, 1] = flat[:, 1].mean()
    fitted, without = model.inverse_transform(model.embedding_), model.inverse_transform(flat)
    expected = np.square(fitted - without).sum() / (len(fitted) * fitted.var(axis=0).sum())
    assert model.relevance_[1] == pytest.approx(expected)
