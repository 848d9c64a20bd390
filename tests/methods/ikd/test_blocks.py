from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist

from nldr.kernels import KERNELS, SquaredExponential
from nldr.methods.ikd._blocks import (
    align_to_reference,
    default_threshold,
    maximal_cliques,
    merge_blocks,
)

KERNEL = SquaredExponential()


def similarity_of(Z, kernel=KERNEL):
    return kernel(cdist(Z, Z, "sqeuclidean"))


def ribbon(n_points=120, seed=0):
    """Points along a strip ten length scales long."""
    rng = np.random.default_rng(seed)
    return np.column_stack([np.linspace(0, 10, n_points), rng.uniform(0, 1, n_points)])


def maximal_cliques_by_trial(adjacency):
    """All maximal cliques of a small graph, from all of its subsets."""
    n_points = len(adjacency)
    cliques = [
        set(subset)
        for size in range(1, n_points + 1)
        for subset in combinations(range(n_points), size)
        if all(adjacency[i, j] for i, j in combinations(subset, 2))
    ]
    return {tuple(sorted(c)) for c in cliques if not any(c < other for other in cliques)}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("density", [0.2, 0.5, 0.8])
def test_cliques_are_all_maximal_ones_each_once(seed, density):
    random = np.random.default_rng(seed).uniform(size=(9, 9))
    adjacency = np.triu(random < density, 1)
    adjacency |= adjacency.T
    cliques = [tuple(clique) for clique in maximal_cliques(adjacency, 10_000)]
    assert len(cliques) == len(set(cliques))
    assert set(cliques) == maximal_cliques_by_trial(adjacency)


def test_search_for_cliques_ends_at_the_limit_and_ignores_the_diagonal():
    adjacency = similarity_of(ribbon()) > 0.5
    assert adjacency.diagonal().all()
    few, more = maximal_cliques(adjacency, 3), maximal_cliques(adjacency, 4)
    assert [len(few), len(more)] == [3, 4]
    for one, other in zip(few, more, strict=False):
        assert_array_equal(one, other)
    for clique in more:
        inside = adjacency[clique].all(axis=0)
        assert_array_equal(np.flatnonzero(inside), clique)
    assert maximal_cliques(adjacency, 0) == []


def test_threshold_falls_with_the_number_of_features_as_released():
    found = [default_threshold(n) for n in (10, 100, 200, 500, 1000, 10_000)]
    assert_allclose(
        found, [0.3, 0.3, 0.7 - 0.2 * np.log10(200), 0.7 - 0.2 * np.log10(500), 0.1, 0.1]
    )


@pytest.mark.parametrize("max_cliques", [0, 5, 500])
@pytest.mark.parametrize("reference", ["min_max", "center"])
def test_blocks_of_exact_similarities_join_to_the_exact_latent(max_cliques, reference):
    Z = ribbon()
    embedding, blocks, share = merge_blocks(
        similarity_of(Z), KERNEL, 2, 0.3, max_cliques, reference
    )
    assert len(blocks) > 3
    assert_allclose(pdist(embedding), pdist(Z), atol=1e-6)
    assert share == pytest.approx(1.0)
    assert_array_equal(np.unique(np.concatenate([points for points, _ in blocks])), range(120))


@pytest.mark.parametrize("name", KERNELS)
def test_blocks_of_any_kernel_join_to_the_exact_latent(name):
    Z, kernel = ribbon(), KERNELS[name]()
    embedding, _, _ = merge_blocks(similarity_of(Z, kernel), kernel, 2, 0.3, 500, "min_max")
    assert_allclose(pdist(embedding), pdist(Z), atol=1e-5)


def test_blocks_that_share_too_few_points_are_joined_through_the_nearest_placed_ones():
    rng = np.random.default_rng(0)
    left, right = rng.uniform(0, 1, (2, 15, 2))
    Z = np.vstack([left, right + np.array([2.2, 0])])
    similarity = similarity_of(Z)
    adjacency = similarity > 0.3
    shared = [set(a) & set(b) for a, b in combinations(maximal_cliques(adjacency, 500), 2)]
    assert min(map(len, shared)) == 0
    threshold = np.sort(similarity[:15, 15:].ravel())[-2]  # a single edge between the two
    embedding, _, _ = merge_blocks(similarity, KERNEL, 2, threshold, 500, "min_max")
    assert_allclose(pdist(embedding), pdist(Z), atol=1e-6)


def test_one_block_is_the_whole_problem():
    Z = np.random.default_rng(0).uniform(-0.3, 0.3, (20, 2))
    embedding, blocks, _ = merge_blocks(similarity_of(Z), KERNEL, 2, 0.3, 500, "min_max")
    assert len(blocks) == 1
    assert_allclose(pdist(embedding), pdist(Z), atol=1e-6)


def test_single_point_is_at_the_origin():
    embedding, blocks, share = merge_blocks(np.ones((1, 1)), KERNEL, 2, 0.3, 500, "min_max")
    assert_array_equal(embedding, [[0.0, 0.0]])
    assert len(blocks) == 1
    assert share == 1


def test_reference_embedding_is_taken_only_where_it_is_better():
    Z = ribbon()
    similarity = np.maximum(similarity_of(Z), 1e-3)
    embedding, blocks, _ = merge_blocks(similarity, KERNEL, 2, 0.3, 500, "min_max")
    crumpled = np.random.default_rng(0).permutation(Z)
    kept, acted = align_to_reference(embedding, blocks, crumpled, similarity, KERNEL)
    assert not acted
    assert_array_equal(kept, embedding)
    aligned, acted = align_to_reference(crumpled, blocks, 3 * Z + 1, similarity, KERNEL)
    assert acted
    assert_allclose(aligned, 3 * Z + 1, atol=1e-5)


def test_reference_without_extent_is_not_taken():
    Z = ribbon()
    similarity = np.maximum(similarity_of(Z), 1e-3)
    _, blocks, _ = merge_blocks(similarity, KERNEL, 2, 0.3, 500, "min_max")
    kept, acted = align_to_reference(Z, blocks, np.zeros_like(Z), similarity, KERNEL)
    assert not acted
    assert_array_equal(kept, Z)
