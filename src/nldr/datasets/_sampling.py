"""Choosing points at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def stratified(y: NDArray, n_samples: int, rng: np.random.Generator) -> NDArray:
    """Choose points at random so that every class has its share.

    Each class is shuffled and spread evenly over [0, 1]; the choice is what comes first. So every
    class gets its share up to rounding (Webster's method), and a smaller choice from the same
    state of ``rng`` is part of a larger one.

    Parameters
    ----------
    y : ndarray of shape (n_points,)
        Class labels.
    n_samples : int
        Number of points to choose, at most ``n_points``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray of int of shape (n_samples,)
        Indices of the chosen points, ascending.

    Examples
    --------
    >>> y = np.array([0, 0, 0, 0, 1, 1])
    >>> y[stratified(y, 3, np.random.default_rng(0))]
    array([0, 0, 1])
    """
    order = rng.permutation(len(y))
    position = np.empty(len(y))
    for label in np.unique(y):
        members = np.flatnonzero(y[order] == label)
        position[members] = (np.arange(len(members)) + 0.5) / len(members)
    return np.sort(order[np.argsort(position, kind="stable")[:n_samples]])


def choose(y: NDArray, n_samples: int, rng: np.random.Generator, name: str) -> NDArray:
    """Choose points by :func:`stratified`, after a check that there are so many.

    Parameters
    ----------
    y : ndarray of shape (n_points,)
        Class labels.
    n_samples : int
        Number of points to choose.
    rng : numpy.random.Generator
        Source of randomness.
    name : str
        What the dataset is called in the error.

    Returns
    -------
    ndarray of int of shape (n_samples,)
        Indices of the chosen points, ascending.

    Raises
    ------
    ValueError
        If there are not so many points.

    Examples
    --------
    >>> choose(np.zeros(3), 3, np.random.default_rng(0), "three")
    array([0, 1, 2])
    """
    if not 1 <= n_samples <= len(y):
        raise ValueError(f"n_samples must be between 1 and {len(y)} for {name}, got {n_samples}")
    return stratified(y, n_samples, rng)
