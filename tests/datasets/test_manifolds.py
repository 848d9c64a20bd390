"""The manifolds have the stated equations, and their latent the stated geometry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial import KDTree

from nldr.dataset import DataSet
from nldr.datasets.manifolds import swiss_roll

PI = np.pi


def roll(seed: int = 0, **params: Any) -> DataSet:
    defaults = {"n_samples": 500, "height": 30.0, "noise": 0.0}
    return swiss_roll(**{**defaults, **params}, rng=np.random.default_rng(seed))


def test_swiss_roll_equation() -> None:
    X = roll().X
    rng = np.random.default_rng(0)
    p, q = rng.random(500), rng.random(500)
    t = np.hypot(X[:, 0], X[:, 2])
    np.testing.assert_allclose(t, 1.5 * PI * (1 + 2 * p), rtol=1e-13)
    np.testing.assert_allclose(X[:, 0] + 1j * X[:, 2], t * np.exp(1j * t), rtol=1e-12)
    np.testing.assert_allclose(X[:, 1], 30 * q, rtol=1e-13)


def test_swiss_roll_latent_is_isometric() -> None:
    data = roll(n_samples=20_000)
    assert data.Z is not None
    far, neighbours = KDTree(data.Z).query(data.Z, k=7)
    near = np.linalg.norm(data.X[:, None] - data.X[neighbours[:, 1:]], axis=2)
    # A chord is shorter than its arc s by a share of (s * curvature)^2 / 24, curvature < 0.25.
    assert far.max() < 1.5
    ratio = near / far[:, 1:]
    assert ratio.max() < 1 + 1e-12
    assert (1 - ratio <= (0.25 * far[:, 1:]) ** 2 / 24 + 1e-12).all()


def test_swiss_roll_arc_length() -> None:
    data = roll(n_samples=20)
    assert data.Z is not None
    t = np.hypot(data.X[:, 0], data.X[:, 2])
    lengths = [quad(lambda u: np.sqrt(1 + u**2), 0, end)[0] for end in t]
    np.testing.assert_allclose(data.Z[:, 0], lengths, rtol=1e-10)


def test_swiss_roll_height() -> None:
    low, high = roll(height=1.0), roll(height=30.0)
    assert low.Z is not None
    assert high.Z is not None
    np.testing.assert_allclose(30 * low.Z[:, 1], high.Z[:, 1])
    np.testing.assert_array_equal(low.Z[:, 0], high.Z[:, 0])
    assert 29 < np.ptp(high.X[:, 1]) < 30


def test_swiss_roll_noise() -> None:
    silent, noisy = roll(n_samples=5000), roll(n_samples=5000, noise=0.3)
    assert silent.clean is None
    assert noisy.clean is not None
    np.testing.assert_array_equal(noisy.clean, silent.X)
    np.testing.assert_array_equal(noisy.Z, silent.Z)
    errors = noisy.X - noisy.clean
    np.testing.assert_allclose(errors.std(axis=0), 0.3, rtol=0.05)
    np.testing.assert_allclose(np.corrcoef(errors.T), np.eye(3), atol=0.06)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_samples": 0}, "n_samples must be greater than 0, got 0"),
        ({"height": -1.0}, "height must be greater than 0, got -1.0"),
        ({"noise": -1.0}, "noise must be a standard deviation of at least 0, got -1.0"),
    ],
)
def test_bad_parameters(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        roll(**params)
