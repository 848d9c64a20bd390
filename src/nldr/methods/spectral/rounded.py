"""Methods of the released code of disjoint MVU, with rounding errors as its random numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from nldr.methods._docs import inherit_docs
from nldr.methods.spectral.released import ReleasedEmbedder, ReleasedLE, ReleasedLLE

SPREAD = 1e-9  # of the random factor of the data


@inherit_docs(ReleasedEmbedder)
class Rounded(ReleasedEmbedder):
    """Base class of methods of the released code whose trials differ in rounding errors.

    The data are centered and multiplied by a number between 1 and 1 + 1e-9, so that all rounding
    errors are new. Results that depend on them differ by machine.

    Parameters
    ----------
    n_components, n_neighbors, enhanced
    unit : float, default=1.0
        Another factor of the data: 255 for images with values 0 to 1 that the code had in bytes.
    random_state : int, RandomState instance or None, default=None
        Source of the random factor.

    Attributes
    ----------
    embedding_
    """

    _parameter_constraints: dict = {
        **ReleasedEmbedder._parameter_constraints,
        "unit": [float, int],
        "random_state": ["random_state"],
    }

    unit: float
    random_state: int | np.random.RandomState | None

    def _fit(self, data: NDArray) -> None:
        factor = 1 + SPREAD * check_random_state(self.random_state).uniform()
        super()._fit(self.unit * factor * (data - data.mean(axis=0)))


@inherit_docs(ReleasedLLE, Rounded)
class RoundedLLE(Rounded, ReleasedLLE):
    """LLE of the released code whose trials differ in rounding errors.

    Parameters
    ----------
    n_components, n_neighbors, enhanced, solver, unit, random_state

    Attributes
    ----------
    embedding_

    Examples
    --------
    >>> angle = np.linspace(0, np.pi, 100)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> order = np.diff(RoundedLLE(1, n_neighbors=4, random_state=0).fit_transform(X)[:, 0])
    >>> bool(np.all(order > 0) or np.all(order < 0))
    True
    """

    _parameter_constraints: dict = {
        **ReleasedLLE._parameter_constraints,
        **Rounded._parameter_constraints,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        enhanced: bool = False,
        solver: str = "inverse",
        unit: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_components, n_neighbors=n_neighbors, enhanced=enhanced, solver=solver)
        self.unit = unit
        self.random_state = random_state


@inherit_docs(ReleasedLE, Rounded)
class RoundedLE(Rounded, ReleasedLE):
    """Laplacian eigenmaps of the released code whose trials differ in rounding errors.

    Parameters
    ----------
    n_components, n_neighbors, enhanced, unit, random_state

    Attributes
    ----------
    embedding_

    Examples
    --------
    >>> line = np.arange(50.0)[:, np.newaxis]
    >>> order = np.diff(RoundedLE(1, n_neighbors=3, random_state=0).fit_transform(line)[:, 0])
    >>> bool(np.all(order > 0) or np.all(order < 0))
    True
    """

    _parameter_constraints: dict = Rounded._parameter_constraints

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        enhanced: bool = False,
        unit: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_components, n_neighbors=n_neighbors, enhanced=enhanced)
        self.unit = unit
        self.random_state = random_state
