"""Sammon mapping: solutions known in closed form, and its gradient."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.spatial.distance import pdist, squareform
from sklearn.decomposition import PCA

from nldr.methods import MetricMDS, Sammon
from nldr.methods.spectral.sammon import sammon_stress


def stress_of(X, Y):
    """Return Sammon's stress by its definition."""
    d, embedded = pdist(X), pdist(Y)
    return np.sum((d - embedded) ** 2 / d) / d.sum()


def test_equilateral_triangle_on_a_line():
    # Three points at -a, 0, a: (1 − a)² twice and (1 − 2a)² are least at a = 2/3
    embedding = Sammon(1, tol=1e-15).fit(np.eye(3))
    assert_allclose(np.diff(np.sort(embedding.embedding_.ravel())), np.sqrt(2) * 2 / 3, rtol=1e-6)
    assert embedding.stress_ == pytest.approx(1 / 9)


def test_gradient_and_stress(rng):
    X, Y = rng.normal(size=(15, 4)), rng.normal(size=(15, 2))
    distances = squareform(pdist(X))
    stress, gradient = sammon_stress(Y.ravel(), distances)
    assert stress == pytest.approx(stress_of(X, Y))
    numeric = approx_fprime(Y.ravel(), lambda flat: sammon_stress(flat, distances)[0])
    assert_allclose(gradient, numeric, atol=1e-6)


def test_result_is_a_minimum_below_the_start_and_metric_mds(rng):
    X = rng.normal(size=(60, 5))
    sammon = Sammon(tol=1e-15).fit(X)
    assert sammon.stress_ == pytest.approx(stress_of(X, sammon.embedding_))
    _, gradient = sammon_stress(sammon.embedding_.ravel(), squareform(pdist(X)))
    assert np.abs(gradient).max() < 1e-5
    others = (PCA(2).fit_transform(X), MetricMDS().fit_transform(X))
    assert sammon.stress_ < min(stress_of(X, other) for other in others)


def test_equal_rows_far_from_the_origin_have_distance_zero(rng):
    X = np.repeat(rng.normal(size=(20, 4)), 2, axis=0)
    # Products of coordinates would tell equal rows apart
    assert Sammon().fit(X + 1e5).stress_ == pytest.approx(Sammon().fit(X).stress_, rel=1e-3)
