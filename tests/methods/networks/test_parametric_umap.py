import ast
from pathlib import Path
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import umap
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import curve_fit
from sklearn.neighbors import NearestNeighbors
from umap.umap_ import fuzzy_simplicial_set

from nldr.methods.networks.parametric_umap import (
    ParametricUMAP,
    cross_entropy,
    curve_parameters,
    draw_positions,
    fuzzy_graph,
    umap_learn_loss,
)


def identity(Y):
    """A network whose weights are the coordinates themselves."""
    return Y


@pytest.mark.parametrize("copies", [1, 6])
def test_graph_is_that_of_umap_learn(rng, copies):
    # With copies of points, whose distance is 0, as many as there are neighbors
    X = np.repeat(rng.standard_normal((30, 4)), copies, axis=0)
    distances, indices = NearestNeighbors(n_neighbors=6).fit(X).kneighbors(X)
    expected, _, _ = fuzzy_simplicial_set(
        X, 6, None, "euclidean", knn_indices=indices, knn_dists=distances.astype(np.float32)
    )
    assert_allclose(fuzzy_graph(X, 6).toarray(), expected.toarray(), atol=1e-4)


@pytest.mark.parametrize("min_dist", [0.0, 0.3])
def test_curve_is_the_least_squares_fit_to_the_target(min_dist):
    d = np.linspace(0, 3, 300)
    target = np.where(d < min_dist, 1, np.exp(-(d - min_dist)))
    expected, _ = curve_fit(lambda d, a, b: 1 / (1 + a * d ** (2 * b)), d, target)
    assert_allclose(curve_parameters(min_dist), expected, rtol=1e-3)


@pytest.fixture
def batch_and_distances(rng):
    """Return data and batch of a loss, and the distances of its edges and other pairs."""
    Y = rng.standard_normal((20, 2))
    heads, tails = np.array([0, 3, 5]), np.array([1, 4, 9])
    others = np.array([[1, 2, 0], [2, 2, 1]])

    def softened(i, j):
        return np.sqrt(np.sum((Y[i] - Y[j]) ** 2, axis=-1) + 1e-3)

    distances = [softened(heads, tails), *(softened(heads, tails[row]) for row in others)]
    data = jnp.float32(Y), jnp.array([1.5, 0.9])
    return data, (heads, tails, others), np.concatenate(distances)


IS_EDGE = np.repeat([1.0, 0.0], [3, 6])


def test_loss_is_the_cross_entropy(batch_and_distances):
    data, batch, distances = batch_and_distances
    q = 1 / (1 + 1.5 * distances**1.8)
    expected = -np.mean(np.where(IS_EDGE, np.log(q), np.log(1 - q)))
    assert cross_entropy(identity, data, batch) == pytest.approx(expected, rel=1e-5)


def umap_learn_functions(*names):
    """Return functions of umap-learn's module for networks, which only TensorFlow can import.

    Their Keras operations are replaced by those of JAX.
    """
    source = Path(umap.__file__).with_name("parametric_umap.py").read_text(encoding="utf-8")
    values = [node for node in ast.parse(source).body if getattr(node, "name", "") in names]
    namespace = {"ops": SimpleNamespace(log1p=jnp.log1p, log_sigmoid=jax.nn.log_sigmoid)}
    exec(compile(ast.Module(values, []), "parametric_umap.py", "exec"), namespace)
    return [namespace[name] for name in names]


def test_loss_of_umap_learn_is_that_of_its_code(batch_and_distances):
    data, batch, distances = batch_and_distances
    log_probability, entropy = umap_learn_functions(
        "convert_distance_to_log_probability", "compute_cross_entropy"
    )
    theirs = entropy(IS_EDGE, log_probability(jnp.asarray(distances), 1.5, 0.9))[2]
    ours = umap_learn_loss(identity, data, batch)
    assert ours == pytest.approx(float(theirs.mean()), rel=1e-5)
    # It is not the cross-entropy of q, but that of q / (1 + q)
    q = 1 / (1 + 1.5 * distances**1.8)
    q = q / (1 + q)
    assert ours == pytest.approx(-np.mean(np.where(IS_EDGE, np.log(q), np.log(1 - q))), rel=1e-5)


@pytest.mark.parametrize("loss", [cross_entropy, umap_learn_loss])
def test_gradient_is_finite_for_coincident_points(loss):
    batch = np.array([0, 1]), np.array([1, 2]), np.array([[1, 0]])
    curve = jnp.array([1.5, 0.9])
    gradient = jax.jit(jax.grad(lambda Y: loss(identity, (Y, curve), batch)))
    assert_array_equal(gradient(jnp.zeros((3, 2))), np.zeros((3, 2)))


def test_draws_follow_the_weights():
    draws = draw_positions(np.array([1.0, 0.0, 3.0]), 40000, np.random.RandomState(0))
    counts = np.bincount(draws)
    assert counts[1] == 0
    assert counts[2] / 40000 == pytest.approx(0.75, abs=0.01)


def test_an_epoch_draws_the_heaviest_edge_once_on_average(blobs):
    model = ParametricUMAP(
        n_neighbors=5, hidden=(8,), batch_size=10, n_epochs=1, validation_fraction=0
    ).fit(blobs)
    n_edges = model.graph_.data.sum() / model.graph_.data.max()
    assert model.n_steps_ == round(round(n_edges) / 10)
