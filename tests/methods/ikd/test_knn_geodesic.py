"""Products of similarities along paths of the neighbor graph, and the released centering."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg
from scipy.spatial.distance import cdist, pdist

from nldr.kernels import RationalQuadratic, SquaredExponential
from nldr.methods.ikd._variants import NeighborGeodesicVariant
from nldr.methods.ikd.ikd import IKD
from nldr.neighborhoods.graphs import DisconnectedGraphWarning


@pytest.fixture
def observe(rng, rows_of_similarity):
    """Return a function that makes noisy rows of random points in a square, one component."""

    def make(n_samples=80):
        Z = rng.uniform(0, 3, (n_samples, 2))
        X = rows_of_similarity(np.exp(-cdist(Z, Z, "sqeuclidean") / 2))
        return X + 0.05 * rng.standard_normal(X.shape)

    return make


def largest_products(X, n_neighbors):
    """Return the largest products of correlations along paths, by dense Floyd-Warshall."""
    S = np.clip(np.corrcoef(X), 1e-3, 1)
    np.fill_diagonal(S, -np.inf)
    product = np.zeros_like(S)
    for i in range(len(S)):
        nearest = np.argsort(-S[i])[:n_neighbors]
        product[i, nearest] = product[nearest, i] = S[i, nearest]
    np.fill_diagonal(product, 1.0)
    for via in range(len(S)):
        product = np.maximum(product, np.outer(product[:, via], product[via]))
    return product


def centered(D):
    means = D.mean(axis=0)
    return (means[:, np.newaxis] + means - means.mean() - D) / 2


def centered_as_released(D):
    """The released code, where both sums are over the rows of a symmetric matrix."""
    n = len(D)
    row_sum, col_sum = np.sum(D, axis=0), np.sum(D, axis=1)
    return (row_sum / n + col_sum / n - np.sum(row_sum) / n**2 - D) / 2


@pytest.mark.parametrize("kernel", [SquaredExponential(), RationalQuadratic()], ids=str)
@pytest.mark.parametrize(
    ("params", "center"), [({}, centered), ({"reference": "center_released"}, centered_as_released)]
)
def test_equals_a_dense_implementation(observe, kernel, params, center):
    X = observe()
    D = kernel.inverse(largest_products(X, 8))
    assert np.isfinite(D).all(), "connected"
    ikd = IKD(2, variant="knn_geodesic", kernel=kernel, n_neighbors=8, **params).fit(X)
    values, vectors = linalg.eigh(center(D))  # of the lower triangle
    expected = vectors[:, :-3:-1] * np.sqrt(values[:-3:-1])
    assert_allclose(np.abs(ikd.embedding_), np.abs(expected), atol=1e-6 * np.abs(expected).max())
    assert ikd.reference_ is None


def test_rows_that_tie_with_the_last_neighbor_are_neighbors():
    """Rows 1 to 7 are equally similar to row 0: all of them are its neighbors, or the first."""
    K = 0.1 + 0.9 * np.eye(8)
    K[0, 1:] = K[1:, 0] = 0.5
    variant = NeighborGeodesicVariant(SquaredExponential(), n_neighbors=1)
    distances = variant.training_distances(K.copy())
    assert_allclose(distances[0, 1:], -2 * np.log(0.5))
    assert_allclose(distances[1, 2:], -2 * np.log(0.25))


@pytest.mark.parametrize("reference", ["center", "center_released", "min_max"])
def test_components_are_embedded_separately_and_new_rows_join_theirs(observe, reference):
    a, b = observe(50), observe(30)
    far = np.zeros((80, a.shape[1] + b.shape[1]))  # uncorrelated blocks of features
    far[:50, : a.shape[1]] = a - a.mean(axis=1, keepdims=True)
    far[50:, a.shape[1] :] = b - b.mean(axis=1, keepdims=True)
    ikd = IKD(2, variant="knn_geodesic", n_neighbors=8, reference=reference)
    with pytest.warns(DisconnectedGraphWarning, match=r"has 2 .* \(50, 30 of 80 .*knn_geodesic"):
        ikd.fit(far)
    alone = IKD(2, variant="knn_geodesic", n_neighbors=8, reference=reference).fit(a)
    assert_allclose(pdist(ikd.embedding_[:50]), pdist(alone.embedding_), atol=1e-7)
    new = ikd.transform(far[[3, 70]])
    assert (new[0, 0] < ikd.embedding_[50:, 0].min()) & (new[1, 0] > ikd.embedding_[:50, 0].max())


def test_a_new_row_under_the_released_centering_follows_the_fitted_rows(observe):
    """The last row of the matrix has the means of all columns, as a new row has."""
    X = observe()
    ikd = IKD(2, variant="knn_geodesic", reference="center_released", n_neighbors=8).fit(X)
    assert_allclose(ikd.transform(X[[-1]]), ikd.embedding_[[-1]], atol=1e-8)


def test_rows_joined_by_long_paths_are_one_component():
    """The product of 200 similarities of 0.02 is zero in floating point."""
    chain = np.full((201, 201), 1e-3) + 0.019 * (np.eye(201, k=1) + np.eye(201, k=-1))
    variant = NeighborGeodesicVariant(SquaredExponential(), n_neighbors=1)
    distances = variant.training_distances(chain)
    assert np.isfinite(distances).all()
    assert distances[0, 1:].argmax() > 150
