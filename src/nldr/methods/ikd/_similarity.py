"""Similarities of rows, which estimate the kernel between their latent points."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray


class RowSimilarity:
    """Similarities to a set of fitted rows.

    Parameters
    ----------
    X : ndarray of shape (n_fitted, n_features)
        Fitted rows.
    kind : {"covariance", "correlation", "variogram", "auto"}
        Estimator of the similarity, see :class:`nldr.methods.ikd.ikd.IKD`.
    min_similarity : float
        Lower bound to which smaller similarities are raised. The upper bound is 1.

    Attributes
    ----------
    kind : str
        The estimator; if ``"auto"`` was given, the one that was chosen.
    variance : float
        Mean variance of the rows over the features, σ² of Alg. 1.
    scaled : ndarray of shape (n_fitted, n_features)
        The rows, scaled such that similarities are of order 1, and centered unless the estimator
        is the variogram.

    Raises
    ------
    ValueError
        If all rows are constant over the features.
    """

    def __init__(self, X: NDArray, kind: str, min_similarity: float) -> None:
        norms = np.linalg.norm(_center_rows(X), axis=1)
        if not norms.any():
            raise ValueError(
                "all rows of X are constant over the features, so their similarity is undefined"
            )
        self.min_similarity = min_similarity
        self.variance = float(np.mean(norms**2) / (X.shape[1] - 1))
        self.mean_square = float(np.mean(X**2))
        if kind == "auto":
            kind = "variogram" if _has_equal_mean_squares(X) else "correlation"
        self.kind = kind
        self.scaled = self._scale(X)
        self.squared_norms = np.einsum("ij,ij->i", self.scaled, self.scaled)

    def compare(self, X: NDArray) -> NDArray:
        """Return the similarities of the rows of `X` to the fitted rows, (n_rows, n_fitted)."""
        return self._compare_scaled(self._scale(X))

    def compare_all(self) -> NDArray:
        """Return the pairwise similarities of the fitted rows, (n_fitted, n_fitted)."""
        return self._compare_scaled(self.scaled)

    def _compare_scaled(self, rows: NDArray) -> NDArray:
        similarity = rows @ self.scaled.T
        if self.kind == "variogram":
            # 1 − ½ ‖xᵢ − xⱼ‖² of the scaled rows, expanded
            squared_norms = np.einsum("ij,ij->i", rows, rows)
            similarity += 1.0 - 0.5 * squared_norms[:, np.newaxis]
            similarity -= 0.5 * self.squared_norms
        # Bring similarities into the domain of the inverse kernel (Sec. 2.4).
        return np.clip(similarity, self.min_similarity, 1.0, out=similarity)

    def _scale(self, X: NDArray) -> NDArray:
        n_features = X.shape[1]
        if self.kind == "variogram":
            return X / np.sqrt(n_features * self.mean_square)
        rows = _center_rows(X)
        if self.kind == "correlation":
            norms = np.linalg.norm(rows, axis=1)
            rows /= np.where(norms > 0, norms, 1.0)[:, np.newaxis]
        else:
            # Inner products become covariances divided by σ² (Alg. 1, lines 2 and 3).
            rows /= np.sqrt(self.variance * (n_features - 1))
        return rows


def _has_equal_mean_squares(X: NDArray) -> bool:
    """Return whether the variance of the rows' mean squares is at most twice that by chance.

    For N independent Gaussian features of equal variance, the relative variance is 2/N.
    """
    mean_squares = np.mean(X**2, axis=1)
    return bool(mean_squares.var() <= 4.0 / X.shape[1] * mean_squares.mean() ** 2)


def _center_rows(X: NDArray) -> NDArray:
    """Return the rows minus their mean over the features."""
    rows = X - X.mean(axis=1, keepdims=True)
    # Constant rows become exactly zero, without rounding errors.
    rows[X.max(axis=1) == X.min(axis=1)] = 0.0
    return rows


def warn_of_constant_rows(X: NDArray) -> None:
    """Warn of rows that are constant over the features.

    The warning points to the caller of the estimator's ``fit`` or ``transform``.
    """
    constant = np.flatnonzero(X.max(axis=1) == X.min(axis=1))
    if constant.size:
        shown = ", ".join(map(str, constant[:10])) + (", ..." if constant.size > 10 else "")
        warnings.warn(
            f"{constant.size} of {len(X)} rows of X are constant over the features (row {shown}) "
            "and get the lowest similarity to all other rows; remove them",
            UserWarning,
            stacklevel=5,
        )
