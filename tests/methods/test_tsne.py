import os

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from openTSNE.affinity import PerplexityBasedNN
from openTSNE.tsne import kl_divergence_bh
from scipy.optimize import approx_fprime
from scipy.spatial.distance import pdist, squareform
from sklearn import manifold

from nldr.methods.tsne import EXACT_UP_TO, TSNE, _gradient_method, exact_gradient

# Three normal clusters of 20 points, about 49 apart
RNG = np.random.default_rng(int(os.environ.get("NLDR_TEST_SEED", 0)))
CLUSTERS = RNG.standard_normal((60, 6)) + 20 * np.repeat([[1], [0], [-1]], 20, axis=0)


@pytest.fixture(scope="module", params=[2, 3, 4])
def fitted(request):
    """Fit in two, three and four dimensions; the last two use the exact gradient."""
    return TSNE(request.param, perplexity=5, n_iter=250, random_state=0).fit(CLUSTERS)


def student_divergence(Y, P, degrees_of_freedom):
    """Return the KL divergence of t-SNE with Student's t distribution, from its definition."""
    k = (1 + pdist(Y, "sqeuclidean") / degrees_of_freedom) ** (-(degrees_of_freedom + 1) / 2)
    q, p = k / (2 * k.sum()), squareform(P, checks=False)
    positive = p > 0
    return 2 * np.sum(p[positive] * np.log(p[positive] / q[positive]))


def affinities(n_samples, rng):
    return PerplexityBasedNN(rng.standard_normal((n_samples, 10)), perplexity=5, method="exact")


@pytest.mark.parametrize("n_components", [1, 2, 5])
@pytest.mark.parametrize("dof", [1, 1.5, 3])
def test_exact_gradient_is_derivative_of_divergence(n_components, dof, rng):
    P = affinities(30, rng).P
    Y = rng.standard_normal((30, n_components))
    divergence, gradient = exact_gradient(Y, P, dof, should_eval_error=True)
    # openTSNE's kernel is Student's t distribution for an embedding larger by √(α/ν).
    nu = 2 * dof - 1
    scale = np.sqrt(nu / dof)

    def expected(flat):
        return student_divergence(scale * flat.reshape(Y.shape), P.toarray(), nu)

    assert divergence == pytest.approx(expected(Y.ravel()), rel=1e-10)
    slopes = approx_fprime(Y.ravel(), expected, 1e-7).reshape(Y.shape)
    assert_allclose(4 * gradient, slopes, atol=1e-5 * np.abs(slopes).max())


@pytest.mark.parametrize("n_samples", [20, 300])
@pytest.mark.parametrize("n_components", [2, 3])
def test_exact_gradient_equals_barnes_hut_without_approximation(n_samples, n_components, rng):
    of_data = affinities(n_samples, rng)
    reference = rng.standard_normal((n_samples, n_components))
    points = rng.standard_normal((7, n_components))
    to_data = of_data.to_new(rng.standard_normal((7, 10)))
    for Y, P, others in ((reference, of_data.P, None), (points, to_data, reference)):
        arguments = {"reference_embedding": others, "should_eval_error": True}
        exact = exact_gradient(Y, P, 1.5, **arguments)
        tree = kl_divergence_bh(Y, P, 1.5, {"theta": 0}, **arguments)
        assert exact[0] == pytest.approx(tree[0], rel=1e-9)
        assert_allclose(exact[1], tree[1], atol=1e-12 * np.abs(tree[1]).max())


def test_gradient_method_depends_on_dimension_and_number_of_points():
    assert _gradient_method(100, 2) == "auto"
    assert _gradient_method(EXACT_UP_TO, 3) is exact_gradient
    assert _gradient_method(EXACT_UP_TO + 1, 3) == "bh"
    assert _gradient_method(EXACT_UP_TO + 1, 4) is exact_gradient


def test_divergence_is_that_of_the_embedding_whose_bounding_box_is_centered(fitted):
    assert_allclose(fitted.embedding_.max(axis=0), -fitted.embedding_.min(axis=0), rtol=1e-9)
    n_components = fitted.n_components
    nu = max(n_components - 1, 1)
    Y = fitted.embedding_ * np.sqrt(nu / ((nu + 1) / 2))
    expected = student_divergence(Y, fitted.tsne_.affinities.P.toarray(), nu)
    # Barnes-Hut approximates the normalization in two dimensions.
    assert fitted.kl_divergence_ == pytest.approx(expected, rel=0.03 if n_components < 3 else 1e-9)


@pytest.mark.parametrize("n_components", [2, 3])
def test_optimum_is_as_good_as_that_of_scikit_learn(n_components, rng):
    # With n = 3 perplexity + 1, the neighbors are all other points and the objectives are equal.
    X = rng.standard_normal((61, 4))
    ours = TSNE(n_components, perplexity=20, random_state=0).fit(X)
    # The default learning rate of scikit-learn, 50, does not converge here.
    theirs = manifold.TSNE(
        n_components, perplexity=20, learning_rate=20, method="exact", random_state=0
    ).fit(X)
    # Both find local optima.
    assert ours.kl_divergence_ < 1.05 * theirs.kl_divergence_


def test_automatic_learning_rate_is_number_of_points_over_exaggeration():
    # Early exaggeration alone, by 12
    auto, same, low = (
        TSNE(perplexity=5, n_iter=0, learning_rate=rate, random_state=0).fit_transform(CLUSTERS)
        for rate in ("auto", 60 / 12, 0.1)
    )
    assert_array_equal(same, auto)
    assert np.ptp(low) < np.ptp(auto)


def test_start_is_by_principal_components_if_there_are_enough():
    X = CLUSTERS[:, :2]
    # Early exaggeration alone, from the same start but for a jitter
    starts = [
        TSNE(2, perplexity=5, n_iter=0, random_state=seed).fit_transform(X) for seed in (0, 1)
    ]
    assert np.corrcoef(starts[0].ravel(), starts[1].ravel())[0, 1] > 0.99


@pytest.mark.parametrize("shape", [(30, 1), (4, 3), (30, 3)])
def test_more_components_than_features_and_few_samples_are_allowed(shape, rng):
    X = rng.standard_normal(shape)
    tsne = TSNE(4, perplexity=1, n_iter=20, random_state=0).fit(X)
    assert tsne.embedding_.shape == (shape[0], 4)
    assert np.isfinite(tsne.embedding_).all()


def test_perplexity_of_new_rows_is_not_above_that_of_the_fit():
    model = TSNE(perplexity=2, n_iter=50, random_state=0).fit(CLUSTERS)
    new = CLUSTERS[::6] + 0.1
    expected = model.tsne_.transform(new, perplexity=2)
    assert_array_equal(model.transform(new), expected)
    assert np.any(model.tsne_.transform(new, perplexity=5) != expected)
