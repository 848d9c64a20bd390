"""The container that every dataset generator or loader returns."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Dataset:
    """One trial of a dataset: observations and whatever is known about them.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations, one row a point.
    Z : ndarray of shape (n_samples, n_latent), optional
        True latent coordinates.
    y : ndarray of shape (n_samples,), optional
        Integer class labels.
    clean : ndarray of shape (n_samples, n_features), optional
        The observations without the noise that ``X`` carries.
    image_shape : tuple of int, optional
        Shape of one row as an image, ``(height, width)`` or ``(height, width, 3)``.
    train : ndarray of bool of shape (n_samples,), optional
        True for training points, False for test points.

    Raises
    ------
    ValueError
        If an array has the wrong number of dimensions or rows, or holds NaN or infinity.

    Examples
    --------
    >>> import numpy as np
    >>> data = Dataset(X=np.zeros((5, 3)), y=np.arange(5))
    >>> data.n_samples, data.n_features, data.Z is None
    (5, 3, True)
    """

    X: NDArray
    Z: NDArray | None = None
    y: NDArray | None = None
    clean: NDArray | None = None
    image_shape: tuple[int, ...] | None = None
    train: NDArray | None = None

    def __post_init__(self) -> None:
        if np.ndim(self.X) != 2:
            raise ValueError(f"X must have 2 dimensions, got shape {np.shape(self.X)}")
        for name, n_dimensions in {"X": 2, "Z": 2, "y": 1, "clean": 2, "train": 1}.items():
            array = getattr(self, name)
            if array is None:
                continue
            if array.ndim != n_dimensions or len(array) != len(self.X):
                raise ValueError(
                    f"{name} must have {n_dimensions} dimension(s) and {len(self.X)} rows, "
                    f"got shape {array.shape}"
                )
            if not np.isfinite(array).all():
                raise ValueError(f"{name} holds NaN or infinity")
        if self.clean is not None and self.clean.shape != self.X.shape:
            raise ValueError(f"clean has shape {self.clean.shape}, X has {self.X.shape}")
        if self.image_shape is not None and np.prod(self.image_shape) != self.n_features:
            raise ValueError(
                f"image_shape {self.image_shape} does not fit {self.n_features} features"
            )

    @property
    def n_samples(self) -> int:
        """Number of points."""
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Dimension of the observations."""
        return self.X.shape[1]

    @property
    def reference(self) -> NDArray:
        """What metrics compare an embedding with: the clean observations, else ``X``."""
        return self.X if self.clean is None else self.clean

    def rows(self, chosen: NDArray) -> Dataset:
        """Return some of the points: those of a boolean mask, or of indices in their order.

        Examples
        --------
        >>> Dataset(X=np.eye(3), y=np.arange(3)).rows(np.array([2, 0])).y
        array([2, 0])
        """
        parts = {name: getattr(self, name) for name in ("X", "Z", "y", "clean", "train")}
        return replace(self, **{k: v[chosen] for k, v in parts.items() if v is not None})

    def arrays(self) -> dict[str, NDArray]:
        """All that is known, as named arrays (for storing)."""
        known = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: np.asarray(value) for name, value in known.items() if value is not None}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray]) -> Dataset:
        """Inverse of :meth:`arrays`; names it does not know are left aside."""
        known: dict[str, Any] = {f.name: arrays[f.name] for f in fields(cls) if f.name in arrays}
        if "image_shape" in known:
            known["image_shape"] = tuple(int(side) for side in known["image_shape"])
        return cls(**known)
