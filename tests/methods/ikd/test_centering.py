"""Constants added to the features are found, and change little once they are subtracted."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nldr.datasets.encoding_models import encoding_model
from nldr.datasets.latent import map_by_gp
from nldr.kernels import SquaredExponential
from nldr.methods.ikd._similarity import RowSimilarity, has_feature_means
from nldr.methods.ikd.ikd import IKD as AnyIKD
from nldr.metrics.alignment import r2_affine

IKD = partial(AnyIKD, variant="metric_geodesic")
KERNEL = SquaredExponential()
KINDS = ["covariance", "correlation", "variogram"]


@pytest.fixture
def seed(rng):
    """Return the seed of one draw of the data, with and without options."""
    return int(rng.integers(2**31))


def annulus(seed, **params):
    options = {"model": "annulus", "n_features": 100, "mean_sd": 0.0}
    sizes = {"n_samples": 200, "n_latent": 2, "noise": 0.1}
    return encoding_model(**sizes, **(options | params), rng=np.random.default_rng(seed))


@pytest.mark.parametrize("kind", KINDS)
def test_constants_of_the_features_change_no_similarity(rng, kind):
    X, constants = rng.normal(size=(40, 25)), 5 * rng.normal(size=25)
    plain, shifted = (RowSimilarity(x, kind, 1e-3, True) for x in (X, X + constants))
    assert_allclose(shifted.compare_all(), plain.compare_all(), atol=1e-12)
    assert_allclose(shifted.compare(X[:3] + constants), plain.compare(X[:3]), atol=1e-12)


def test_far_rows_are_restored_to_no_similarity(seed):
    # The annulus has a diameter of four length scales: its far rows have a similarity of 0.
    data = annulus(seed, n_features=10_000)
    similarity = RowSimilarity(data.X, "variogram", -1.0, True).compare_all()
    squared = np.square(data.Z[:, np.newaxis] - data.Z).sum(axis=2) / 0.25
    # Noise of variance 0.01 and the sampling error of 10 000 features
    assert np.abs(similarity - KERNEL(squared))[~np.eye(200, dtype=bool)].max() < 0.07


@pytest.mark.parametrize(("mean_sd", "n_features"), [(1.0, 30), (1.0, 200), (5.0, 30)])
def test_means_cost_little(seed, mean_sd, n_features):
    plain = annulus(seed, n_features=n_features)
    shifted = annulus(seed, n_features=n_features, mean_sd=mean_sd)
    ikd = IKD(2).fit(shifted.X)
    assert ikd.center_features_
    without = r2_affine(plain.Z, IKD(2, center_features=False).fit_transform(plain.X))
    assert r2_affine(plain.Z, ikd.embedding_) > without - 0.02
    # New rows get the same means
    assert_allclose(ikd.transform(shifted.X[:20]), ikd.embedding_[:20], atol=1e-6)


def test_data_without_means_are_left_alone(seed):
    for model in ("annulus", "periodic", "von_mises"):
        data = annulus(seed, model=model)
        ikd = IKD(2).fit(data.X)
        assert not ikd.center_features_
        alone = IKD(2, center_features=False).fit_transform(data.X)
        assert_allclose(ikd.embedding_, alone)


def test_a_latent_within_a_length_scale_survives_needless_centering(rng):
    Z = rng.uniform(0, 0.5, (150, 2))
    X = map_by_gp(Z, KERNEL, 1.0, 50, 0.03, rng).X
    ikd = IKD(2).fit(X)
    assert ikd.center_features_
    assert ikd.similarity_ == "variogram"
    assert r2_affine(Z, ikd.embedding_) > 0.98


def test_rows_of_one_profile_have_no_means(rng):
    profile = rng.normal(size=10)
    assert not has_feature_means(np.outer(rng.uniform(1, 2, 30), profile))


@pytest.mark.filterwarnings("ignore::nldr.neighborhoods.graphs.DisconnectedGraphWarning")
def test_published_variants_do_not_center(rng):
    X = rng.normal(size=(50, 20)) + 3 * rng.normal(size=20)
    for variant in ("full", "blockwise", "geodesic", "knn_geodesic"):
        assert not AnyIKD(variant=variant).fit(X).center_features_
        assert AnyIKD(variant=variant, center_features="auto").fit(X).center_features_
