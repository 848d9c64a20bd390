import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from sklearn import manifold

from nldr.methods.spectral.laplacian import LaplacianEigenmaps
from nldr.neighborhoods.graphs import knn_graph


@pytest.mark.parametrize("n_components", [1, 4])
def test_equals_scikit_learn(n_components, roll):
    ours = LaplacianEigenmaps(n_components).fit_transform(roll)
    theirs = manifold.SpectralEmbedding(
        n_components, n_neighbors=13, affinity="nearest_neighbors", random_state=5
    ).fit_transform(roll)
    # Signs may differ where two entries of a column have nearly the same magnitude.
    signs = np.sign(np.sum(ours * theirs, axis=0))
    assert_allclose(ours, signs * theirs, atol=1e-9 * np.abs(theirs).max())


@pytest.mark.parametrize("weights", ["mean", "union"])
def test_solves_eigenproblem(weights, roll):
    graph = knn_graph(roll, 12).toarray()
    W = (graph + graph.T) / 2 if weights == "mean" else np.maximum(graph, graph.T)
    D = np.diag(W.sum(axis=1))
    values, vectors = eigh(D - W, D)
    embedding = LaplacianEigenmaps(3, weights=weights).fit_transform(roll)
    assert_allclose((D - W) @ embedding, D @ embedding * values[1:4], atol=1e-8)
    assert_allclose(np.abs(vectors[:, 1:4].T @ D @ embedding), np.eye(3), atol=1e-8)


def test_ring_becomes_circle():
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    embedding = LaplacianEigenmaps(n_neighbors=2).fit_transform(X)
    radius = np.linalg.norm(embedding, axis=1)
    assert_allclose(radius, radius[0])


@pytest.mark.filterwarnings("ignore:the neighborhood graph")
def test_components_collapse_to_points(two_clusters):
    maps = LaplacianEigenmaps(1, disconnected="warn")
    embedding = maps.fit_transform(two_clusters)
    assert maps.added_edges_.shape == (0, 2)
    assert_allclose(embedding[:30], embedding[0, 0], atol=1e-6)
    assert_allclose(embedding[30:], embedding[30, 0], atol=1e-6)
