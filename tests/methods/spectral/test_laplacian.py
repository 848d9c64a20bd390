import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh

from nldr.methods.spectral.laplacian import LaplacianEigenmaps
from nldr.neighborhoods.graphs import knn_graph


@pytest.mark.parametrize("weights", ["mean", "union"])
def test_solves_eigenproblem(weights, roll):
    graph = knn_graph(roll, 12).toarray()
    W = (graph + graph.T) / 2 if weights == "mean" else np.maximum(graph, graph.T)
    D = np.diag(W.sum(axis=1))
    values, vectors = eigh(D - W, D)
    embedding = LaplacianEigenmaps(3, weights=weights).fit_transform(roll)
    assert_allclose((D - W) @ embedding, D @ embedding * values[1:4], atol=1e-8)
    assert_allclose(np.abs(vectors[:, 1:4].T @ D @ embedding), np.eye(3), atol=1e-8)
