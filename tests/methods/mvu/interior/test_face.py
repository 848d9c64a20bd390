import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import issparse

from nldr.methods.mvu.interior._face import (
    cliques,
    complement_basis,
    dependencies,
    face_basis,
    independent_edges,
)


def complete_edges(n_samples):
    return np.argwhere(np.triu(np.ones((n_samples, n_samples)), 1))


FACES = {
    "no group": (6, []),
    "two groups": (9, [np.arange(5), np.arange(4, 9)]),
    "many blocks": (300, [np.arange(i, i + 5) for i in range(0, 250, 9)] + [np.arange(3, 8)]),
}


@pytest.mark.parametrize(("n_samples", "groups"), FACES.values(), ids=FACES)
def test_face_is_orthogonal_to_constants_and_affine_dependencies_of_groups(n_samples, groups, rng):
    X = rng.standard_normal((n_samples, 2))
    basis = face_basis(X, iter(groups))
    assert issparse(basis) == (n_samples == 300)
    dense = basis.toarray() if issparse(basis) else basis
    dense = dense - dense.mean(axis=0)
    # Five points in the plane have two affine dependencies
    assert dense.shape == (n_samples, n_samples - 1 - 2 * len(groups))
    assert_allclose(dense.T @ dense, np.eye(dense.shape[1]), atol=1e-10)
    for members in groups:
        affine = np.column_stack([np.ones(5), X[members]])
        assert_allclose(np.linalg.svd(affine)[0][:, 3:].T @ dense[members], 0, atol=1e-10)


def test_independent_edges_do_not_depend_on_their_order(rng):
    basis, edges = rng.standard_normal((30, 4)), complete_edges(30)
    independent = edges[independent_edges(basis, edges)]
    order = rng.permutation(len(edges))
    again = edges[order][independent_edges(basis, edges[order])]
    assert len(independent) == 10  # symmetric matrices of 4 rows
    np.testing.assert_array_equal(np.unique(again, axis=0), np.unique(independent, axis=0))


@pytest.mark.parametrize(("n_features", "n_rigid"), [(2, 6), (2, 10), (4, 10)])
def test_independent_edges_span_all_edge_constraints(n_features, n_rigid, rng):
    X, edges = rng.standard_normal((10, n_features)), complete_edges(10)
    basis = face_basis(X, iter([np.arange(n_rigid)]))
    rows = basis[edges[:, 0]] - basis[edges[:, 1]]
    constraints = np.einsum("ei,ej->eij", rows, rows).reshape(len(edges), -1)
    independent = independent_edges(basis, edges)
    rank = np.linalg.matrix_rank(constraints)
    assert len(independent) == np.linalg.matrix_rank(constraints[independent]) == rank
    if n_rigid == 10:  # one edge for each entry of the Gram matrix
        assert rank == n_features * (n_features + 1) / 2


def test_edges_between_equal_points_are_not_independent():
    X = np.array([[0.0], [0.0], [1.0], [3.0]])
    edges = np.array([[0, 1], [0, 2], [2, 3]])
    basis = face_basis(X, iter([np.array([0, 1])]))
    np.testing.assert_array_equal(independent_edges(basis, edges), [1, 2])


def test_cliques_of_a_dense_graph_are_bounded_and_cover_it(rng):
    joined = np.triu(rng.random((60, 60)) < 0.9, 1)
    edges = np.argwhere(joined)
    cliques_found = cliques(edges, 60)
    assert len(cliques_found) < 20 * 60
    covered = np.zeros((60, 60), dtype=bool)
    for members in cliques_found:
        covered[np.ix_(members, members)] = True
    assert not (np.triu(covered, 1) & ~joined).any()
    assert covered[joined].all()


def test_chosen_dependencies_span_all(rng):
    X = rng.standard_normal((12, 2))
    groups = [np.arange(8), np.arange(3, 12), np.arange(2, 9)]
    everything = list(dependencies(X, groups))
    basis, chosen = complement_basis(12, everything)
    chosen = chosen.toarray()
    # Twelve points in the plane, all rigid
    assert chosen.shape == (12, 9)
    assert np.linalg.matrix_rank(chosen) == 9
    assert basis.shape == (12, 2)
    assert_allclose(chosen.T @ np.column_stack([np.ones(12), X]), 0, atol=1e-12)
