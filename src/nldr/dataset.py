"""The container that every dataset generator or loader returns."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Dataset:
    """The observations of one trial and everything else that is known about them.

    Row i of every array describes the same point.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations, one row per point. NaN entries are missing; ``clean`` is then required.
    Z : ndarray of shape (n_samples, n_latent), optional
        True latent coordinates.
    y : ndarray of shape (n_samples,), optional
        Integer class labels.
    clean : ndarray of shape (n_samples, n_features), optional
        The observations without the noise in ``X``.
    image_shape : tuple of int, optional
        Shape of one row as an image, ``(height, width)`` or ``(height, width, 3)``.
    train : ndarray of bool of shape (n_samples,), optional
        True for training points, False for test points.

    Raises
    ------
    ValueError
        If an array has the wrong number of dimensions or rows, or contains NaN or infinity; if
        ``clean`` and ``X`` differ in shape; or if ``image_shape`` does not match the number of
        features.

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
        # Every array has one finite row per point
        for name, n_dimensions in {"X": 2, "Z": 2, "y": 1, "clean": 2, "train": 1}.items():
            array = getattr(self, name)
            if array is None:
                continue
            if array.ndim != n_dimensions or len(array) != len(self.X):
                raise ValueError(
                    f"{name} must have {n_dimensions} dimension(s) and {len(self.X)} rows, "
                    f"got shape {array.shape}"
                )
            # Only observations may be missing, where metrics have the clean ones to compare with
            may_be_missing = np.isnan(array) if name == "X" and self.clean is not None else False
            if not (np.isfinite(array) | may_be_missing).all():
                raise ValueError(f"{name} contains NaN or infinity")
        # Clean observations and images have as many features as X
        if self.clean is not None and self.clean.shape != self.X.shape:
            raise ValueError(
                f"clean must have the shape of X, {self.X.shape}, got {self.clean.shape}"
            )
        if self.image_shape is not None and np.prod(self.image_shape) != self.n_features:
            raise ValueError(
                f"image_shape {self.image_shape} does not match {self.n_features} features"
            )

    @property
    def n_samples(self) -> int:
        """Number of points."""
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features of an observation."""
        return self.X.shape[1]

    @property
    def reference(self) -> NDArray:
        """Observations that metrics compare an embedding with: ``clean`` if known, else ``X``."""
        return self.X if self.clean is None else self.clean

    def rows(self, chosen: NDArray) -> Dataset:
        """Return the dataset restricted to some of its points.

        Parameters
        ----------
        chosen : ndarray of bool of shape (n_samples,) or ndarray of int
            A mask, or the indices of the points in the desired order.

        Returns
        -------
        Dataset
            The chosen rows of every array.

        Examples
        --------
        >>> Dataset(X=np.eye(3), y=np.arange(3)).rows(np.array([2, 0])).y
        array([2, 0])
        """
        arrays = {name: getattr(self, name) for name in ("X", "Z", "y", "clean", "train")}
        return replace(self, **{k: v[chosen] for k, v in arrays.items() if v is not None})

    def arrays(self) -> dict[str, NDArray]:
        """Return all known fields as named arrays, for storage.

        Examples
        --------
        >>> list(Dataset(X=np.eye(4), image_shape=(2, 2)).arrays())
        ['X', 'image_shape']
        """
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: np.asarray(value) for name, value in values.items() if value is not None}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray]) -> Dataset:
        """Return a dataset from the arrays of :meth:`arrays`; ignore unknown names.

        Examples
        --------
        >>> stored = Dataset(X=np.eye(4), image_shape=(2, 2)).arrays()
        >>> Dataset.from_arrays(stored | {"seed": np.array(7)}).image_shape
        (2, 2)
        """
        values: dict[str, Any] = {f.name: arrays[f.name] for f in fields(cls) if f.name in arrays}
        # The shape was stored as an array; convert it back to a tuple
        if "image_shape" in values:
            values["image_shape"] = tuple(int(side) for side in values["image_shape"])
        return cls(**values)
