"""Parameter checks and additive noise, shared by the synthetic datasets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset

T = TypeVar("T")


def check_positive(**values: float) -> None:
    """Raise ValueError unless every named value is greater than zero."""
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"{name} must be greater than 0, got {value}")


def check_choice(name: str, value: str, choices: Mapping[str, T]) -> T:
    """Return ``choices[value]``; raise ValueError if ``value`` is not a key of ``choices``."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return choices[value]


def observe(clean: NDArray, noise: float, rng: np.random.Generator, **fields: Any) -> Dataset:
    """Return a dataset of noisy observations that also contains the clean ones.

    If the standard deviation `noise` is 0, no random numbers are drawn and the dataset has no
    ``clean``; ValueError if it is negative or NaN. `fields` are those of the dataset, such as
    ``Z``.
    """
    if not noise >= 0:
        raise ValueError(f"noise must be a standard deviation of at least 0, got {noise}")
    if noise == 0:
        return Dataset(X=clean, **fields)
    # Feature by feature: the noise of the first features does not depend on their number
    errors = rng.standard_normal(clean.shape[::-1]).T
    return Dataset(X=clean + noise * errors, clean=clean, **fields)


def checkerboard(*coordinates: NDArray) -> NDArray:
    """Return labels 0 and 1 that alternate between the fields of a checkerboard.

    Coordinates are in sides of a field. A label is 0 where the sum of the rounded coordinates is
    even, 1 where it is odd.

    Examples
    --------
    >>> checkerboard(np.array([0.1, 0.9, 1.2]), np.array([0.0, 0.0, 1.3])).tolist()
    [0, 1, 0]
    """
    return np.sum([np.round(values) for values in coordinates], axis=0).astype(np.int64) % 2
