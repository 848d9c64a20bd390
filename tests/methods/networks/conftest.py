"""Data that the tests of all network estimators share."""

import os

import numpy as np
import pytest


@pytest.fixture(scope="session")
def blobs():
    """Return three clusters of 30 points that are far apart."""
    rng = np.random.default_rng(int(os.environ.get("NLDR_TEST_SEED", 0)))
    return rng.standard_normal((90, 4)) + 30 * np.eye(4)[np.repeat(np.arange(3), 30)]
