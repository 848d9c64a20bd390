import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from nldr.methods.gp.lola import _graph
from nldr.methods.gp.lola._graph import _nearest_in_clusters, averaging_matrix

CLOUD = np.random.default_rng(0).standard_normal((60, 3))


def dense_weights(X, k, decay, t):
    """Return W of Eqs. 17 to 19 by dense matrices."""
    D = cdist(X, X)
    scale = np.sort(D, axis=1)[:, [k]]
    S = 0.5 * np.exp(-((D / scale) ** decay)) + 0.5 * np.exp(-((D / scale.T) ** decay))
    U = np.linalg.matrix_power(S / S.sum(axis=1, keepdims=True), t)
    logs = np.log(U + 1e-7)
    return np.exp(-cdist(logs, logs))


@pytest.mark.parametrize(("k", "decay", "t"), [(5, 40.0, 16), (3, 2.0, 1), (10, 10.0, 4)])
@pytest.mark.parametrize("block", [2**22, 500])
# Dense power of the matrix, dense diffusion by columns, and sparse diffusion
@pytest.mark.parametrize(("dense", "largest"), [(0.0, 8000), (0.0, 10), (1.0, 10)])
def test_graph_equals_the_definition(monkeypatch, k, decay, t, block, dense, largest):
    monkeypatch.setattr(_graph, "LARGEST", largest)
    monkeypatch.setattr(_graph, "DENSE", dense)
    monkeypatch.setattr(_graph, "CACHE_SIZE", block)
    monkeypatch.setattr(_graph, "BLOCK_SIZE", block)
    W = dense_weights(CLOUD, k, decay, t)
    total = W.sum(axis=1, keepdims=True)
    options = {"n_neighbors": k, "decay": decay, "n_steps": t, "n_edges": 59}
    P = averaging_matrix(CLOUD, **options)
    assert_allclose(P.toarray(), W / total, atol=1e-6)
    P = averaging_matrix(CLOUD, **options, normalization="symmetric")
    assert_allclose(P.toarray(), W / np.sqrt(total * total.T), atol=1e-6)
    assert abs(P - P.T).max() < 1e-15


def test_only_near_neighbors_have_weights():
    options = {"n_neighbors": 5, "decay": 2.0, "n_steps": 4}
    P = averaging_matrix(CLOUD, n_edges=6, **options).toarray() > 0
    D = cdist(CLOUD, CLOUD)
    near = np.sort(D, axis=1)[:, [6]] >= D
    assert not (P & ~(near | near.T)).any()
    assert np.count_nonzero(P) > 60 * 6


def noisy_plane(n_samples, n_features, rng):
    """Return points near a plane."""
    plane = rng.uniform(0, 8, (n_samples, 2)) @ np.eye(2, n_features)
    return plane + 0.05 * rng.standard_normal((n_samples, n_features))


@pytest.mark.parametrize("n_features", [2, 10])
def test_graph_of_many_points_is_nearly_that_of_few(monkeypatch, n_features, rng):
    X = noisy_plane(500, n_features, rng)
    options = {"n_neighbors": 5, "decay": 40.0, "n_steps": 8, "n_edges": 50}
    expected = averaging_matrix(X, **options)
    monkeypatch.setattr(_graph, "MANY", 0)
    # Sparse diffusion, with exact and with approximate neighbors
    for exact in (20_000, 0):
        monkeypatch.setattr(_graph, "EXACT_SEARCH", exact)
        assert abs(averaging_matrix(X, **options) - expected).max() < 2e-3
    # Distances from all columns are exact but for single precision, those from half of them not
    monkeypatch.setattr(_graph, "N_REACHED", 0)
    assert abs(averaging_matrix(X, **options) - expected).max() < 2e-3
    monkeypatch.setattr(_graph, "N_COLUMNS", 250)
    error = abs(averaging_matrix(X, **options) - expected).sum() / abs(expected).sum()
    assert 1e-4 < error < 0.1


def test_graph_of_many_equal_points_is_that_of_few(monkeypatch):
    X = np.repeat(CLOUD[:5], 4, axis=0)
    monkeypatch.setattr(_graph, "MANY", 0)
    P = averaging_matrix(X, n_neighbors=3, decay=40.0, n_steps=2, n_edges=10).toarray()
    assert_allclose(P, np.kron(np.eye(5), np.full((4, 4), 0.25)), atol=1e-12)


def test_search_of_all_clusters_finds_the_nearest_points(monkeypatch, rng):
    X = noisy_plane(400, 10, rng)
    distances, nearest = NearestNeighbors(n_neighbors=20).fit(X).kneighbors()
    monkeypatch.setattr(_graph, "CLUSTER_SIZE", 20)
    result, lengths = _nearest_in_clusters(X, 20)
    assert np.array_equal(result, nearest)  # 20 clusters, all of them searched
    assert_allclose(lengths, distances, rtol=1e-12)
    monkeypatch.setattr(_graph, "N_SEARCHED", 5)
    result = _nearest_in_clusters(X, 20)[0]
    shared = [len(np.intersect1d(*rows)) for rows in zip(result, nearest, strict=True)]
    assert 0.8 < np.mean(shared) / 20 < 1


def test_search_in_clusters_needs_enough_points(monkeypatch, rng):
    # Most clusters are empty, as most points are equal, and one is not enough for 30 neighbors
    monkeypatch.setattr(_graph, "CLUSTER_SIZE", 5)
    monkeypatch.setattr(_graph, "N_SEARCHED", 1)
    X = np.concatenate([np.zeros((60, 8)), rng.standard_normal((40, 8))])
    nearest, distances = _nearest_in_clusters(X, 30)
    assert not (nearest == np.arange(100)[:, None]).any()
    assert_allclose(distances[:60], 0.0, atol=1e-12)
    assert (np.diff(distances, axis=1) >= 0).all()
