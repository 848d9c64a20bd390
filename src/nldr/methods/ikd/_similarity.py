"""Similarities of rows, which estimate the kernel between their latent points."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

FAR_SHARE = 0.1  # share of the pairs of rows that are taken to be far from each other
MAX_FAR_CORRELATION = 0.2  # of such pairs, above which "auto" subtracts the feature means
MAX_COMPARED = 1000  # rows from which the similarity of far pairs is estimated


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
    center_features : bool, default=False
        Whether the means of the features are subtracted.

    Attributes
    ----------
    kind : str
        The estimator; if ``"auto"`` was given, the one that was chosen.
    center_features : bool
        Whether the means of the features were subtracted.
    feature_means : ndarray of shape (n_features,)
        What was subtracted from each feature; zeros without centering.
    baseline : float
        Similarity a that was added after centering, see the notes; 0 without.
    variance : float
        Mean variance of the rows over the features, σ² of Alg. 1.
    scaled : ndarray of shape (n_fitted, n_features)
        The rows, scaled such that similarities are of order 1, and centered unless the estimator
        is the variogram.

    Raises
    ------
    ValueError
        If all rows are constant over the features.

    Notes
    -----
    Constants added to the features raise all similarities alike, so that even far rows look alike.
    Subtracting the means of the features removes the constants exactly, but with them the mean of
    the kernel k̄: the similarities k of a kernel become about (k − k̄)/(1 − k̄), negative for far
    rows. A similarity s after centering is therefore replaced by (s + a)/(1 + a), where −a is that
    of the far rows: the 10 % quantile of all pairs, plus 1.28/√N for its sampling error.
    """

    def __init__(
        self,
        X: NDArray,
        kind: str,
        min_similarity: float,
        center_features: bool = False,
    ) -> None:
        self.center_features = center_features
        self.feature_means = X.mean(axis=0) if center_features else np.zeros(X.shape[1])
        if center_features:
            X = X - self.feature_means
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
        self.baseline = self._estimate_baseline() if center_features else 0.0

    def compare(self, X: NDArray) -> NDArray:
        """Return the similarities of the rows of `X` to the fitted rows, (n_rows, n_fitted)."""
        return self._compare_scaled(self._scale(X - self.feature_means))

    def compare_all(self) -> NDArray:
        """Return the pairwise similarities of the fitted rows, (n_fitted, n_fitted)."""
        return self._compare_scaled(self.scaled)

    def _compare_scaled(self, rows: NDArray) -> NDArray:
        similarity = _raw_similarity(self.kind, rows, self.scaled, self.squared_norms)
        if self.baseline > 0:
            similarity += self.baseline
            similarity /= 1.0 + self.baseline
        # Bring similarities into the domain of the inverse kernel (Sec. 2.4).
        return np.clip(similarity, self.min_similarity, 1.0, out=similarity)

    def _estimate_baseline(self) -> float:
        """Return a of the notes, from at most 1000 rows."""
        some = evenly_spaced(len(self.scaled), MAX_COMPARED)
        rows = self.scaled[some]
        similarity = _raw_similarity(self.kind, rows, rows, self.squared_norms[some])
        far = np.quantile(similarity[np.triu_indices(len(rows), 1)], FAR_SHARE)
        return max(-float(far) + ndtri(FAR_SHARE) / np.sqrt(rows.shape[1]), 0.0)

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


def _raw_similarity(kind: str, rows: NDArray, fitted: NDArray, squared_norms: NDArray) -> NDArray:
    """Return the similarities of scaled rows before any correction, (n_rows, n_fitted)."""
    similarity = rows @ fitted.T
    if kind == "variogram":
        # 1 − ½ ‖xᵢ − xⱼ‖² of the scaled rows, expanded
        similarity += 1.0 - 0.5 * np.einsum("ij,ij->i", rows, rows)[:, np.newaxis]
        similarity -= 0.5 * squared_norms
    return similarity


def has_feature_means(X: NDArray) -> bool:
    """Return whether the features have means that hide the kernel.

    Rows that the kernel leaves uncorrelated have correlations about 0. If 90 % of the correlations
    exceed 0.2, either the features have means with a standard deviation of about half theirs, or
    all of the latent lies within about two length scales, where centering does little harm. At
    most 1000 rows are compared; a constant row counts as uncorrelated. False if all rows have the
    same profile over the features.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((50, 30))
    >>> has_feature_means(X), has_feature_means(X + 2 * np.sin(np.arange(30)))
    (False, True)
    """
    rows = _center_rows(X[evenly_spaced(len(X), MAX_COMPARED)])
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(norms > 0, norms, 1.0)
    # Equal profiles leave nothing after centering
    if len(rows) < 3 or np.ptp(rows, axis=0).max() < 1e-8:
        return False
    correlation = (rows @ rows.T)[np.triu_indices(len(rows), 1)]
    return bool(np.quantile(correlation, FAR_SHARE) > MAX_FAR_CORRELATION)


def evenly_spaced(n_rows: int, n_chosen: int) -> NDArray:
    """Return indices of at most `n_chosen` rows, evenly spaced.

    Examples
    --------
    >>> evenly_spaced(10, 4).tolist(), evenly_spaced(3, 4).tolist()
    ([0, 3, 6, 9], [0, 1, 2])
    """
    return np.linspace(0, n_rows - 1, min(n_rows, n_chosen)).round().astype(np.intp)


def _has_equal_mean_squares(X: NDArray) -> bool:
    """Return whether the variance of the rows' mean squares is at most twice that by chance.

    For N independent Gaussian features of equal variance, the relative variance is 2/N. The mean
    of all entries is subtracted, so that the origin of the data does not matter.
    """
    mean_squares = np.mean((X - X.mean()) ** 2, axis=1)
    return bool(mean_squares.var() <= 4.0 / X.shape[1] * mean_squares.mean() ** 2)


def _center_rows(X: NDArray) -> NDArray:
    """Return the rows minus their mean over the features."""
    rows = X - X.mean(axis=1, keepdims=True)
    # Constant rows become exactly zero, without rounding errors.
    rows[X.max(axis=1) == X.min(axis=1)] = 0.0
    return rows


def warn_of_constant_rows(X: NDArray) -> None:
    """Warn, as called from ``fit`` or ``transform``, of rows without variance over the features."""
    constant = np.flatnonzero(X.max(axis=1) == X.min(axis=1))
    if constant.size:
        shown = ", ".join(map(str, constant[:10])) + (", ..." if constant.size > 10 else "")
        warnings.warn(
            f"{constant.size} of {len(X)} rows of X are constant over the features (row {shown}) "
            "and get the lowest similarity to all other rows; remove them",
            UserWarning,
            stacklevel=5,
        )
