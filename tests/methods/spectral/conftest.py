"""Data shared by the tests of spectral methods."""

import numpy as np
import pytest
from sklearn.datasets import make_swiss_roll

CENTERS = 30 * np.eye(3)


@pytest.fixture
def roll(rng):
    """Swiss roll of 400 points."""
    return make_swiss_roll(400, random_state=int(rng.integers(2**31)))[0]


@pytest.fixture
def two_clusters(rng):
    """Two cubes of 30 points, 42 apart; with 12 neighbors, each point is a neighbor of another."""
    return rng.uniform(-2, 2, (60, 3)) + np.repeat(CENTERS[:2], 30, axis=0)


@pytest.fixture
def three_clusters(rng):
    """Three cubes of 30 points, 42 apart."""
    return rng.uniform(-2, 2, (90, 3)) + np.repeat(CENTERS, 30, axis=0)
