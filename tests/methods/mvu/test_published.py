import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import orthogonal_procrustes
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist

from nldr.methods.mvu.mvu import MVU
from nldr.methods.mvu.published import PublishedDisjointMVU, move_similarly
from nldr.neighborhoods.graphs import closest_pairs


@pytest.fixture
def cloud(rng):
    return rng.standard_normal((30, 3))


def test_share_sets_the_other_columns_to_zero(cloud):
    whole = MVU(30, n_neighbors=6, tol=1e-3).fit(cloud)
    part = MVU(30, n_neighbors=6, tol=1e-3, variance_share=0.9).fit(cloud)
    shares = np.cumsum(whole.eigenvalues_) / whole.eigenvalues_.sum()
    assert whole.n_kept_ == 30
    assert shares[part.n_kept_ - 1] >= 0.9 > shares[part.n_kept_ - 2]
    assert_array_equal(part.embedding_[:, : part.n_kept_], whole.embedding_[:, : part.n_kept_])
    assert not part.embedding_[:, part.n_kept_ :].any()
    assert MVU(1, n_neighbors=6, variance_share=1.0).fit(cloud).n_kept_ == 1


def test_components_keep_their_shape_and_dimension(rng):
    # A line, a plane and a volume; the distances within each are kept up to its scale
    line = np.outer(np.arange(12.0), [1, 0, 0])
    plane = rng.uniform(0, 5, (20, 3)) * [1, 1, 0]
    volume = rng.uniform(0, 5, (25, 3))
    X = np.concatenate([plane, line, volume])
    X[:20, 1] += 60
    X[32:, 2] += 90
    disjoint = PublishedDisjointMVU(8, n_neighbors=7, tol=1e-4).fit(X)
    assert disjoint.n_connected_components_ == 3
    assert_array_equal(disjoint.dimensions_, [2, 1, 3])
    assert disjoint.n_dimensions_ >= 3
    assert not disjoint.embedding_[:, disjoint.n_dimensions_ :].any()
    for label, mvu in enumerate(disjoint.component_mvus_):
        rows = disjoint.labels_ == label
        own = mvu.embedding_[:, : mvu.n_kept_]
        assert_allclose(
            pdist(disjoint.embedding_[rows]), disjoint.scales_[label] * pdist(own), rtol=1e-6
        )
    assert disjoint.smallest_scale_ == disjoint.scales_.min() <= 1 + 1e-6


def test_references_are_extremes_and_ends_of_the_shortest_pairs(rng):
    X = np.concatenate([rng.standard_normal((20, 2)) + 25 * i**1.5 for i in range(3)])
    disjoint = PublishedDisjointMVU(2, n_neighbors=6).fit(X)
    expected = set()
    for label, mvu in enumerate(disjoint.component_mvus_):
        rows = np.flatnonzero(disjoint.labels_ == label)
        axes = mvu.embedding_[:, : disjoint.dimensions_[label]]
        expected |= {*rows[axes.argmin(axis=0)], *rows[axes.argmax(axis=0)]}
    pairs, lengths = closest_pairs(X, disjoint.labels_)
    weights, ends = np.zeros((3, 3)), tuple(disjoint.labels_[pairs].T)
    weights[ends] = lengths
    tree = pairs[minimum_spanning_tree(weights).toarray()[ends] > 0]
    assert_array_equal(np.unique(np.sort(disjoint.added_edges_), axis=0), np.unique(tree, axis=0))
    assert_array_equal(disjoint.references_, sorted(expected | set(tree.ravel())))


def test_similarity_is_recovered_without_reflection(rng):
    start = rng.standard_normal((8, 3))
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    points = rng.standard_normal((5, 3))
    moved, scale = move_similarly(points, start, 0.4 * start @ turn + 7)
    assert scale == pytest.approx(0.4)
    assert_allclose(moved, 0.4 * points @ turn + 7)
    # A mirror image cannot be reached; the result is still a similarity
    moved, scale = move_similarly(start, start, start * [1, 1, -1])
    assert scale < 1
    assert_allclose(pdist(moved), scale * pdist(start))
    centered = moved - moved.mean(axis=0)
    rotation, _ = orthogonal_procrustes(start - start.mean(axis=0), centered)
    assert np.linalg.det(rotation) == pytest.approx(1)
    assert move_similarly(points, start[[0, 0]], start[:2])[1] == 1
