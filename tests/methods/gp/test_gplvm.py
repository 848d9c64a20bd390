import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn.decomposition import PCA

from nldr import kernels
from nldr.methods.gp.exact._likelihood import log_likelihood, log_prior
from nldr.methods.gp.gplvm import GPLVM
from nldr.methods.gp.kernels import NAMED, Linear, Stationary, White
from nldr.methods.ikd.ikd import IKD
from nldr.methods.spectral.isomap import Isomap
from nldr.metrics.alignment import r2_affine


def draw(rng, n_samples=40, n_features=60, kernel="squared_exponential", n_latent=2):
    """Return observations by noisy Gaussian processes of latent points, and the latent points."""
    latent = rng.standard_normal((n_samples, n_latent))
    K = NAMED[kernel]()(latent) + 0.05**2 * np.eye(n_samples)
    return np.linalg.cholesky(K) @ rng.standard_normal((n_samples, n_features)), latent


X, LATENT = draw(np.random.default_rng(0))
CENTERED = X - X.mean(axis=0)


@pytest.mark.parametrize("init", ["pca", "random"])
def test_linear_kernel_reaches_the_optimum_of_probabilistic_pca(init, rng):
    if init == "random":
        init = rng.standard_normal((40, 2))
    # The largest eigenvalues of YYᵀ/D are kept, and the noise is the mean of the others
    values, vectors = np.linalg.eigh(CENTERED @ CENTERED.T / 60)
    noise = values[:-2].mean()
    log_det = 38 * np.log(noise) + np.log(values[-2:]).sum()
    best = -0.5 * 60 * (40 * np.log(2 * np.pi) + log_det + 40)
    gplvm = GPLVM(kernel="linear", init=init, tol=1e-13).fit(X)
    assert gplvm.log_likelihood_ == pytest.approx(best, abs=1e-5)
    assert gplvm.noise_variance_ == pytest.approx(noise, rel=1e-4)
    assert gplvm.length_scale_ is None
    top, embedding = vectors[:, -2:], gplvm.embedding_
    assert_allclose(top @ (top.T @ embedding), embedding, atol=1e-3 * np.abs(embedding).max())


def test_progress_is_printed_in_units_of_the_data(monkeypatch, capsys):
    monkeypatch.setattr("nldr.methods.gp._progress.INTERVAL", 0.0)
    settings = {"init": "pca", "max_iter": 3, "tol": None}
    GPLVM(**settings).fit(7 * X)
    assert not capsys.readouterr().out
    gplvm = GPLVM(**settings, verbose=True).fit(7 * X)
    last = f"GPLVM: iteration 3, log density {gplvm.log_likelihood_:.6g}\n"
    assert capsys.readouterr().out.endswith(last)


@pytest.mark.parametrize("init", ["ikd", "isomap"])
def test_fit_ends_where_the_gradient_vanishes(init):
    gplvm = GPLVM(init=init, tol=1e-10, max_iter=3000).fit(X)
    value, *gradient = log_likelihood(gplvm.kernel_, gplvm.embedding_, CENTERED, 60)
    start = GPLVM(init=init, max_iter=1, tol=None).fit(X)
    _, *before = log_likelihood(start.kernel_, start.embedding_, CENTERED, 60)
    assert value == pytest.approx(gplvm.log_likelihood_)
    assert np.abs(gradient[0]).max() < 1e-2 * np.abs(before[0]).max()
    assert np.abs(gradient[1]).max() < 1e-2 * np.abs(before[1]).max()
    assert gplvm.converged_
    assert len(gplvm.history_) == gplvm.n_iter_ + 1 <= gplvm.n_evaluations_
    assert np.all(np.diff(gplvm.history_) >= -1e-8 * np.abs(gplvm.history_[0]))
    assert gplvm.history_[-1] == pytest.approx(gplvm.log_likelihood_)


