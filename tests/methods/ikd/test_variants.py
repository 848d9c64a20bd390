"""The variants of IKD through its estimator; test_ikd.py has the full one."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist

from nldr.datasets.curves import latent_curve
from nldr.kernels import KERNELS, Matern, SquaredExponential
from nldr.methods import ikd as module
from nldr.metrics.alignment import r2_affine
from nldr.neighborhoods.graphs import DisconnectedGraphWarning

IKD = partial(module.IKD, variant="full")
VARIANTS = ["full", "blockwise", "geodesic", "metric_geodesic"]
KERNEL = SquaredExponential()


def rows_of_similarity(K, seed=0):
    """Rows whose correlation over 5 features more than rows is exactly K."""
    n_samples = len(K)
    columns = np.random.default_rng(seed).standard_normal((n_samples + 5, n_samples))
    basis = np.linalg.qr(columns - columns.mean(axis=0))[0]
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.clip(values, 0, None)) @ basis.T


def observed(Z, kernel=KERNEL):
    return rows_of_similarity(kernel(cdist(Z, Z, "sqeuclidean")))


def patch(n_samples=60, seed=0):
    """Points so close that all similarities are above 0.5."""
    return np.random.default_rng(seed).uniform(-0.4, 0.4, (n_samples, 2))


def two_patches():
    return np.vstack([patch(20), patch(12, seed=1) + np.array([40.0, 0.0])])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kernel", [*KERNELS, Matern(0.8)], ids=str)
def test_well_known_similarities_give_the_exact_latent_and_place_new_points(variant, kernel):
    function = KERNELS[kernel]() if isinstance(kernel, str) else kernel
    Z = patch() / (4 if function(1.0) < 0.5 else 1)
    X = observed(Z, function)
    ikd = IKD(2, variant=variant, kernel=kernel, threshold=0.1, n_neighbors=39).fit(X[:40])
    assert ikd.kernel_ == function
    assert ikd.n_connected_components_ == 1
    # Shortest paths over the edges that are kept may bend a little.
    bend = 0.02 if variant == "metric_geodesic" else 0.0
    assert_allclose(pdist(ikd.embedding_), pdist(Z[:40]), atol=1e-5 + bend)
    places = np.vstack([ikd.embedding_, ikd.transform(X[40:])])
    assert_allclose(pdist(places), pdist(Z), atol=1e-4 + bend)


@pytest.mark.parametrize("reference", ["min_max", "min_mean", "center", 7])
def test_reference_does_not_change_the_shape_of_exact_data(reference):
    Z = patch()
    ikd = IKD(2, reference=reference).fit(observed(Z))
    assert_allclose(pdist(ikd.embedding_), pdist(Z), atol=1e-5)
    if reference == "center":
        assert ikd.reference_ is None
        assert_allclose(ikd.embedding_.mean(axis=0), 0, atol=1e-6)
    else:
        assert_allclose(ikd.embedding_[ikd.reference_], 0, atol=1e-5)


def test_paths_straighten_a_line_too_long_for_its_kernel():
    """Distant similarities are all at the bound; paths along a line add up exactly."""
    z = np.linspace(0, 12, 80)[:, np.newaxis]
    X = observed(z)
    long = IKD(1, variant="metric_geodesic", threshold=0.5).fit_transform(X)
    assert_allclose(pdist(long), pdist(z), rtol=1e-4, atol=1e-6)
    assert pdist(IKD(1).fit_transform(X)).max() < 0.6 * 12


def test_products_along_a_path_are_those_of_alternating_powers():
    """Best product over all paths, by repeated max-product squaring."""
    Z = np.random.default_rng(0).uniform(0, 4, (40, 2))
    K = KERNEL(cdist(Z, Z, "sqeuclidean"))
    ikd = IKD(2, variant="geodesic", threshold=0.4, reference=3).fit(rows_of_similarity(K))
    kept = np.where(K > 0.4, K, 0.0)
    best = kept
    for _ in range(6):
        best = (best[:, :, np.newaxis] * best[np.newaxis]).max(axis=1)
    expected = -2 * np.log(np.where(K > 0.4, K, best))[3]
    assert ikd.n_connected_components_ == 1
    assert_allclose(ikd.model_.parts[0].reference_distances, expected, atol=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_transform_of_the_fitted_rows_is_their_embedding(variant):
    X = observed(np.random.default_rng(0).uniform(0, 3, (70, 2)))
    X = X + 0.02 * np.random.default_rng(1).standard_normal(X.shape)
    ikd = IKD(2, variant=variant, similarity="correlation", threshold=0.3).fit(X)
    assert_allclose(ikd.transform(X), ikd.embedding_, atol=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_two_fits_are_identical(variant):
    X = observed(np.random.default_rng(0).uniform(0, 2, (70, 2)))
    one, other = IKD(2, variant=variant).fit(X), IKD(2, variant=variant).fit(X)
    assert_array_equal(one.embedding_, other.embedding_)
    assert 0 < one.explained_share_ <= 1
    assert (np.diff(one.eigenvalues_) <= 0).all()


@pytest.mark.parametrize("variant", VARIANTS[1:])
def test_parts_are_embedded_apart_and_placed_side_by_side_with_a_warning(variant):
    Z = two_patches()
    X = observed(Z)
    with pytest.warns(DisconnectedGraphWarning, match=r"32 rows into 2 parts \(of 20, 12 rows\)"):
        ikd = IKD(2, variant=variant, threshold=0.3).fit(X)
    assert ikd.n_connected_components_ == 2
    assert_array_equal(np.bincount(ikd.labels_), [20, 12])
    large, small = ikd.embedding_[:20], ikd.embedding_[20:]
    assert_allclose(pdist(large), pdist(Z[:20]), atol=1e-5)
    assert_allclose(pdist(small), pdist(Z[20:]), atol=1e-5)
    assert small[:, 0].min() > large[:, 0].max()
    assert_allclose(ikd.transform(X), ikd.embedding_, atol=1e-6)


def test_only_blockwise_has_cliques():
    X = observed(np.random.default_rng(0).uniform(0, 3, (50, 2)))
    ikd = IKD(2, variant="blockwise", threshold=0.3).fit(X)
    assert_array_equal(np.unique(np.concatenate(ikd.cliques_)), np.arange(50))
    assert not ikd.reference_embedding_used_
    assert IKD(2).fit(X).cliques_ == []


def test_reference_embedding_steps_in_where_blocks_fail():
    data = latent_curve(
        curve="hard",
        kernel="squared_exponential",
        n_features=100,
        length_scale=0.5,
        noise=0.0,
        rng=np.random.default_rng(0),
    )
    X = data.X
    alone = IKD(3, variant="blockwise").fit(X)
    helped = IKD(3, variant="blockwise", reference_embedding="isomap").fit(X)
    assert not alone.reference_embedding_used_
    assert helped.reference_embedding_used_
    assert r2_affine(data.Z, helped.embedding_) > r2_affine(data.Z, alone.embedding_) + 0.1
    assert_allclose(helped.transform(X), helped.embedding_, atol=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_landmarks_of_exact_data_place_all_rows(variant):
    Z = patch(90)
    X = observed(Z)
    options = {"variant": variant, "threshold": 0.3, "similarity": "correlation"}
    ikd = IKD(2, **options, landmarks=30, random_state=0).fit(X)
    assert ikd.rows_.scaled.shape == (30, X.shape[1])
    assert_allclose(pdist(ikd.embedding_), pdist(Z), atol=1e-4)
    alone = IKD(2, **options).fit(X[ikd.landmark_indices_])
    assert_allclose(ikd.embedding_[ikd.landmark_indices_], alone.embedding_, atol=1e-9)
    assert_allclose(ikd.transform(X), ikd.embedding_, atol=1e-6)


def test_landmarks_depend_on_the_seed_and_are_all_rows_if_as_many():
    X = observed(patch(40))
    chosen = [
        IKD(2, landmarks=10, random_state=seed).fit(X).landmark_indices_ for seed in (0, 0, 1)
    ]
    assert_array_equal(chosen[0], chosen[1])
    assert (chosen[0] != chosen[2]).any()
    assert_array_equal(IKD(2, landmarks=50).fit_transform(X), IKD(2).fit_transform(X))


def test_reference_row_is_named_by_its_index_in_the_data():
    X = observed(patch(40))
    ikd = IKD(2, landmarks=10, random_state=0, similarity="correlation").fit(X)
    assert ikd.reference_ in ikd.landmark_indices_
    assert_allclose(ikd.embedding_[ikd.reference_], 0, atol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"variant": "blocks"}, "'variant' parameter of IKD must be"),
        ({"kernel": "rbf"}, "'kernel' parameter of IKD must be"),
        ({"kernel": np.exp}, "'kernel' parameter of IKD must be"),
        ({"threshold": 1.0}, "'threshold' parameter of IKD must be"),
        ({"landmarks": 1}, "'landmarks' parameter of IKD must be"),
        ({"n_components": 9, "landmarks": 8}, "n_components=9 is more than the 8 landmarks"),
        ({"reference": 8, "landmarks": 8}, "reference=8 is no row of X, which has 8 samples"),
        ({"variant": "blockwise", "reference": 3}, "reference=3 is one row, but each block"),
    ],
)
def test_unusable_parameters_are_errors(parameters, message):
    with pytest.raises(ValueError, match=message):
        IKD(**parameters).fit(observed(patch(30)))
