import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist

from nldr.kernels import SquaredExponential
from nldr.methods.ikd._out_of_sample import extend_paths, trilaterate

KERNEL = SquaredExponential()


def edge_lengths(Z):
    lengths = cdist(Z, Z)
    lengths[lengths > 2.0] = np.inf
    return lengths


def shortest_paths(lengths):
    return shortest_path(np.where(np.isfinite(lengths), lengths, 0), directed=False)


def test_paths_of_a_new_point_equal_those_of_the_whole_graph(rng):
    lengths = edge_lengths(rng.uniform(0, 10, (80, 2)))
    paths = shortest_paths(lengths[:-1, :-1])
    assert_allclose(extend_paths(lengths[-1:, :-1], paths)[0], shortest_paths(lengths)[-1, :-1])


@pytest.mark.parametrize("threshold", [0.3, 0.9])
def test_trilateration_of_exact_similarities_is_exact(rng, threshold):
    Z, new = rng.uniform(-1, 1, (60, 3)), rng.uniform(-1, 1, (10, 3))
    similarity = KERNEL(cdist(new, Z, "sqeuclidean"))
    coordinates = trilaterate(similarity, Z, np.zeros(60, dtype=int), KERNEL, threshold)
    assert_allclose(coordinates, new, atol=1e-8)


def test_trilateration_uses_only_the_component_of_the_most_similar_point():
    Z = np.vstack([np.eye(3), 50 + np.eye(3)])
    similarity = np.array([[0.9, 0.8, 0.7, 0.85, 0.85, 0.85]])
    coordinates = trilaterate(similarity, Z, np.repeat([0, 1], 3), KERNEL, 0.3)
    assert np.abs(coordinates).max() < 3


def test_trilateration_from_one_point_returns_that_point():
    Z = np.array([[3.0, 4.0], [0.0, 0.0]])
    similarity = np.array([[0.9, 1e-3]])
    assert_allclose(trilaterate(similarity, Z, np.array([0, 1]), KERNEL, 0.3), Z[:1])
