"""What can be done to any dataset before methods see it: subset, corruption, standardization.

A study writes these beside a dataset's own parameters, ``digits: {dropout: 0.25}``. They are
applied in the order of :data:`TRANSFORMS`, each with random numbers of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from nldr.dataset import Dataset
from nldr.datasets._sampling import stratified


def subset(data: Dataset, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Choose points at random, of every class its share where there are labels.

    From one state of ``rng`` a smaller choice is part of a larger one. The points keep their order.

    Raises
    ------
    ValueError
        If there are not so many points.

    Examples
    --------
    >>> data = Dataset(X=np.eye(6), y=np.array([0, 0, 0, 0, 1, 1]))
    >>> subset(data, 3, np.random.default_rng(0)).y
    array([0, 0, 1])
    """
    if not 1 <= n_samples <= data.n_samples:
        raise ValueError(f"subset must be between 1 and {data.n_samples}, got {n_samples}")
    y = np.zeros(data.n_samples) if data.y is None else data.y
    chosen = stratified(y, n_samples, rng)
    return data.rows(chosen)


def n_train(data: Dataset, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Choose training points at random, of every class its share; methods are fitted on them.

    Those that cannot place further points are fitted on all. A split that the dataset came with
    is replaced.

    Raises
    ------
    ValueError
        If no point is left to test on.

    Examples
    --------
    >>> data = Dataset(X=np.eye(6), y=np.array([0, 0, 0, 0, 1, 1]))
    >>> int(n_train(data, 3, np.random.default_rng(0)).train.sum())
    3
    """
    if not 1 <= n_samples < data.n_samples:
        raise ValueError(f"n_train must be between 1 and {data.n_samples - 1}, got {n_samples}")
    y = np.zeros(data.n_samples) if data.y is None else data.y
    train = np.zeros(data.n_samples, dtype=bool)
    train[stratified(y, n_samples, rng)] = True
    return replace(data, train=train)


def n_test(data: Dataset, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Keep at most so many of the points that are not for training, of every class its share.

    Raises
    ------
    ValueError
        If the dataset is not split.

    Examples
    --------
    >>> data = Dataset(X=np.eye(4), train=np.array([True, False, False, False]))
    >>> n_test(data, 2, np.random.default_rng(0)).n_samples
    3
    """
    if data.train is None:
        raise ValueError("n_test needs a dataset with training points: set n_train too")
    test = np.flatnonzero(~data.train)
    y = np.zeros(len(test)) if data.y is None else data.y[test]
    kept = data.train.copy()
    kept[test[stratified(y, n_samples, rng)]] = True
    return data.rows(kept)


def gaussian_noise(data: Dataset, scale: float, rng: np.random.Generator) -> Dataset:
    """Add independent Gaussian noise of standard deviation ``scale``; keep the clean points.

    Raises
    ------
    ValueError
        If the standard deviation is negative.

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
    """Set each value to zero with this probability, as lost pixels; keep the clean points.

    The losses of a smaller probability are among those of a larger one.

    Raises
    ------
    ValueError
        If it is no probability.

    References
    ----------
    Watanabe et al., *Summarizing Data Structures with Gaussian Process and Robust Neighborhood
    Preservation*: 0.35 for COIL-20, 0.25 for MNIST.

    Examples
    --------
    >>> data = dropout(Dataset(X=np.ones((1000, 10))), 0.25, np.random.default_rng(0))
    >>> float(data.X.mean().round(2)), float(data.clean.mean())
    (0.75, 1.0)
    """
    if not 0 <= probability <= 1:
        raise ValueError(f"dropout must be a probability between 0 and 1, got {probability}")
    kept = rng.random(data.X.shape) >= probability
    return replace(data, X=data.X * kept, clean=data.reference)


def standardize(data: Dataset, wanted: bool, rng: np.random.Generator) -> Dataset:
    """Give each feature mean 0 and standard deviation 1; one that is constant becomes 0.

    Mean and standard deviation are those of the training points where the dataset is split.
    Clean points are moved by the same map. No random numbers are used.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [3.0, 5.0]])
    >>> standardize(Dataset(X=X), True, np.random.default_rng(0)).X
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    if not wanted:
        return data
    known = data.X if data.train is None else data.X[data.train]
    mean, scale = known.mean(axis=0), known.std(axis=0)
    constant = (known[0] == known).all(axis=0)
    mean = np.where(constant, known[0], mean)
    scale = np.where(constant, 1.0, scale)
    clean = None if data.clean is None else (data.clean - mean) / scale
    return replace(data, X=(data.X - mean) / scale, clean=clean)


RANDOM = ("subset", "n_train", "n_test", "gaussian_noise", "dropout")
TRANSFORMS: dict[str, Callable[[Dataset, Any, np.random.Generator], Dataset]] = {
    "subset": subset,
    "n_train": n_train,
    "n_test": n_test,
    "gaussian_noise": gaussian_noise,
    "dropout": dropout,
    "standardize": standardize,
}


def transform(data: Dataset, options: Mapping[str, Any], entropy: int) -> Dataset:
    """Apply the transforms that ``options`` names, in the order of :data:`TRANSFORMS`.

    Parameters
    ----------
    data : Dataset
        The dataset as generated or loaded.
    options : mapping of str to value
        Names of transforms and their arguments.
    entropy : int
        Seed; each transform has a stream of its own, so that adding one changes no other.

    Examples
    --------
    >>> data = Dataset(X=np.arange(12.0).reshape(4, 3))
    >>> transform(data, {"standardize": True, "subset": 2}, entropy=0).X
    array([[-1., -1., -1.],
           [ 1.,  1.,  1.]])
    """
    for position, (name, function) in enumerate(TRANSFORMS.items()):
        if name in options:
            data = function(data, options[name], np.random.default_rng([entropy, position]))
    return data
