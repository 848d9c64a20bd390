"""Synthetic datasets of the catalog, with some of their parameters changed."""

import numpy as np
import yaml
from conftest import ROOT

from nldr.engine.code.imports import import_object

CATALOG = yaml.safe_load((ROOT / "workflow/catalog/datasets.yaml").read_text("utf-8"))


def make(name, seed=0, **params):
    """Return a dataset; the seed may be a generator of random numbers."""
    entry = CATALOG[name]
    function = import_object(entry["function"])
    return function(**entry["params"] | params, rng=np.random.default_rng(seed))


def assert_covariance(features, covariance):
    """Assert that features are normal with mean 0 and the given covariance of the points.

    The whitened ones are standard normal: their singular values, divided by sqrt(N), exceed
    1 ± sqrt(n / N) by more than t with probability exp(-N t² / 2).
    """
    n_samples, n_features = features.shape
    root = np.linalg.cholesky(covariance + 1e-8 * np.eye(n_samples))
    whitened = np.linalg.solve(root, features) / np.sqrt(n_features)
    singular = np.linalg.svd(whitened, compute_uv=False)
    assert np.abs(singular - 1).max() < np.sqrt(n_samples / n_features) + 0.03