@pytest.mark.parametrize("kernel", [n for n in NAMED if n not in ("linear", "white")])
def test_latent_points_are_recovered(kernel, rng):
    Y, latent = draw(rng, 60, 1000, kernel)
    gplvm = GPLVM(kernel=kernel).fit(Y)
    assert r2_affine(latent, gplvm.embedding_) > 0.98
    truth = NAMED[kernel]() + White(0.05**2)
    at_truth, _, _ = log_likelihood(truth, latent, Y - Y.mean(axis=0), 1000)
    assert gplvm.log_likelihood_ > at_truth
    assert gplvm.converged_


def test_fit_does_not_depend_on_scale_and_origin_of_the_data():
    one, other = (GPLVM(init="pca", max_iter=30, tol=None).fit(d) for d in (X, 1e3 * X + 5))
    assert_allclose(other.embedding_, one.embedding_, atol=1e-6)
    assert other.noise_variance_ == pytest.approx(1e6 * one.noise_variance_)
    assert other.kernel_.parts[0].variance == pytest.approx(1e6 * one.kernel_.parts[0].variance)
    assert other.log_likelihood_ == pytest.approx(one.log_likelihood_ - X.size * np.log(1e3))


def test_named_starts_equal_the_embeddings_of_these_methods():
    isomap = Isomap(2).fit_transform(X)
    ikd = IKD(2, variant="metric_geodesic", kernel="matern", similarity="auto")
    starts = {
        "ikd": ikd.fit_transform(X),
        "isomap": isomap / isomap.std(),
        "pca": PCA(2, whiten=True).fit_transform(X) * np.sqrt(40 / 39),
    }
    for init, points in starts.items():
        named, given = (
            GPLVM(kernel="matern", init=start, max_iter=2, tol=None).fit(X)
            for start in (init, points)
        )
        assert_allclose(named.history_, given.history_, rtol=1e-6)
        assert_allclose(named.embedding_, given.embedding_, atol=1e-5)


def test_parameters_of_kernel_objects_are_the_start():
    kernel = Stationary(kernels.SquaredExponential(), 2.0, 1.5) + White(0.5)
    gplvm = GPLVM(kernel=kernel, init=LATENT, max_iter=1, tol=None).fit(X)
    value, _, _ = log_likelihood(kernel, LATENT, X - X.mean(axis=0), 60)
    assert gplvm.history_[0] == pytest.approx(value, rel=1e-9)


def test_sums_have_the_named_terms_and_white_noise():
    gplvm = GPLVM(kernel="squared_exponential + linear", ard=True, max_iter=5, tol=None).fit(X)
    assert [type(part) for part in gplvm.kernel_.parts] == [Stationary, Linear, White]
    assert gplvm.length_scale_.shape == gplvm.kernel_.parts[1].variance.shape == (2,)


def test_log_density_includes_the_prior():
    gplvm, without = (
        GPLVM(prior=prior, init=LATENT, max_iter=5, tol=None).fit(X) for prior in ("gaussian", None)
    )
    assert gplvm.history_[0] == pytest.approx(without.history_[0] + log_prior(LATENT))
    density = gplvm.log_likelihood_ + log_prior(gplvm.embedding_)
    assert gplvm.history_[-1] == pytest.approx(density)
    expected = multivariate_normal(cov=np.eye(2)).logpdf(LATENT).sum()
    assert log_prior(LATENT) == pytest.approx(expected)


@pytest.mark.parametrize("failing", [2, 20])
def test_search_steps_back_from_singular_covariances(monkeypatch, failing):
    calls = []

    def fail_once(*arguments):
        calls.append(arguments)
        if len(calls) == failing:
            raise np.linalg.LinAlgError("not positive definite")
        return log_likelihood(*arguments)

    monkeypatch.setattr("nldr.methods.gp.gplvm.log_likelihood", fail_once)
    gplvm = GPLVM().fit(X)
    assert gplvm.converged_
    assert gplvm.log_likelihood_ > GPLVM(max_iter=30, tol=None).fit(X).log_likelihood_
