"""All variants of IKD through the estimator; test_ikd.py tests the full variant in detail."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist

from nldr.datasets.curves import latent_curve
from nldr.kernels import KERNELS, Matern, SquaredExponential
from nldr.methods.ikd.ikd import IKD
from nldr.metrics.alignment import r2_affine
from nldr.neighborhoods.graphs import DisconnectedGraphWarning

VARIANTS = ["full", "blockwise", "geodesic", "metric_geodesic"]
KERNEL = SquaredExponential()


@pytest.fixture
def observe(rows_of_similarity):
    """Return a function that makes rows whose correlations are the kernel of latent points."""
    return lambda Z, kernel=KERNEL: rows_of_similarity(kernel(cdist(Z, Z, "sqeuclidean")))


def patch(rng, n_samples=60):
    """Return points so close that all similarities exceed 0.5."""
    return rng.uniform(-0.4, 0.4, (n_samples, 2))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kernel", [*KERNELS, Matern(0.8)], ids=str)
def test_exact_similarities_give_the_latent_and_place_new_points(rng, observe, variant, kernel):
    function = KERNELS[kernel]() if isinstance(kernel, str) else kernel
    Z = patch(rng) / (4 if function(1.0) < 0.5 else 1)
    X = observe(Z, function)
    # All rows are similar, so that "auto" would take their similarity for that of feature means.
    options = {"variant": variant, "kernel": kernel, "center_features": False}
    ikd = IKD(2, **options, threshold=0.1, n_neighbors=39).fit(X[:40])
    assert ikd.kernel_ == function
    assert ikd.n_connected_components_ == 1
    # Training rows have an edge to each other, new rows may need paths of two edges.
    bend = 0.02 if variant == "metric_geodesic" else 0.0
    assert_allclose(pdist(ikd.embedding_), pdist(Z[:40]), atol=1e-5 + bend)
    coordinates = np.vstack([ikd.embedding_, ikd.transform(X[40:])])
    assert_allclose(pdist(coordinates), pdist(Z), atol=1e-4 + bend)


def test_geodesic_similarities_are_the_largest_products_along_paths(rng, observe):
    Z = rng.uniform(0, 3, (40, 2))
    K = KERNEL(cdist(Z, Z, "sqeuclidean"))
    ikd = IKD(2, variant="geodesic", threshold=0.4, reference=3).fit(observe(Z))
    # Largest products over paths of up to 64 edges, by repeated max-product squaring
    best = np.where(K > 0.4, K, 0.0)
    for _ in range(6):
        best = (best[:, :, np.newaxis] * best[np.newaxis]).max(axis=1)
    expected = -2 * np.log(np.where(K > 0.4, K, best))[3]
    assert ikd.n_connected_components_ == 1
    assert_allclose(ikd._fitted_variant.components[0].reference_distances, expected, atol=1e-8)


@pytest.mark.parametrize("variant", VARIANTS[1:])
def test_connected_components_are_embedded_separately_side_by_side(rng, observe, variant):
    Z = np.vstack([patch(rng, 20), patch(rng, 12) + np.array([40.0, 0.0])])
    X = observe(Z)
    message = r"similar rows has 2 connected components \(20, 12 of 32 rows\)"
    with pytest.warns(DisconnectedGraphWarning, match=message):
        ikd = IKD(2, variant=variant, threshold=0.3).fit(X)
    assert ikd.n_connected_components_ == 2
    assert_array_equal(np.bincount(ikd.labels_), [20, 12])
    large, small = ikd.embedding_[:20], ikd.embedding_[20:]
    assert_allclose(pdist(large), pdist(Z[:20]), atol=1e-5)
    assert_allclose(pdist(small), pdist(Z[20:]), atol=1e-5)
    assert small[:, 0].min() > large[:, 0].max()
    assert_allclose(ikd.transform(X), ikd.embedding_, atol=1e-6)


def test_only_blockwise_has_cliques(rng, observe):
    X = observe(rng.uniform(0, 3, (50, 2)))
    ikd = IKD(2, variant="blockwise", threshold=0.3).fit(X)
    assert_array_equal(np.unique(np.concatenate(ikd.cliques_)), np.arange(50))
    assert not ikd.reference_embedding_used_
    assert IKD(2, polish=False).fit(X).cliques_ == []


def test_reference_embedding_helps_where_blocks_fail(rng):
    options = {"n_components": 3, "variant": "blockwise"}
    curve = {"curve": "hard", "kernel": "squared_exponential", "length_scale": 0.5, "noise": 0.0}
    # The blocks fail in 70 % of the draws: take the first of ten in which they do.
    for _ in range(10):
        data = latent_curve(**curve, n_features=50, rng=rng)
        aligned = IKD(**options, reference_embedding="isomap").fit(data.X)
        if aligned.reference_embedding_used_:
            break
    assert aligned.reference_embedding_used_
    merged = IKD(**options).fit(data.X)
    assert not merged.reference_embedding_used_
    # Over 70 draws the gain in R² was 0.39 on average, with a standard deviation of 0.13.
    assert r2_affine(data.Z, aligned.embedding_) > r2_affine(data.Z, merged.embedding_) + 0.05
    assert_allclose(aligned.transform(data.X), aligned.embedding_, atol=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_landmarks_of_exact_data_place_all_rows(rng, observe, variant):
    Z = patch(rng, 90)
    X = observe(Z)
    options = {"variant": variant, "threshold": 0.3, "center_features": False}
    options |= {"similarity": "correlation"}
    ikd = IKD(2, **options, landmarks=30, random_state=0).fit(X)
    assert ikd.landmark_indices_.shape == ikd.labels_.shape == (30,)
    assert_allclose(pdist(ikd.embedding_), pdist(Z), atol=1e-4)
    landmarks_only = IKD(2, **options).fit(X[ikd.landmark_indices_])
    assert_allclose(ikd.embedding_[ikd.landmark_indices_], landmarks_only.embedding_, atol=1e-9)
    assert_allclose(ikd.transform(X), ikd.embedding_, atol=1e-6)


def test_landmarks_depend_on_the_seed_and_as_many_as_rows_change_nothing(rng, observe):
    X = observe(patch(rng, 40))
    first, same, other, every, plain = (
        IKD(2, polish=False, landmarks=landmarks, random_state=seed).fit(X)
        for landmarks, seed in ((10, 0), (10, 0), (10, 1), (50, 0), (None, 0))
    )
    assert_array_equal(first.landmark_indices_, same.landmark_indices_)
    assert (first.landmark_indices_ != other.landmark_indices_).any()
    # As many landmarks as rows change nothing
    assert_array_equal(every.embedding_, plain.embedding_)


def test_reference_of_landmarks_is_an_index_of_the_data(rng, observe):
    X = observe(patch(rng, 40))
    ikd = IKD(2, variant="full", landmarks=10, random_state=0, similarity="correlation").fit(X)
    assert ikd.reference_ in ikd.landmark_indices_
    assert_allclose(ikd.embedding_[ikd.reference_], 0, atol=1e-6)
