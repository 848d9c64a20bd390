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
    smallest_eigenvectors,
    tangent_matrix,
)

NO_NODES = np.empty((0, 2), dtype=int)


@pytest.fixture
def X(rng):
    return rng.standard_normal((80, 5))


def test_weights_equal_those_of_scikit_learn(X):
    ours = barycentric_weights(X, neighbor_lists(knn_graph(X, 7), NO_NODES), X)
    assert_allclose(ours.toarray(), barycenter_kneighbors_graph(X, 7).toarray(), atol=1e-12)


def test_weights_reconstruct_points_from_lists_of_any_length(rng):
    # Corners of a square are among all lists, so that each query lies between its neighbors.
    corners = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    plane = np.vstack([corners, rng.uniform(-1, 1, (26, 2))])
    queries = rng.uniform(-0.5, 0.5, (5, 2))
    lengths = (10, 20, 30, 20, 8)
    weights = barycentric_weights(plane, [np.arange(length) for length in lengths], queries)
    assert_allclose(weights.sum(axis=1), 1)
    assert_allclose(weights @ plane, queries, atol=2e-2)
    assert tuple(row.count_nonzero() for row in weights) == lengths


def test_duplicates_have_equal_weights():
    weights = barycentric_weights(np.ones((4, 2)), [np.arange(1, 4)], np.ones((1, 2)))
    assert_allclose(weights.toarray(), [[0, 1 / 3, 1 / 3, 1 / 3]])


def test_reconstruction_matrix_gives_squared_reconstruction_error(X, rng):
    M = reconstruction_matrix(X, neighbor_lists(knn_graph(X, 7), NO_NODES))
    W = barycenter_kneighbors_graph(X, 7).toarray()
    f = rng.standard_normal(80)
    assert f @ (M @ f) == pytest.approx(np.square(f - W @ f).sum())


def local_coordinates(X, members):
    """First two principal components of a patch."""
    points = X[members] - X[members].mean(axis=0)
    return points @ np.linalg.svd(points)[2][:2].T


@pytest.mark.parametrize("hessian", [False, True])
def test_quadratic_form_equals_regressions_on_patches(hessian, X, rng):
    patches = [rng.choice(80, size, replace=False) for size in rng.integers(9, 14, 40)]
    f = rng.standard_normal(80)
    expected = 0.0
    for members in patches:
        a, b = local_coordinates(X, members).T
        affine = np.column_stack([np.ones(len(members)), a, b])
        quadratic = np.column_stack([affine, a * a, a * b, b * b])
        residuals = [
            np.square(f[members] - basis @ np.linalg.lstsq(basis, f[members])[0]).sum()
            for basis in (affine, quadratic)
        ]
        # LTSA: residual of the affine model; Hessian: what the quadratic terms explain of it.
        expected += residuals[0] - residuals[1] * hessian
    M = (hessian_matrix if hessian else tangent_matrix)(X, patches, 2)
    assert f @ (M @ f) == pytest.approx(expected)


def test_requested_nodes_are_added_to_their_own_lists():
    graph = csr_array(np.array([[0.0, 1, 0], [0, 0, 1], [1, 1, 0]]))
    lists = neighbor_lists(graph, np.array([[0, 2]]))
    assert [row.tolist() for row in lists] == [[1, 0], [2], [0, 1, 2]]


@pytest.mark.parametrize("dense", [False, True])
def test_smallest_eigenvectors_equal_full_decomposition(dense, X):
    M = tangent_matrix(X, neighbor_lists(knn_graph(X, 12), NO_NODES), 2)
    vectors, total = smallest_eigenvectors(M, 3, dense=dense)
    values = np.linalg.eigvalsh(M.toarray())
    # ARPACK stops at a relative tolerance of 1e-6 per eigenvalue.
    assert total == pytest.approx(values[1:4].sum(), rel=1e-5)
    assert_allclose(M @ vectors, vectors * values[1:4], atol=1e-6)


def test_failure_of_arpack_suggests_dense_solver():
    with pytest.raises(ValueError, match=r"ARPACK failed to find .*: use eigen_solver='dense'"):
        smallest_eigenvectors(csr_array(np.zeros((300, 300))), 2, dense=False)
