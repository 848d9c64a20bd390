"""DREAMS: between t-SNE and PCA, by the gradient of its loss."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from scipy.sparse import csr_array
from sklearn.decomposition import PCA

from nldr.methods import DREAMS, TSNE
from nldr.methods.dreams import _pulled
from nldr.methods.tsne import exact_gradient
from nldr.metrics.alignment import procrustes

X = np.random.default_rng(0).normal(size=(80, 5)) + 9 * np.repeat(np.eye(5)[:4], 20, axis=0)
FAST = {"perplexity": 5, "n_iter": 100, "random_state": 0}


def test_without_pull_it_is_t_sne():
    ours, theirs = DREAMS(strength=0, **FAST).fit(X), TSNE(**FAST).fit(X)
    assert_array_equal(ours.embedding_, theirs.embedding_)
    assert ours.kl_divergence_ == theirs.kl_divergence_
    # New rows are placed without the pull
    pulled = DREAMS(strength=0.5, **FAST).fit(X)
    expected = pulled.tsne_.transform(X[:3] + 0.1, perplexity=5)
    assert_array_equal(pulled.transform(X[:3] + 0.1), expected)


def test_the_stronger_the_pull_the_closer_to_pca():
    components = PCA(2).fit_transform(X)
    strengths = (0, 0.02, 0.2, 0.8, 1)
    distances = [
        procrustes(components, DREAMS(strength=strength, **FAST).fit_transform(X))
        for strength in strengths
    ]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 1e-6 < distances[-2]


def test_gradient_is_that_of_the_loss(rng):
    n, strength = 12, 0.3
    Y, reference = rng.normal(size=(2, n, 2))
    P = rng.uniform(size=(n, n)) * (1 - np.eye(n))
    P = csr_array((P + P.T) / (P + P.T).sum())
    alpha = np.linalg.norm(Y) / np.linalg.norm(reference)

    def loss(flat):
        points = flat.reshape(n, 2)
        divergence = exact_gradient(points, P, 1.0, should_eval_error=True)[0]
        pull = np.sum((points - alpha * reference) ** 2) / n
        return (1 - strength) * divergence + strength * pull

    gradient = _pulled(exact_gradient, reference, strength)(Y, P, 1.0)[1]
    assert_allclose(4 * gradient.ravel(), approx_fprime(Y.ravel(), loss), rtol=0, atol=1e-6)
