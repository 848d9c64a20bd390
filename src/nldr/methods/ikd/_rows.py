"""Rows made ready to be compared, and the similarity of rows to fitted ones."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray


class Rows:
    """Fitted rows, to which others can be compared.

    Parameters
    ----------
    X : ndarray of shape (n_fitted, n_features)
        The rows.
    similarity : {"covariance", "correlation", "variogram", "auto"}
        See :class:`nldr.methods.ikd.ikd.IKD`.
    min_similarity : float
        Least similarity; the greatest is 1.

    Attributes
    ----------
    similarity : str
        The kind of similarity, what ``"auto"`` chose.
    variance : float
        Mean variance of the rows over the features, σ² of Alg. 1.
    scaled : ndarray of shape (n_fitted, n_features)
        The rows, centered if the kind asks for it, in units such that similarities are of order 1.

    Raises
    ------
    ValueError
        If all rows are constant over the features.
    """

    def __init__(self, X: NDArray, similarity: str, min_similarity: float) -> None:
        norms = np.linalg.norm(_centered(X), axis=1)
        if not norms.any():
            raise ValueError("all rows of X are constant over the features: nothing to compare")
        self.min_similarity = min_similarity
        self.variance = float(np.mean(norms**2) / (X.shape[1] - 1))
        self.power = float(np.mean(X**2))
        if similarity == "auto":
            similarity = "variogram" if _equally_strong(X) else "correlation"
        self.similarity = similarity
        self.scaled = self._scale(X)
        self.squares = np.einsum("ij,ij->i", self.scaled, self.scaled)

    def compare(self, X: NDArray) -> NDArray:
        """Similarities of the rows of `X` to the fitted ones, shape (n_rows, n_fitted)."""
        return self._compare(self._scale(X))

    def compare_all(self) -> NDArray:
        """Similarities of all pairs of fitted rows."""
        return self._compare(self.scaled)

    def _compare(self, rows: NDArray) -> NDArray:
        similarity = rows @ self.scaled.T
        if self.similarity == "variogram":
            squares = np.einsum("ij,ij->i", rows, rows)
            similarity += 1.0 - 0.5 * squares[:, np.newaxis]
            similarity -= 0.5 * self.squares
        return np.clip(similarity, self.min_similarity, 1.0, out=similarity)

    def _scale(self, X: NDArray) -> NDArray:
        n_features = X.shape[1]
        if self.similarity == "variogram":
            return X / np.sqrt(n_features * self.power)
        rows = _centered(X)
        if self.similarity == "correlation":
            norms = np.linalg.norm(rows, axis=1)
            rows /= np.where(norms > 0, norms, 1.0)[:, np.newaxis]
        else:
            rows /= np.sqrt(self.variance * (n_features - 1))
        return rows


def _equally_strong(X: NDArray) -> bool:
    """Whether the rows' mean squares vary at most twice as much as chance lets them.

    Over N independent Gaussian features of equal variance, the relative variance is 2/N.
    """
    strength = np.mean(X**2, axis=1)
    return bool(strength.var() <= 4.0 / X.shape[1] * strength.mean() ** 2)


def _centered(X: NDArray) -> NDArray:
    """Rows less their own mean over the features; exactly 0 where constant."""
    rows = X - X.mean(axis=1, keepdims=True)
    rows[X.max(axis=1) == X.min(axis=1)] = 0.0
    return rows


def warn_of_constant_rows(X: NDArray) -> None:
    """Name the rows that are constant over the features, to the caller of `fit` or `transform`."""
    constant = np.flatnonzero(X.max(axis=1) == X.min(axis=1))
    if constant.size:
        shown = ", ".join(map(str, constant[:10])) + (", ..." if constant.size > 10 else "")
        warnings.warn(
            f"{constant.size} of {len(X)} rows of X are constant over the features and so similar "
            f"to no other (row {shown}). Leave them out.",
            UserWarning,
            stacklevel=4,
        )
