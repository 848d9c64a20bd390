"""The suggested dimension is the latent's, errors are calibrated, and each misfit is named."""

import re
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import orthogonal_procrustes

from nldr.datasets.encoding_models import encoding_model
from nldr.methods.ikd.diagnostics import (
    ModelMisfitWarning,
    diagnose,
    standard_errors,
    suggest_dimension,
)
from nldr.methods.ikd.ikd import IKD as AnyIKD

IKD = partial(AnyIKD, variant="metric_geodesic")


def observe(rng, model="annulus", **params):
    options = {"n_samples": 200, "n_features": 200, "n_latent": 2, "mean_sd": 0.0, "noise": 0.1}
    return encoding_model(model=model, **(options | params), rng=rng)


def messages(X, estimator=None):
    """Return the messages of a diagnosis, which are those of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        diagnosis = diagnose(X, estimator, n_splits=1)
    misfits = [str(w.message) for w in caught if w.category is ModelMisfitWarning]
    assert misfits == list(diagnosis.messages)
    assert diagnosis.standard_errors.shape == (len(X),)
    return " ".join(misfits)


@pytest.mark.filterwarnings("ignore::nldr.neighborhoods.graphs.DisconnectedGraphWarning")
@pytest.mark.parametrize("n_latent", [1, 2, 4, 6])
def test_suggested_dimension_is_that_of_the_latent(rng, n_latent):
    X = observe(rng, n_samples=300, n_latent=n_latent).X
    dimension, gap = suggest_dimension(IKD(10).fit(X).eigenvalues_)
    assert dimension == n_latent
    assert gap > 1.5


def test_suggestion_maximizes_the_profile_likelihood(rng):
    values = np.sort(rng.lognormal(size=8))[::-1]

    def log_likelihood(q):
        groups = np.log(values[:q]), np.log(values[q:])
        variance = sum(np.sum((g - g.mean()) ** 2) for g in groups) / 8
        residuals = np.concatenate([g - g.mean() for g in groups])
        return -4 * np.log(variance) - np.sum(residuals**2) / variance / 2

    dimension, gap = suggest_dimension(values)
    assert dimension == np.argmax([log_likelihood(q) for q in range(1, 8)]) + 1
    assert gap == pytest.approx(values[dimension - 1] / values[dimension])


def test_eigenvalues_of_zero_are_a_group():
    assert suggest_dimension([3.0, 2.0, 1.0, 0.0, 0.0])[0] == 3


def test_standard_errors_predict_the_scatter_over_new_features(rng):
    # 20 sets of features over the same latent
    data = observe(rng, "figure_eight", n_samples=100, n_features=20 * 60, noise=0.0)
    predicted, embeddings = [], []
    for chosen in np.split(np.arange(20 * 60), 20):
        ikd = IKD(2, center_features=False).fit(data.X[:, chosen])
        predicted.append(standard_errors(data.X[:, chosen], ikd, n_splits=2))
        embeddings.append(ikd.embedding_)
    # Scatter about the mean of the aligned embeddings
    first = embeddings[0] - embeddings[0].mean(axis=0)
    aligned = []
    for embedding in embeddings:
        centered = embedding - embedding.mean(axis=0)
        rotation, size = orthogonal_procrustes(centered, first)
        aligned.append(size / np.sum(centered**2) * centered @ rotation)
    scatter = np.sqrt(np.var(aligned, axis=0).sum(axis=1))
    expected = np.sqrt(np.mean(np.square(predicted), axis=0))
    assert 0.6 < np.median(expected / scatter) < 1.7


UNREFINED = {"n_samples": 50, "n_features": 60}
PLAIN = IKD(center_features=False)


@pytest.mark.parametrize(
    ("params", "estimator", "pattern"),
    [
        # What fits is not named
        ({}, None, ""),
        ({"mean_sd": 2.0}, None, ""),
        ({"n_samples": 50}, AnyIKD(), ""),
        ({"n_latent": 3}, IKD(3), "(?!.*n_components).*"),
        # What does not fit is
        ({"mean_sd": 2.0}, PLAIN, ".*try center_features=True.*"),
        ({"n_latent": 3}, None, ".*try n_components=3.*"),
        (UNREFINED | {"noise": 0.7}, AnyIKD(), "(?!.*too much to refine).*white noise is.*"),
        (UNREFINED | {"noise": 3.0}, AnyIKD(), ".*too much to refine.*"),
        ({"noise": 1.0}, None, ".*the rows are noisy.*"),
    ],
)
def test_misfit_is_named(rng, params, estimator, pattern):
    assert re.fullmatch(pattern, messages(observe(rng, **params).X, estimator))


def test_misfit_of_changed_data_is_named(rng):
    X = observe(rng).X
    columns = observe(rng, "anisotropic").X
    assert "negative similarities" in messages(columns - columns.mean(axis=0), PLAIN)
    repeated = np.repeat(observe(rng, n_features=25, noise=0.0).X, 16, axis=1)
    assert "Features may repeat each other" in messages(repeated)
    X[[3, 70]] = rng.standard_normal((2, 200))
    assert "2 of 200 rows are unlike all others (row 3, 70)" in messages(X)


def test_the_estimator_is_not_changed(rng):
    X = observe(rng).X
    ikd = IKD(3).fit(X)
    before = ikd.embedding_.copy()
    messages(X, ikd)
    assert ikd.n_components == 3
    assert_allclose(ikd.embedding_, before)
