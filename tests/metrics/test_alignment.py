"""R² and Procrustes residual: against other implementations, closed forms, invariances."""

import numpy as np
import pytest
from scipy.spatial import procrustes as scipy_procrustes
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score

from nldr.metrics.alignment import procrustes, r2_affine


@pytest.mark.parametrize("n_latent", [1, 2, 3])
@pytest.mark.parametrize("n_components", [1, 2, 5])
@pytest.mark.parametrize("n_samples", [8, 200])
def test_equals_linear_regression(n_samples, n_components, n_latent, rng):
    embedding = rng.normal(size=(n_samples, n_components)) * 10 + 3
    mixed = embedding @ rng.normal(size=(n_components, n_latent))
    Z = np.tanh(mixed) + rng.normal(size=mixed.shape) + 7
    predicted = LinearRegression().fit(embedding, Z).predict(embedding)
    expected = r2_score(Z, predicted, multioutput="uniform_average")
    assert r2_affine(Z, embedding) == pytest.approx(expected, abs=1e-12)


def test_collinear_and_constant_columns_are_ignored_and_scales_may_differ(rng):
    Z, embedding = rng.normal(size=(50, 2)), rng.normal(size=(50, 2))
    redundant = np.column_stack(
        [embedding, embedding @ [2.0, -3.0], np.full(50, 0.1), np.full(50, 1e9), np.zeros(50)]
    )
    assert r2_affine(Z, redundant) == pytest.approx(r2_affine(Z, embedding), abs=1e-12)
    assert r2_affine(Z, Z * [1e-200, 1e200]) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("n_latent", "n_components"), [(1, 1), (3, 3), (1, 4), (3, 2)])
@pytest.mark.parametrize("n_samples", [2, 3, 100])
def test_procrustes_equals_scipy(n_samples, n_latent, n_components, rng):
    Z = rng.normal(size=(n_samples, n_latent))
    embedding = 1e3 + rng.normal(size=(n_samples, n_components)) * rng.uniform(1, 5)
    embedding[:, 0] += Z[:, 0]
    widest = max(n_latent, n_components)
    padded = [np.pad(A, ((0, 0), (0, widest - A.shape[1]))) for A in (Z, embedding)]
    expected = scipy_procrustes(*padded)[2]
    assert procrustes(Z, embedding) == pytest.approx(expected, abs=1e-12)
    assert procrustes(embedding, Z) == pytest.approx(expected, abs=1e-12)


def test_collapsed_embedding_explains_nothing(rng):
    Z, point = rng.normal(size=(20, 2)), np.full((20, 2), 0.1)
    assert (r2_affine(Z, point), procrustes(Z, point)) == (0, 1)
