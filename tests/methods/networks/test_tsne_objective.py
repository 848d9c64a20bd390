from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from openTSNE.affinity import PerplexityBasedNN
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from scipy.special import xlogy

from nldr.methods.networks._network import glorot
from nldr.methods.networks._training import equal_batches
from nldr.methods.networks._tsne_objective import (
    affinities,
    kl_loss,
    released_loss,
    sub_affinities,
)
from nldr.methods.tsne import exact_gradient


def symmetric(upper):
    return (upper + upper.T).toarray()


def identity(Y):
    """A network whose weights are the coordinates themselves."""
    return Y


@pytest.fixture
def affinity_batch(rng):
    """Upper triangle of the affinities of 30 points, and the batch of all of them."""
    upper = affinities(rng.standard_normal((30, 10)), 5)
    rows = np.arange(30)
    return upper, (rows, sub_affinities(upper, rows[np.newaxis])[0], np.float32(1))


@pytest.mark.parametrize("n_components", [1, 2, 5])
def test_kl_loss_of_all_rows_equals_tsne(n_components, affinity_batch, rng):
    upper, batch = affinity_batch
    Y = rng.standard_normal((30, n_components)).astype(np.float32)
    value, gradient = jax.jit(jax.value_and_grad(partial(kl_loss, identity)))(Y, batch)
    # openTSNE's kernel with α is Student's t with ν degrees of freedom of √(ν/α) Y
    nu = max(n_components - 1, 1)
    alpha = (nu + 1) / 2
    scale = np.sqrt(alpha / nu)
    scaled = np.asarray(Y, np.float64) * scale
    P = csr_matrix(symmetric(upper))
    divergence, quarter = exact_gradient(scaled, P, alpha, should_eval_error=True)
    assert value == pytest.approx(divergence, abs=1e-5)
    assert_allclose(gradient, 4 * quarter * scale, atol=1e-5)


@pytest.mark.parametrize("exaggeration", [1.0, 4.0])
def test_gradient_of_a_batch_satisfies_equations_5_and_8(exaggeration, rng):
    X = rng.standard_normal((50, 6)).astype(np.float32)
    network = glorot((6, 20, 2), "leaky_relu", np.random.RandomState(0))
    upper = affinities(X, 5)
    rows = equal_batches(np.arange(50), 20, np.random.RandomState(0))
    batch = rows[1], sub_affinities(upper, rows)[1], np.float32(exaggeration)
    ours = jax.jit(jax.grad(kl_loss))(network, X, batch)
    # Eq. 5, the gradient with respect to the coordinates
    Y, pull_back = jax.vjp(lambda network: network(X[rows[1]]), network)
    p = symmetric(upper)[np.ix_(rows[1], rows[1])]
    w = 1 / (1 + cdist(Y, Y, "sqeuclidean"))
    q = w - np.eye(len(w))
    weights = (exaggeration * p / p.sum() - q / q.sum()) * w
    slopes = 4 * (weights.sum(axis=1, keepdims=True) * np.asarray(Y) - weights @ np.asarray(Y))
    # Eq. 8, the gradient with respect to the weights
    expected = pull_back(slopes.astype(np.float32))[0]
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(expected), strict=True):
        assert_allclose(a, b, atol=1e-5)


def test_released_loss_equals_its_definition(affinity_batch, rng):
    upper, (rows, p, _) = affinity_batch
    Y = rng.standard_normal((30, 2)).astype(np.float32)
    P = symmetric(upper)
    w = 1 / (1 + cdist(Y, Y, "sqeuclidean"))
    expected = np.sum(xlogy(4 * P, 4 * P) - 4 * P * np.log(w / w.sum()))
    loss = released_loss(identity, jnp.asarray(Y), (rows, p, np.float32(4)))
    assert loss == pytest.approx(expected, rel=1e-5)


def test_kl_loss_of_a_batch_without_neighbors_is_zero(affinity_batch, rng):
    _, (rows, p, factor) = affinity_batch
    Y = rng.standard_normal((30, 2)).astype(np.float32)
    loss = jax.jit(jax.value_and_grad(partial(kl_loss, identity)))
    value, gradient = loss(Y, (rows, 0 * p, factor))
    assert value == 0
    assert_array_equal(gradient, np.zeros((30, 2)))


def test_affinities_equal_those_of_opentsne(blobs):
    upper = affinities(blobs, 7)
    assert_allclose(symmetric(upper), PerplexityBasedNN(blobs, 7, method="exact").P.toarray())
    assert 2 * upper.sum() == pytest.approx(1)


@pytest.mark.parametrize("batch_size", [7, 90])
def test_sub_affinities_are_blocks_of_the_matrix(batch_size, blobs):
    upper = affinities(blobs, 7)
    rows = equal_batches(np.arange(3, 90), batch_size, np.random.RandomState(0))
    blocks = sub_affinities(upper, rows)
    assert blocks.dtype == np.float32
    for batch, block in zip(rows, blocks, strict=True):
        assert_allclose(block, symmetric(upper)[np.ix_(batch, batch)], rtol=1e-6)
