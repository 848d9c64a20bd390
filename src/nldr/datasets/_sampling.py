"""Stratified random choice of points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def stratified(y: NDArray, n_samples: int, rng: np.random.Generator) -> NDArray:
    """Return ascending indices of random points with every class represented in proportion.

    The points of each class are shuffled and spread evenly over [0, 1], and the first
    ``n_samples`` of all points are chosen. Class sizes are therefore proportional up to rounding
    (Webster's method), and for the same state of ``rng`` a smaller choice is a subset of a larger
    one.

    Examples
    --------
    >>> y = np.array([0, 0, 0, 0, 1, 1])
    >>> y[stratified(y, 3, np.random.default_rng(0))]
    array([0, 0, 1])
    """
    order = rng.permutation(len(y))
    # Positions in [0, 1]: point j of a class of m points is at (j + 1/2) / m
    position = np.empty(len(y))
    for label in np.unique(y):
        members = np.flatnonzero(y[order] == label)
        position[members] = (np.arange(len(members)) + 0.5) / len(members)
    # The first points over all classes, in their original order
    return np.sort(order[np.argsort(position, kind="stable")[:n_samples]])


def choose(y: NDArray, n_samples: int, rng: np.random.Generator, name: str) -> NDArray:
    """Choose points by :func:`stratified` after checking their number.

    The error message names the dataset.

    Raises
    ------
    ValueError
        If ``n_samples`` is not between 1 and the number of points.

    Examples
    --------
    >>> choose(np.zeros(3), 3, np.random.default_rng(0), "three")
    array([0, 1, 2])
    """
    check_number(n_samples, len(y), name)
    return stratified(y, n_samples, rng)


def check_number(n_samples: int, n_points: int, name: str) -> None:
    """Raise a ValueError if the dataset of this name does not have so many points."""
    if not 1 <= n_samples <= n_points:
        raise ValueError(f"n_samples must be between 1 and {n_points} for {name}, got {n_samples}")
