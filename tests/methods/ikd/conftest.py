"""Observations whose similarities are known exactly."""

import numpy as np
import pytest


@pytest.fixture
def rows_of_similarity(rng):
    """Return a function that makes rows whose covariance over the features is variance · K."""

    def make(K, variance=1.0):
        n_samples = len(K)
        n_features = n_samples + 5
        # Orthonormal columns that sum to zero, so that sample covariances are exact
        columns = rng.standard_normal((n_features, n_samples))
        basis = np.linalg.qr(columns - columns.mean(axis=0))[0]
        values, vectors = np.linalg.eigh(K)
        root = vectors * np.sqrt(np.clip(values, 0, None))
        offsets = rng.standard_normal((n_samples, 1))
        return np.sqrt(variance * (n_features - 1)) * root @ basis.T + offsets

    return make
