"""IKD's estimator and its full variant; test_variants.py tests the others."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import linalg
from scipy.spatial.distance import cdist, pdist

from nldr.methods.ikd.ikd import IKD

FullIKD = partial(IKD, variant="full")
SIMILARITIES = pytest.mark.parametrize("similarity", ["covariance", "correlation"])
# Below 60 samples the eigensolver is dense, above it is iterative.
SOLVERS = pytest.mark.parametrize("n_samples", [30, 100], ids=["dense", "iterative"])


def latent(rng, n_samples, n_latent=3):
    """Return points in a box so small that no two have a kernel below exp(-6)."""
    return rng.uniform(-1, 1, (n_samples, n_latent))


def kernel(Z):
    return np.exp(-cdist(Z, Z, "sqeuclidean") / 2)


def gp_map(rng, Z, n_features, noise=0.05):
    values, vectors = np.linalg.eigh(kernel(Z))
    root = vectors * np.sqrt(np.clip(values, 0, None))
    X = root @ rng.standard_normal((len(Z), n_features))
    return X + noise * rng.standard_normal(X.shape)


def algorithm_1(X, n_components, similarity, min_similarity=1e-3):
    """Run the paper's algorithm line by line, with a full eigendecomposition."""
    S = np.cov(X)
    S = S / np.mean(np.diag(S)) if similarity == "covariance" else np.corrcoef(X)
    D = -2 * np.log(np.clip(S, min_similarity, 1))
    # Reference: smallest maximum distance, ties broken by the sum
    largest = D.max(axis=1)
    tied = [i for i in range(len(D)) if largest[i] == largest.min()]
    r = min(tied, key=lambda i: D[i].sum())
    # Inner products (Eq. 4) and their eigendecomposition (Eq. 5)
    G = np.array(
        [[(D[i, r] + D[r, j] - D[i, j]) / 2 for j in range(len(D))] for i in range(len(D))]
    )
    values, vectors = linalg.eigh(G)
    values, vectors = values[::-1][:n_components], vectors[:, ::-1][:, :n_components]
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), range(n_components)])
    return r, values, vectors * np.sqrt(values)


@SIMILARITIES
@SOLVERS
def test_equals_algorithm_1_of_the_paper(rng, similarity, n_samples):
    X = gp_map(rng, 3 * latent(rng, n_samples), 20)
    r, values, embedding = algorithm_1(X, 3, similarity)
    ikd = FullIKD(3, similarity=similarity).fit(X)
    assert ikd.reference_ == r
    assert_allclose(ikd.eigenvalues_, values, rtol=1e-10)
    assert_allclose(ikd.embedding_, embedding, atol=1e-8 * np.abs(embedding).max())


@pytest.mark.parametrize("reference", ["min_max", "min_mean", "center", 0, 17, 39])
def test_reference_is_the_origin_of_exact_data(rng, rows_of_similarity, reference):
    Z = latent(rng, 50)
    X = rows_of_similarity(kernel(Z), variance=4.0)
    ikd = FullIKD(3, reference=reference, similarity="covariance").fit(X[:40])
    assert_allclose(pdist(ikd.embedding_), pdist(Z[:40]), atol=1e-5)
    coordinates = np.vstack([ikd.embedding_, ikd.transform(X[40:])])
    assert_allclose(pdist(coordinates), pdist(Z), atol=1e-4)
    assert ikd.variance_ == pytest.approx(4.0)
    if reference == "center":
        assert ikd.reference_ is None
        assert_allclose(ikd.embedding_.mean(axis=0), 0, atol=1e-6)
    else:
        assert_allclose(ikd.embedding_[ikd.reference_], 0, atol=1e-5)
    if isinstance(reference, int):
        assert ikd.reference_ == reference


def test_ties_of_the_maximum_are_broken_by_the_mean(rows_of_similarity):
    Z = np.array([-4.0, 4.0, 1.1, 0.0, 0.4, 1.0])[:, np.newaxis]
    distances = -2 * np.log(np.clip(kernel(Z), 0.5, 1))
    assert len(set(distances.max(axis=1))) == 1, "each row has a similarity below 0.5"
    ikd = FullIKD(1, min_similarity=0.5).fit(rows_of_similarity(kernel(Z)))
    assert ikd.reference_ == distances.sum(axis=1).argmin() == 4


def test_two_samples_lie_on_a_line(rng):
    X = gp_map(rng, latent(rng, 2), 100)
    with pytest.warns(UserWarning, match="only 1 of 2 eigenvalues are positive, so the other"):
        embedding = FullIKD(2).fit_transform(X)
    assert_array_equal(embedding[:, 1], 0)
    assert np.ptp(embedding[:, 0]) > 0
    assert_array_equal(FullIKD(1).fit_transform(X), embedding[:, :1])


@SOLVERS
def test_identical_rows_have_identical_coordinates(n_samples):
    X = np.tile(np.arange(5.0), (n_samples, 1))
    with pytest.warns(UserWarning, match="only 0 of 2 eigenvalues are positive"):
        ikd = FullIKD(2).fit(X)
    assert_array_equal(ikd.embedding_, np.zeros((n_samples, 2)))
    assert_array_equal(ikd.transform(X[:3]), np.zeros((3, 2)))


def test_uncorrelated_rows_are_equally_far_apart(rows_of_similarity):
    # All eigenvalues but one are equal, which is difficult for iterative solvers.
    ikd = FullIKD(2, similarity="correlation").fit(rows_of_similarity(np.eye(300)))
    d = -2 * np.log(1e-3)
    assert_allclose(ikd.eigenvalues_, [d / 2 * 300, d / 2], rtol=1e-10)


@SIMILARITIES
def test_constant_rows_warn_and_have_the_lowest_similarity(rng, similarity):
    X = gp_map(rng, latent(rng, 30), 10)
    X[[4, 7]] = 0.1
    with pytest.warns(UserWarning, match=r"2 of 30 rows .* constant .* \(row 4, 7\)"):
        ikd = FullIKD(similarity=similarity, reference=4).fit(X)
    assert np.isfinite(ikd.embedding_).all()
    # The reference is at the lowest similarity to all rows, including itself.
    to_reference = ikd._fitted_variant.components[0].reference_distances
    assert_allclose(to_reference, -2 * np.log(1e-3))
    with pytest.warns(UserWarning, match=r"1 of 1 rows"):
        assert_allclose(ikd.transform(X[[4]]), ikd.embedding_[[4]], atol=1e-9)
