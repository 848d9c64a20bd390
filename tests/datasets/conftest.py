"""Fixtures of the tests of datasets."""

import pytest


@pytest.fixture
def seed(rng):
    """Return a seed for calls that must draw the same numbers; see the fixture ``rng``."""
    return int(rng.integers(2**32))
