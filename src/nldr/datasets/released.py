"""Datasets of the released runs of disjoint MVU, with the random numbers of their author."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_choice, checkerboard

SEED = 27  # of the released launcher
NOISE = 0.05
Drawn = tuple[NDArray, NDArray]  # observations and labels


def released_draw(*, shape: str, n_samples: int) -> Dataset:
    """Return a dataset of the released runs, with their seed.

    The distributions are those of the datasets of the same name. The random numbers are the
    author's: NumPy's generator of the time, its numbers used in the order of the released code.

    Parameters
    ----------
    shape : {"swiss_roll", "broken_swiss_roll", "turned_swiss_rolls", "helix", "twin_peaks", \
"high_dimensional", "four_moons"}
        The dataset.
    n_samples : int
        Number of points; even for two rolls, divisible by four for moons, and 1024 for
        ``"high_dimensional"``.

    Returns
    -------
    Dataset
        Centered ``X`` and labels ``y``.

    References
    ----------
    The code that the author of Costa, Maximum Variance Unfolding on Disjoint Manifolds, released.

    Examples
    --------
    >>> data = released_draw(shape="swiss_roll", n_samples=1000)
    >>> data.X.shape, data.y[:5].tolist()
    ((1000, 3), [0, 0, 0, 1, 0])
    """
    draw = check_choice("shape", shape, SHAPES)
    X, y = draw(n_samples, np.random.RandomState(SEED))
    return Dataset(X=X - X.mean(axis=0), y=y)


def _swiss_roll(n: int, random: np.random.RandomState) -> Drawn:
    return _roll(1.5 * np.pi * (1 + 2 * random.rand(n)), random)


def _broken_swiss_roll(n: int, random: np.random.RandomState) -> Drawn:
    unit = np.concatenate([0.4 * random.rand(n // 2), 0.4 * random.rand(n // 2) + 0.6])
    return _roll(1.5 * np.pi * (1 + 2 * unit), random)


def _roll(t: NDArray, random: np.random.RandomState) -> Drawn:
    height = 30 * random.rand(len(t))
    clean = np.column_stack([t * np.cos(t), height, t * np.sin(t)])
    return _with_noise(clean, random), checkerboard(t / 2, height / 12)


def _turned_swiss_rolls(n: int, random: np.random.RandomState) -> Drawn:
    (first, y_first), (second, y_second) = (_swiss_roll(n // 2, random) for _ in range(2))
    # The first roll turned by -45 degrees about the third axis; both moved
    cosine = np.sqrt(0.5)
    turn = np.array([[cosine, cosine, 0], [-cosine, cosine, 0], [0, 0, 1]])
    moves = np.array([[20, 20, 30], [0, -20, 0]])
    X = np.vstack([first @ turn.T + moves[0], second + moves[1]])
    return X, np.concatenate([y_first, y_second])


def _helix(n: int, random: np.random.RandomState) -> Drawn:
    p = 2 * np.pi * np.arange(1, n + 1) / n
    radius = 2 + np.cos(8 * p)
    clean = np.column_stack([radius * np.cos(p), radius * np.sin(p), np.sin(8 * p)])
    return _with_noise(clean, random), checkerboard(1.5 * p)


def _twin_peaks(n: int, random: np.random.RandomState) -> Drawn:
    a, b = 1 - 2 * random.rand(2, n)
    X = _with_noise(np.column_stack([a, b, np.sin(np.pi * a) * np.tanh(3 * b)]), random)
    X[:, 2] *= 10  # the noise, too
    return X, checkerboard(*((X - X.min(axis=0)) / 10).T)


def _high_dimensional(n: int, random: np.random.RandomState) -> Drawn:
    values = np.linspace(0, 1, round(n**0.2))
    # The order of the points is that of a transposed meshgrid
    Z = np.array(np.meshgrid(*[values] * 5)).T.reshape(-1, 5)
    a, b, c, d, e = Z.T
    columns = [np.cos(a), np.tanh(3 * b), a + c, d * np.sin(b), np.sin(a + e)]
    columns += [e * np.cos(b), e + d, b, c * d, a]
    X = _with_noise(np.column_stack(columns), random)
    return X, checkerboard(*(1 + np.round(Z)).T)


def _four_moons(n: int, random: np.random.RandomState) -> Drawn:
    pairs = [_pair_of_moons(n // 4, random) for _ in range(2)]
    depths = [NOISE * random.randn(n // 2) + pair for pair in range(2)]
    X = np.vstack([np.column_stack([z, flat]) for z, flat in zip(depths, pairs, strict=True)])
    return X, np.arange(n) // (n // 4) % 2


def _pair_of_moons(n: int, random: np.random.RandomState) -> NDArray:
    outer, inner = np.pi * random.rand(n), np.pi * random.rand(n)
    first = np.column_stack([np.sin(outer), np.cos(outer)])
    second = np.column_stack([1 - np.sin(inner), -np.cos(inner)]) / 4
    return np.vstack([_with_noise(first, random), _with_noise(second, random)])


def _with_noise(clean: NDArray, random: np.random.RandomState) -> NDArray:
    return clean + NOISE * random.randn(*clean.shape)


SHAPES: dict[str, Callable[[int, np.random.RandomState], Drawn]] = {
    "swiss_roll": _swiss_roll,
    "broken_swiss_roll": _broken_swiss_roll,
    "turned_swiss_rolls": _turned_swiss_rolls,
    "helix": _helix,
    "twin_peaks": _twin_peaks,
    "high_dimensional": _high_dimensional,
    "four_moons": _four_moons,
}
