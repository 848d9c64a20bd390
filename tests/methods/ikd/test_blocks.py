from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist

from nldr.kernels import SquaredExponential
from nldr.methods.ikd._blocks import (
    _moment_terms,
    _overlap_quality,
    align_to_reference,
    maximal_cliques,
    merge_blocks,
    released_threshold,
)
from nldr.methods.ikd.ikd import IKD

KERNEL = SquaredExponential()


def similarity_of(Z, kernel=KERNEL):
    return kernel(cdist(Z, Z, "sqeuclidean"))


@pytest.fixture
def ribbon(rng):
    """Return points along a strip ten length scales long."""
    return np.column_stack([np.linspace(0, 10, 120), rng.uniform(0, 1, 120)])


def test_clique_search_stops_at_the_limit_and_ignores_the_diagonal(ribbon):
    adjacency = similarity_of(ribbon) > 0.5
    assert adjacency.diagonal().all()
    few, more = maximal_cliques(adjacency, 3), maximal_cliques(adjacency, 4)
    assert [len(few), len(more)] == [3, 4]
    for one, other in zip(few, more, strict=False):
        assert_array_equal(one, other)
    # The only points adjacent to a whole clique are its members.
    for clique in more:
        inside = adjacency[clique].all(axis=0)
        assert_array_equal(np.flatnonzero(inside), clique)
    assert maximal_cliques(adjacency, 0) == []


@pytest.mark.parametrize("max_cliques", [0, 5, 500])
@pytest.mark.parametrize("reference", ["min_max", "center"])
def test_blocks_of_exact_similarities_merge_exactly(ribbon, max_cliques, reference):
    embedding, blocks, share = merge_blocks(
        similarity_of(ribbon), KERNEL, 2, 0.3, max_cliques, reference
    )
    assert len(blocks) > 3
    assert_allclose(pdist(embedding), pdist(ribbon), atol=1e-6)
    assert share == pytest.approx(1.0)
    assert_array_equal(np.unique(np.concatenate([points for points, _ in blocks])), range(120))


def test_blocks_that_share_too_few_points_are_merged_by_their_most_similar_points(rng):
    left, right = rng.uniform(0, 1, (2, 15, 2))
    Z = np.vstack([left, right + np.array([2.2, 0])])
    similarity = similarity_of(Z)
    # One edge between two groups that are cliques otherwise
    threshold = np.sort(similarity[:15, 15:].ravel())[-2]
    cliques = maximal_cliques(similarity > threshold, 500)
    assert min(len(set(a) & set(b)) for a, b in combinations(cliques, 2)) <= 1
    embedding, _, _ = merge_blocks(similarity, KERNEL, 2, threshold, 500, "min_max")
    assert_allclose(pdist(embedding), pdist(Z), atol=1e-6)


def test_rating_is_the_smallest_spread_of_the_shared_points_times_their_fraction(rng):
    shared = 3 + rng.standard_normal((7, 2))
    moments = np.array([_moment_terms(points).sum(axis=0) for points in (shared, shared[:2])])
    smallest = np.linalg.eigvalsh(6 * np.cov(shared.T))[0]
    # Two points do not determine a motion of the plane
    assert_allclose(_overlap_quality(moments, np.array([10, 4]), 2), [0.7 * smallest, -1])


def test_single_point_is_at_the_origin():
    embedding, blocks, share = merge_blocks(np.ones((1, 1)), KERNEL, 2, 0.3, 500, "min_max")
    assert_array_equal(embedding, [[0.0, 0.0]])
    assert len(blocks) == 1
    assert share == 1


def test_reference_embedding_is_used_if_it_is_better(rng, ribbon):
    similarity = np.maximum(similarity_of(ribbon), 1e-3)
    embedding, blocks, _ = merge_blocks(similarity, KERNEL, 2, 0.3, 500, "min_max")
    for worse in (rng.permutation(ribbon), np.zeros_like(ribbon)):
        kept, aligned = align_to_reference(embedding, blocks, worse, similarity, KERNEL)
        assert not aligned
        assert_array_equal(kept, embedding)
    shuffled, better = rng.permutation(ribbon), 3 * ribbon + 1
    embedding, aligned = align_to_reference(shuffled, blocks, better, similarity, KERNEL)
    assert aligned
    assert_allclose(embedding, better, atol=1e-5)


def test_the_released_threshold_can_be_asked_for_by_name(rng):
    X = np.cos(rng.uniform(0, 3, (40, 2)) @ rng.standard_normal((2, 200)))
    by_name = IKD(2, variant="blockwise", threshold="released").fit(X)
    by_value = IKD(2, variant="blockwise", threshold=released_threshold(200)).fit(X)
    assert_array_equal(by_name.embedding_, by_value.embedding_)
