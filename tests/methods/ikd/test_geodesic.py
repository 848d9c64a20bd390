import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import floyd_warshall
from scipy.spatial.distance import cdist

from nldr.kernels import GammaExponential, RationalQuadratic, SquaredExponential
from nldr.methods.ikd._geodesic import N_FAR_EDGES, edge_lengths, metric_distances

SE = SquaredExponential()
KERNELS = pytest.mark.parametrize(
    "kernel",
    [SE, RationalQuadratic(), GammaExponential()],
    ids=lambda kernel: type(kernel).__name__,
)


def similarities(Z, kernel=SE):
    return kernel(cdist(Z, Z, "sqeuclidean"))


@KERNELS
def test_distances_are_euclidean_if_all_pairs_have_edges(kernel):
    Z = 0.3 * np.argwhere(np.ones((3, 3, 3)))
    assert len(Z) <= N_FAR_EDGES + 6
    distances = metric_distances(similarities(Z, kernel), kernel, 10, threshold=0.0)
    assert_allclose(distances, cdist(Z, Z, "sqeuclidean"), atol=1e-12)


@KERNELS
@pytest.mark.parametrize("n_features", [10, 1000])
def test_distances_on_a_line_are_exact(rng, kernel, n_features):
    Z = rng.permutation(np.linspace(0, 4, 100))[:, np.newaxis]
    distances = metric_distances(similarities(Z, kernel), kernel, n_features)
    assert_allclose(distances, cdist(Z, Z, "sqeuclidean"), atol=1e-7)


def test_distances_equal_floyd_warshall_on_the_same_edges_and_are_symmetric(rng):
    # Correlations of rows along a curve
    angle = np.linspace(0, 6, 60)[:, np.newaxis]
    waves = np.cos(angle * rng.normal(size=20) + rng.uniform(0, 6, 20))
    S = np.corrcoef(waves + 0.1 * rng.normal(size=waves.shape))
    lengths = edge_lengths(S, SE, 20)
    expected = floyd_warshall(np.minimum(lengths, lengths.T)) ** 2
    distances = metric_distances(S, SE, 20)
    assert_allclose(distances, expected, rtol=1e-10, atol=1e-12)
    assert_array_equal(distances, distances.T)


def test_paths_are_never_shorter_than_the_straight_line(rng):
    Z = rng.uniform(0, 3, (300, 2))
    distances = metric_distances(similarities(Z), SE, 200)
    straight = cdist(Z, Z, "sqeuclidean")
    assert (distances >= straight - 1e-9).all()
    assert np.sqrt(distances).sum() < 1.02 * np.sqrt(straight).sum()


@pytest.mark.parametrize("n_features", [4, 20, 1000, 10_000])
def test_default_threshold_has_a_closed_form_for_the_squared_exponential_kernel(n_features):
    threshold = np.exp(-np.arcsinh(np.sqrt(n_features - 3) / 40))
    S = np.array([[1.0, 0.999, threshold + 1e-3, threshold - 1e-3]])
    has_edge = np.isfinite(edge_lengths(S, SE, n_features, n_neighbors=1))
    assert_array_equal(has_edge, [[True, True, True, False]])


@KERNELS
def test_standard_error_at_the_default_threshold_is_one_tenth(rng, kernel):
    n_features, n_draws = 400, 2000
    grid = np.linspace(0.999, 0.01, 3000)
    row = np.concatenate([[1.0], grid])[np.newaxis]
    # The last of the evenly spaced edges has the lowest similarity above the threshold.
    lowest = grid[np.isfinite(edge_lengths(row, kernel, n_features)[0, 1:])].min()
    # Correlations of pairs of Gaussian rows with this similarity
    x, noise = rng.standard_normal((2, n_draws, n_features))
    y = lowest * x + np.sqrt(1 - lowest**2) * noise
    x -= x.mean(axis=1, keepdims=True)
    y -= y.mean(axis=1, keepdims=True)
    r = (x * y).sum(axis=1) / np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    # The estimate of the standard error itself has a relative error of 1/√(2 n_draws) = 0.016.
    assert np.std(kernel.inverse(r)) == pytest.approx(0.1, rel=0.1)


def test_edges_are_the_most_similar_rows_and_others_evenly_spaced_in_rank():
    S = np.concatenate([np.linspace(1, 0.5, 6 + 4 * N_FAR_EDGES), np.full(50, 0.4)])[np.newaxis]
    lengths = edge_lengths(S, SE, 100, threshold=0.45)
    expected = np.concatenate([np.arange(6), 5 + 4 * np.arange(1, N_FAR_EDGES + 1)])
    assert_array_equal(np.flatnonzero(np.isfinite(lengths)), expected)
    assert_allclose(lengths[0, expected], np.sqrt(-2 * np.log(S[0, expected])))


def test_dissimilar_rows_keep_edges_of_maximum_length():
    lengths = edge_lengths(np.array([[-0.9, -0.2, 0.0, -0.5]]), SE, 50, n_neighbors=1)
    assert_allclose(
        lengths, [[np.inf, np.sqrt(-2 * np.log(1e-3)), np.sqrt(-2 * np.log(1e-3)), np.inf]]
    )


@pytest.mark.parametrize(("gap", "joined"), [(1.2, True), (1.9, False)])
def test_components_are_joined_if_their_similarity_is_significant(gap, joined):
    # With 190 pairs and 50 features the bound is a similarity of .44, which is a length of 1.28.
    Z = np.concatenate([np.linspace(0, 0.5, 10), 0.5 + gap + np.linspace(0, 0.5, 10)])
    distances = metric_distances(similarities(Z[:, np.newaxis]), SE, 50, threshold=0.9)
    assert np.isfinite(distances).all() == joined
    assert distances[0, 19] == pytest.approx((1 + gap) ** 2 if joined else np.inf)


def test_duplicates_do_not_disconnect_the_graph():
    Z = np.repeat([0.0, 0.2, 0.4], 40)[:, np.newaxis]
    distances = metric_distances(similarities(Z), SE, 100)
    assert_allclose(distances, cdist(Z, Z, "sqeuclidean"), atol=1e-12)


def test_fewer_rows_than_neighbors_and_similarities_not_modified():
    S = similarities(np.array([[0.0], [0.5], [1.0]]))
    before = S.copy()
    assert_allclose(metric_distances(S, SE, 10, n_neighbors=5), -2 * np.log(before), atol=1e-12)
    assert_array_equal(S, before)


def test_invalid_input_raises():
    S = np.eye(3)
    with pytest.raises(ValueError, match="n_neighbors must be at least 1, got 0"):
        edge_lengths(S, SE, 10, n_neighbors=0)
    with pytest.raises(ValueError, match="similarity must have 2 dimensions, got 1"):
        edge_lengths(S[0], SE, 10)
    with pytest.raises(ValueError, match=r"must be a square matrix, got shape \(2, 3\)"):
        metric_distances(S[:2], SE, 10)
