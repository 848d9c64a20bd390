"""Transforms of a dataset before methods see it: subset, split, corruption, scale, row order.

A study lists them among the parameters of a dataset, as in ``digits: {dropout: 0.25}``. They are
applied in the order of :data:`TRANSFORMS`, each with its own random stream.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._sampling import stratified


def subset(data: Dataset, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Choose points at random, stratified by class if there are labels.

    For the same state of ``rng``, a smaller choice is a subset of a larger one. The points keep
    their order.

    Examples
    --------
    >>> data = Dataset(X=np.eye(6), y=np.array([0, 0, 0, 0, 1, 1]))
    >>> subset(data, 3, np.random.default_rng(0)).y
    array([0, 0, 1])
    """
    if not 1 <= n_samples <= data.n_samples:
        raise ValueError(f"subset must be between 1 and {data.n_samples}, got {n_samples}")
    return data.rows(stratified(_classes(data), n_samples, rng))


def n_train(data: Dataset, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Choose the training points at random, stratified by class if there are labels.

    Methods are fitted on the training points; methods without ``transform`` are fitted on all
    points. An existing split is replaced.

    Examples
    --------
    >>> data = Dataset(X=np.eye(6), y=np.array([0, 0, 0, 0, 1, 1]))
    >>> int(n_train(data, 3, np.random.default_rng(0)).train.sum())
    3
    """
    if not 1 <= n_samples < data.n_samples:
        raise ValueError(f"n_train must be between 1 and {data.n_samples - 1}, got {n_samples}")
    train = np.zeros(data.n_samples, dtype=bool)
    train[stratified(_classes(data), n_samples, rng)] = True
    return replace(data, train=train)


def n_test(data: Dataset, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Keep at most ``n_samples`` of the test points, stratified by class if there are labels.

    Examples
    --------
    >>> data = Dataset(X=np.eye(4), train=np.array([True, False, False, False]))
    >>> n_test(data, 2, np.random.default_rng(0)).n_samples
    3
    """
    if data.train is None:
        raise ValueError("n_test needs a dataset with training points: set n_train too")
    test = np.flatnonzero(~data.train)
    # All training points and the chosen test points
    mask = data.train.copy()
    mask[test[stratified(_classes(data)[test], n_samples, rng)]] = True
    return data.rows(mask)


def gaussian_noise(data: Dataset, scale: float, rng: np.random.Generator) -> Dataset:
    """Add independent Gaussian noise with standard deviation ``scale``; keep the clean points.

    Examples
    --------
    >>> data = gaussian_noise(Dataset(X=np.zeros((2, 3))), 0.1, np.random.default_rng(0))
    >>> bool(data.X.any()), bool(data.clean.any())
    (True, False)
    """
    if scale < 0:
        raise ValueError(f"gaussian_noise must be at least 0, got {scale}")
    return replace(data, X=data.X + scale * rng.standard_normal(data.X.shape), clean=data.reference)


def dropout(data: Dataset, probability: float, rng: np.random.Generator) -> Dataset:
    """Set each value to zero with the given probability, like lost pixels; keep the clean points.

    For the same state of ``rng``, the values lost at a smaller probability are also lost at a
    larger one.

    References
    ----------
    Watanabe et al., *Summarizing Data Structures with Gaussian Process and Robust Neighborhood
    Preservation*.

    Examples
    --------
    >>> data = dropout(Dataset(X=np.ones((1000, 10))), 0.25, np.random.default_rng(0))
    >>> float(data.X.mean().round(2)), float(data.clean.mean())
    (0.75, 1.0)
    """
    if not 0 <= probability <= 1:
        raise ValueError(f"dropout must be a probability between 0 and 1, got {probability}")
    mask = rng.random(data.X.shape) >= probability
    return replace(data, X=data.X * mask, clean=data.reference)


def missing(data: Dataset, probability: float, rng: np.random.Generator) -> Dataset:
    """Make each value missing, NaN, with the given probability; keep the clean points.

    :func:`dropout` with the same probability and seed sets the same values to zero.

    Examples
    --------
    >>> data = missing(Dataset(X=np.ones((1000, 10))), 0.25, np.random.default_rng(0))
    >>> float(np.isnan(data.X).mean().round(2)), float(data.clean.mean())
    (0.25, 1.0)
    """
    if not 0 <= probability <= 1:
        raise ValueError(f"missing must be a probability between 0 and 1, got {probability}")
    mask = rng.random(data.X.shape) < probability
    return replace(data, X=np.where(mask, np.nan, data.X), clean=data.reference)


def standardize(data: Dataset, enabled: bool, rng: np.random.Generator) -> Dataset:
    """Scale each feature to mean 0 and standard deviation 1; constant features become 0.

    If the dataset is split, the mean and the standard deviation are those of the training points.
    The clean points are transformed by the same map. ``rng`` is not used.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [3.0, 5.0]])
    >>> standardize(Dataset(X=X), True, np.random.default_rng(0)).X
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    if not enabled:
        return data
    reference = data.X if data.train is None else data.X[data.train]
    mean, scale = reference.mean(axis=0), reference.std(axis=0)
    # Constant features become exactly 0 on the training points
    constant = (reference[0] == reference).all(axis=0)
    mean = np.where(constant, reference[0], mean)
    scale = np.where(constant, 1.0, scale)
    clean = None if data.clean is None else (data.clean - mean) / scale
    return replace(data, X=(data.X - mean) / scale, clean=clean)


def _classes(data: Dataset) -> NDArray:
    """Return the labels, or one class for all points if there are none."""
    return np.zeros(data.n_samples) if data.y is None else data.y


def shuffle_rows(data: Dataset, enabled: bool, rng: np.random.Generator) -> Dataset:
    """Put the points in random order.

    A method whose scores change has used the order, which in many files is that of the classes.

    Examples
    --------
    >>> data = Dataset(X=np.eye(5), y=np.arange(5))
    >>> shuffle_rows(data, True, np.random.default_rng(0)).y
    array([2, 4, 3, 0, 1])
    """
    if not enabled:
        return data
    order = rng.permutation(data.n_samples)
    return data.rows(order)


# Transforms that draw random numbers, unless their value is false
RANDOM = ("subset", "n_train", "n_test", "gaussian_noise", "dropout", "shuffle_rows", "missing")
# All transforms; the position of each selects its random stream, which dropout and missing share
TRANSFORMS: dict[str, Callable[[Dataset, Any, np.random.Generator], Dataset]] = {
    "subset": subset,
    "n_train": n_train,
    "n_test": n_test,
    "gaussian_noise": gaussian_noise,
    "dropout": dropout,
    "standardize": standardize,
    "shuffle_rows": shuffle_rows,
    "missing": missing,
}
STREAMS = {name: position for position, name in enumerate(TRANSFORMS)}
STREAMS["missing"] = STREAMS["dropout"]


def transform(data: Dataset, options: Mapping[str, Any], entropy: int) -> Dataset:
    """Apply the transforms named in ``options``, in the order of :data:`TRANSFORMS`.

    `entropy` is the seed. Each transform has its own random stream, so adding one does not change
    the others.

    Examples
    --------
    >>> data = Dataset(X=np.arange(12.0).reshape(4, 3))
    >>> transform(data, {"standardize": True, "subset": 2}, entropy=0).X
    array([[-1., -1., -1.],
           [ 1.,  1.,  1.]])
    """
    for name, function in TRANSFORMS.items():
        if name in options:
            data = function(data, options[name], np.random.default_rng([entropy, STREAMS[name]]))
    return data
