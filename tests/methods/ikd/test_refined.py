"""The variant refined, IKD's default."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from nldr.datasets.encoding_models import encoding_model
from nldr.kernels import SquaredExponential
from nldr.methods.ikd._choice import default_landmarks, landmark_sets
from nldr.methods.ikd._refined import RefinedVariant
from nldr.methods.ikd._similarity import RowSimilarity
from nldr.methods.ikd.ikd import IKD
from nldr.metrics.alignment import r2_affine


def data(rng, model="annulus", **params):
    options = {"n_samples": 100, "n_features": 60, "n_latent": 2, "mean_sd": 0.0, "noise": 0.1}
    return encoding_model(model=model, **(options | params), rng=rng)


def test_refinement_beats_the_closed_form_and_has_length_scales_as_unit(rng):
    observed = data(rng)
    refined, paths = IKD().fit(observed.X), IKD(variant="metric_geodesic").fit(observed.X)
    assert refined.polished_
    assert r2_affine(observed.Z, refined.embedding_) > 0.99
    assert r2_affine(observed.Z, refined.embedding_) > r2_affine(observed.Z, paths.embedding_)
    # The annulus has an outer radius of 1 and the features a length scale of 0.5
    assert_allclose(np.linalg.norm(refined.embedding_, axis=1).max(), 2, atol=0.3)


@pytest.mark.parametrize(("noise", "share"), [(0.5, 0.2), (1.0, 0.5)])
def test_noise_share_is_estimated(rng, noise, share):
    observed = data(rng, n_features=100, noise=noise)
    assert_allclose(IKD().fit(observed.X).noise_share_, share, atol=0.08)


def test_counts_of_few_features_are_not_refined(rng):
    observed = data(rng, "poisson", n_samples=60, n_features=20, noise=0.0)
    assert not IKD().fit(observed.X).polished_
    assert IKD(polish=True).fit(observed.X).polished_


def test_other_rows_are_placed(rng):
    observed = data(rng, n_samples=200)
    ikd = IKD(landmarks=100, random_state=0).fit(observed.X)
    assert r2_affine(observed.Z, ikd.embedding_) > 0.99
    assert_allclose(ikd.transform(observed.X), ikd.embedding_, atol=1e-8)


def test_two_fits_without_a_seed_are_equal(rng):
    observed = data(rng, n_samples=90)
    first, second = (IKD(polish=False, landmarks=40).fit(observed.X) for _ in range(2))
    assert_array_equal(first.embedding_, second.embedding_)
    # Even rows are not left out, nor is any stretch of rows
    assert 15 <= (first.landmark_indices_ % 2).sum() <= 25
    assert np.diff(first.landmark_indices_, prepend=-1, append=90).max() <= 5


def test_the_likelier_of_two_sets_of_many_rows_is_kept(rng, monkeypatch):
    monkeypatch.setattr("nldr.methods.ikd.ikd.MANY_ROWS", 200)
    monkeypatch.setattr("nldr.methods.ikd._choice.MANY_ROWS", 200)
    monkeypatch.setattr("nldr.methods.ikd._choice.MAX_FITTED", 40)
    observed = data(rng, n_samples=200)
    sets = landmark_sets(200, 40, 2, None)
    alone = [IKD().fit(observed.X[rows]) for rows in sets]
    judge = alone[0]._fitted_variant
    likelihoods = [judge.likelihood_at(observed.X, one.transform(observed.X)) for one in alone]
    best = int(np.argmax(likelihoods))
    ikd = IKD().fit(observed.X)
    assert_array_equal(ikd.landmark_indices_, sets[best])
    assert_allclose(ikd.embedding_, alone[best].transform(observed.X), atol=1e-8)
    # Rows that were moved at random are less likely
    moved = rng.permutation(alone[best].transform(observed.X))
    assert judge.likelihood_at(observed.X, moved) < min(likelihoods) - 0.1


@pytest.mark.parametrize(("n_features", "n_fitted"), [(2, 1000), (10, 1000), (16, 625), (20, 500)])
def test_more_rows_are_fitted_with_few_features(n_features, n_fitted):
    assert default_landmarks("refined", 5000, n_features) == n_fitted
    assert default_landmarks("refined", 20_000, n_features) == 1000
    assert default_landmarks("blockwise", 5000, n_features) == 5000


@pytest.mark.parametrize(("n_features", "is_compared"), [(10, False), (20, True)])
def test_centering_is_not_switched_with_few_features(rng, n_features, is_compared):
    rows = data(rng, n_samples=40, n_features=n_features).X
    similarity = RowSimilarity(rows, "correlation", 1e-3)
    variant = RefinedVariant(SquaredExponential(), 5, None, polish=False)
    starts = variant._starts(rows, similarity, "correlation", 2)
    assert ("paths, centering switched" in starts) == is_compared
