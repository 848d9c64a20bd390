"""Fixtures of the tests of datasets."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def seed(rng: np.random.Generator) -> int:
    """Return a seed for calls that must draw the same numbers; see the fixture ``rng``."""
    return int(rng.integers(2**32))
