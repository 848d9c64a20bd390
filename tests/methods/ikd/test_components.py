import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from nldr.methods.ikd._components import embed_distances, side_by_side_shifts


def test_min_max_and_min_mean_references():
    Z = np.array([-4.0, 4.5, 4.0, 3.9, 0.3, 4.2])[:, np.newaxis]
    D = cdist(Z, Z, "sqeuclidean")
    assert embed_distances(D.copy(), 1, "min_max").reference == D.max(axis=1).argmin() == 4
    assert embed_distances(D.copy(), 1, "min_mean").reference == D.mean(axis=1).argmin() == 3


def test_explained_share_is_one_minus_the_relative_squared_error(rng):
    Z = rng.normal(size=(40, 5))
    gram = (Z - Z.mean(axis=0)) @ (Z - Z.mean(axis=0)).T
    component = embed_distances(cdist(Z, Z, "sqeuclidean"), 2, "center")
    error = np.linalg.norm(gram - component.embedding @ component.embedding.T) ** 2
    assert component.explained_share == pytest.approx(1 - error / np.linalg.norm(gram) ** 2)


def test_more_dimensions_than_points_gives_columns_of_zeros():
    component = embed_distances(np.array([[0.0, 4.0], [4.0, 0.0]]), 3, "center")
    assert_allclose(np.abs(component.embedding), [[1, 0, 0], [1, 0, 0]])


def test_side_by_side_embeddings_do_not_overlap_and_single_points_are_one_apart():
    lines = [np.array([[0.0], [4.0]]), np.array([[0.0], [2.0]]), np.array([[1.0], [2.0]])]
    # Gaps are a quarter of the longest line
    assert_array_equal(side_by_side_shifts(lines), [0, 5, 7])
    assert_array_equal(side_by_side_shifts([np.zeros((1, 2))] * 3), [0, 1, 2])
