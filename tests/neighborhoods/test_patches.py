import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.manifold._locally_linear import barycenter_kneighbors_graph

from nldr.neighborhoods.graphs import knn_graph
from nldr.neighborhoods.patches import (
    barycentric_weights,
    hessian_matrix,
    neighbor_lists,
    reconstruction_matrix,
    smallest_vectors,
    tangent_matrix,
)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 5))
NONE = np.empty((0, 2), dtype=int)
MIXED = [RNG.choice(80, size, replace=False) for size in RNG.integers(9, 14, 40)]


def test_weights_equal_those_of_scikit_learn():
    ours = barycentric_weights(X, neighbor_lists(knn_graph(X, 7), NONE), X)
    assert_allclose(ours.toarray(), barycenter_kneighbors_graph(X, 7).toarray(), atol=1e-12)


def test_weights_reproduce_what_lies_between_in_lists_of_any_length():
    plane = RNG.standard_normal((30, 2))
    queries = 0.2 * RNG.standard_normal((5, 2))
    weights = barycentric_weights(plane, [np.arange(size) for size in (10, 20, 30, 20, 8)], queries)
    assert_allclose(weights.sum(axis=1), 1)
    assert_allclose(weights @ plane, queries, atol=2e-2)
    assert [row.count_nonzero() for row in weights] == [10, 20, 30, 20, 8]


def test_repeated_points_have_weights():
    weights = barycentric_weights(np.ones((4, 2)), [np.arange(1, 4)], np.ones((1, 2)))
    assert_allclose(weights.toarray(), [[0, 1 / 3, 1 / 3, 1 / 3]])


def test_reconstruction_costs_what_the_weights_miss():
    M = reconstruction_matrix(X, neighbor_lists(knn_graph(X, 7), NONE))
    W = barycenter_kneighbors_graph(X, 7).toarray()
    f = RNG.standard_normal(80)
    assert f @ (M @ f) == pytest.approx(np.square(f - W @ f).sum())


def local_coordinates(members):
    points = X[members] - X[members].mean(axis=0)
    return points @ np.linalg.svd(points)[2][:2].T


@pytest.mark.parametrize("hessian", [False, True])
def test_cost_of_a_function_is_that_of_regressions_on_the_patches(hessian):
    f = RNG.standard_normal(80)
    cost = 0.0
    for members in MIXED:
        a, b = local_coordinates(members).T
        affine = np.column_stack([np.ones(len(members)), a, b])
        quadratic = np.column_stack([affine, a * a, a * b, b * b])
        left = [
            np.square(f[members] - basis @ np.linalg.lstsq(basis, f[members])[0]).sum()
            for basis in (affine, quadratic)
        ]
        cost += left[0] - left[1] * hessian
    M = (hessian_matrix if hessian else tangent_matrix)(X, MIXED, 2)
    assert f @ (M @ f) == pytest.approx(cost)


def test_rows_themselves_are_added_on_demand():
    graph = csr_array(np.array([[0.0, 1, 0], [0, 0, 1], [1, 1, 0]]))
    lists = neighbor_lists(graph, np.array([[0, 2]]))
    assert [row.tolist() for row in lists] == [[1, 0], [2], [0, 1, 2]]


@pytest.mark.parametrize("dense", [False, True])
def test_smallest_vectors_are_those_of_the_full_decomposition(dense):
    M = tangent_matrix(X, neighbor_lists(knn_graph(X, 12), NONE), 2)
    vectors, total = smallest_vectors(M, 3, dense=dense)
    values = np.linalg.eigvalsh(M.toarray())
    assert total == pytest.approx(values[1:4].sum(), rel=1e-6)
    assert_allclose(M @ vectors, vectors * values[1:4], atol=1e-6)


def test_failure_of_arpack_names_the_remedy():
    with pytest.raises(ValueError, match="eigen_solver='dense' finds them"):
        smallest_vectors(csr_array(np.zeros((300, 300))), 2, dense=False)
