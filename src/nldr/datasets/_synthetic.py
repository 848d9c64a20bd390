"""What synthetic datasets share: checks of their parameters, and additive noise."""

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
    """Return what ``choices`` has for ``value``; raise ValueError if that is none of them."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return choices[value]


def observe(clean: NDArray, noise: float, rng: np.random.Generator, **known: Any) -> Dataset:
    """Add Gaussian noise of standard deviation ``noise`` and keep the clean points beside it.

    The noise is drawn feature by feature, so that the first features get the same noise however
    many follow. Without noise nothing is drawn and ``clean`` is left out.
    """
    if not noise >= 0:
        raise ValueError(f"noise must be a standard deviation of at least 0, got {noise}")
    if noise == 0:
        return Dataset(X=clean, **known)
    errors = rng.standard_normal(clean.shape[::-1]).T
    return Dataset(X=clean + noise * errors, clean=clean, **known)
