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


@pytest.mark.parametrize("density", [0.2, 0.5, 0.9])
def test_cliques_equal_those_of_exhaustive_search(density, rng):
    joined = np.triu(rng.random((10, 10)) < density, 1)
    values = [tuple(c.tolist()) for c in cliques(np.argwhere(joined), 10, most=1000)]
    adjacent = joined | joined.T | np.eye(10, dtype=bool)
    subsets = [np.flatnonzero([m >> b & 1 for b in range(10)]) for m in range(1, 2**10)]
    complete = [set(s.tolist()) for s in subsets if adjacent[np.ix_(s, s)].all()]
    maximal = [s for s in complete if not any(s < other for other in complete)]
    assert sorted(values) == sorted(tuple(sorted(s)) for s in maximal)


def test_face_contains_data_and_has_expected_dimension(rng):
    X = rng.standard_normal((9, 2))
    basis = face_basis(X, iter([np.arange(5), np.arange(4, 9)]))
    centered = X - X.mean(axis=0)
    # Of five points in the plane, two affine dependencies per group
    assert basis.shape == (9, 9 - 1 - 2 * 2)
    basis = basis - basis.mean(axis=0)
    assert_allclose(basis.T @ basis, np.eye(4), atol=1e-12)
    assert_allclose(basis @ (basis.T @ centered), centered, atol=1e-12)


def test_face_without_rigid_groups_is_all_centered_vectors(rng):
    basis = face_basis(rng.standard_normal((6, 2)), iter(()))
    dense = basis.toarray() if issparse(basis) else basis
    dense = dense - dense.mean(axis=0)
    assert_allclose(dense @ dense.T, np.eye(6) - 1 / 6, atol=1e-12)


def test_face_of_many_blocks_is_sparse_and_orthogonal_to_dependencies(rng):
    X = rng.standard_normal((300, 2))
    groups = [np.arange(i, i + 5) for i in range(0, 250, 9)] + [np.arange(3, 8)]
    basis = face_basis(X, iter(groups))
    assert issparse(basis)
    full = basis.toarray() - basis.toarray().mean(axis=0)
    assert basis.shape == (300, 299 - 2 * len(groups))
    assert_allclose(full.T @ full, np.eye(full.shape[1]), atol=1e-10)
    for members in groups:
        affine = np.column_stack([np.ones(5), X[members]])
        dependencies = np.linalg.svd(affine)[0][:, 3:]
        assert_allclose(dependencies.T @ full[members], 0, atol=1e-10)


@pytest.mark.parametrize("n_features", [2, 4])
def test_rigid_group_has_one_independent_edge_per_entry_of_its_gram_matrix(n_features, rng):
    X = rng.standard_normal((30, n_features))
    basis = face_basis(X, iter([np.arange(30)]))
    independent = independent_edges(basis, complete_edges(30))
    assert len(independent) == n_features * (n_features + 1) / 2


def test_independent_edges_do_not_depend_on_their_order(rng):
    basis, edges = rng.standard_normal((30, 4)), complete_edges(30)
    independent = edges[independent_edges(basis, edges)]
    order = rng.permutation(len(edges))
    again = edges[order][independent_edges(basis, edges[order])]
    assert len(independent) == 10  # symmetric matrices of 4 rows
    np.testing.assert_array_equal(np.unique(again, axis=0), np.unique(independent, axis=0))


def test_independent_edges_span_all_edge_constraints(rng):
    X = rng.standard_normal((10, 2))
    basis = face_basis(X, iter([np.arange(6)]))
    edges = complete_edges(10)
    rows = basis[edges[:, 0]] - basis[edges[:, 1]]
    constraints = np.einsum("ei,ej->eij", rows, rows).reshape(len(edges), -1)
    independent = independent_edges(basis, edges)
    rank = np.linalg.matrix_rank(constraints)
    assert len(independent) == np.linalg.matrix_rank(constraints[independent]) == rank


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
