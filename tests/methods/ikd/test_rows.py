"""Similarities are what their names say, and estimate the kernel."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from nldr.methods.ikd._rows import Rows
from nldr.methods.ikd.ikd import IKD


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(12, 30)) + 0.5


def test_covariance_and_correlation_are_numpys(X):
    covariance = np.cov(X)
    found = Rows(X, "covariance", 1e-3).compare_all()
    assert_allclose(found, np.clip(covariance / covariance.diagonal().mean(), 1e-3, 1))
    found = Rows(X, "correlation", 1e-3).compare_all()
    assert_allclose(found, np.clip(np.corrcoef(X), 1e-3, 1))


def test_variogram_is_its_definition(X):
    rows = Rows(X, "variogram", 1e-3)
    expected = 1 - cdist(X, X, "sqeuclidean") / (2 * X.shape[1] * np.mean(X**2))
    assert_allclose(rows.compare_all(), np.clip(expected, 1e-3, 1))
    assert_allclose(rows.compare(X[:5]), np.clip(expected[:5], 1e-3, 1))


def test_variogram_estimates_a_kernel_with_less_error_than_the_correlation():
    rng = np.random.default_rng(1)
    z = np.linspace(0, 6, 40)
    kernel = np.exp(-0.5 * (z[:, np.newaxis] - z) ** 2)
    half = np.linalg.cholesky(kernel + 1e-9 * np.eye(40))
    errors = {"variogram": [], "correlation": []}
    for _ in range(50):
        X = half @ rng.normal(size=(40, 15))
        for kind, known in errors.items():
            found = Rows(X, kind, 1e-3).compare_all()
            known.append(np.abs(found - kernel)[kernel > 0.9].mean())
    assert np.mean(errors["variogram"]) < 0.9 * np.mean(errors["correlation"])


def test_auto_takes_the_variogram_of_rows_of_equal_strength():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 20))
    assert IKD(similarity="auto").fit(X).similarity_ == "variogram"
    strong = X * rng.uniform(0.5, 2, size=(300, 1))
    assert IKD(similarity="auto").fit(strong).similarity_ == "correlation"


def test_constant_rows_alone_are_refused():
    with pytest.raises(ValueError, match="all rows of X are constant"):
        Rows(np.ones((3, 4)), "correlation", 1e-3)
