"""A curve that several models are fitted to."""

import functools

import numpy as np
import pytest


@pytest.fixture(scope="session")
def circle():
    """Return a closed curve in four dimensions, and noisy observations of it in fifteen."""
    rng = np.random.default_rng(0)
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    curve = np.column_stack([np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)])
    return curve, curve @ rng.standard_normal((4, 15)) + 0.3 * rng.standard_normal((60, 15))


@pytest.fixture(scope="session")
def fit_noisy(circle):
    """Return a function that fits a model to the observations; equal models are fitted once."""
    options = {"n_inducing": 15, "tol": 1e-4, "random_state": 0}
    return functools.cache(lambda method, **params: method(**options | params).fit(circle[1]))
