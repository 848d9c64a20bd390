"""Inverse kernel decomposition: the latent from one eigendecomposition of row similarities."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils import gen_batches
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import svd_flip
from sklearn.utils.validation import check_is_fitted, validate_data

from nldr.kernels import SquaredExponential

KERNEL = SquaredExponential()
BLOCK_ROWS = 128


class IKD(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Inverse kernel decomposition, full matrix, squared exponential kernel.

    The features are taken as independent draws of one Gaussian process over the latent, so the
    similarity of two rows estimates the kernel between their latent points. The kernel is
    inverted elementwise to squared latent distances, these are turned into inner products about
    a reference point, and the leading eigenvectors are the latent, up to a rigid motion and
    in units of the length scale.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples``.
    similarity : {"covariance", "correlation"}, default="covariance"
        Estimate of the kernel divided by its variance: the covariance of two rows over the
        features, divided by the mean variance of all rows (Alg. 1, lines 2 and 3), or their
        correlation, which the authors' released experiments use. On the paper's
        Gaussian-process data (1000 rows, 12 trials) the covariance recovers the latent as well
        or better: mean R² .621 against .606 at 50 features, within .003 at 10, 100, 200, 1000.
    reference : "min_max" or int, default="min_max"
        Row that becomes the origin: the one whose largest distance is smallest (Sec. 2.5), or
        the row of this index. Rows that share the smallest maximum, as most do where
        `min_similarity` is reached everywhere, are told apart by their mean distance.
    min_similarity : float in (0, 1), default=1e-3
        Smaller similarities, negative ones included, are raised to this value: the inverse
        kernel has no (or a useless) value there (Sec. 2.4). Those above 1 are lowered to 1.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Latent of the training rows divided by the length scale, relative to the reference row.
        Of each column the entry of largest magnitude is positive.
    eigenvalues_ : ndarray of shape (n_components,)
        Largest eigenvalues of the matrix of inner products, descending, not negative; the
        squared norms of the columns of ``embedding_``.
    reference_ : int
        Index of the reference row.
    variance_ : float
        Mean variance of the rows over the features: σ² of Alg. 1.
    rows_ : ndarray of shape (n_samples, n_features)
        Training rows, centred and scaled so that their inner products are the similarities.
    reference_distances_ : ndarray of shape (n_samples,)
        Squared latent distance of each training row to the reference row.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Warns
    -----
    UserWarning
        If fewer than `n_components` eigenvalues are positive. The optimum of Eq. 8 then has
        columns of zeros, and so has the embedding.
    UserWarning
        If rows are constant over the features. They are similar to no other, so that they lie as
        far from all as `min_similarity` allows, which says nothing of their latent.

    Notes
    -----
    Time O(n_samples² · (n_features + n_components)), memory one n_samples × n_samples matrix.
    Alg. 1 leaves the diagonal of the distances as estimated: zero for the correlation, for the
    covariance only as far as a row's variance reaches the mean.

    References
    ----------
    C. Li and A. Wu, "Inverse Kernel Decomposition": Alg. 1, Eqs. 2 to 8, Sec. 2.5.

    Examples
    --------
    A unit circle seen through 2000 random waves of length scale 1 comes back:

    >>> import numpy as np
    >>> angle = np.linspace(0, 2 * np.pi, 50, endpoint=False)
    >>> latent = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> rng = np.random.default_rng(0)
    >>> waves, phases = rng.standard_normal((2, 2000)), rng.uniform(0, 2 * np.pi, 2000)
    >>> embedding = IKD(n_components=2).fit_transform(np.cos(latent @ waves + phases))
    >>> radius = np.linalg.norm(embedding - embedding.mean(axis=0), axis=1)
    >>> bool(np.allclose(radius, 1, atol=0.1))
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "similarity": [StrOptions({"covariance", "correlation"})],
        "reference": [StrOptions({"min_max"}), Interval(Integral, 0, None, closed="left")],
        "min_similarity": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        similarity: str = "covariance",
        reference: str | int = "min_max",
        min_similarity: float = 1e-3,
    ) -> None:
        self.n_components = n_components
        self.similarity = similarity
        self.reference = reference
        self.min_similarity = min_similarity

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> IKD:
        """Embed the rows of `X` (Alg. 1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, at least two rows and two features.
        y : None
            Not used.

        Returns
        -------
        IKD
            The fitted estimator.

        Raises
        ------
        ValueError
            If `n_components` or `reference` does not fit the number of rows, or all rows are
            constant over the features.
        """
        data: NDArray = validate_data(
            self, X, dtype=np.float64, ensure_min_samples=2, ensure_min_features=2
        )
        n_samples, n_features = data.shape
        if self.n_components > n_samples:
            raise ValueError(
                f"n_components={self.n_components} is more than the {n_samples} samples of X"
            )
        if not isinstance(self.reference, str) and self.reference >= n_samples:
            raise ValueError(
                f"reference={self.reference} is no row of X, which has {n_samples} samples"
            )
        rows, norms = _centred_rows(data)
        if not norms.any():
            raise ValueError("all rows of X are constant over the features: nothing to compare")
        self.variance_ = float(np.mean(norms**2) / (n_features - 1))
        self.rows_ = self._scaled(rows, norms)
        distances = self._distances(self.rows_)
        self.reference_ = (
            _min_max_row(distances) if isinstance(self.reference, str) else int(self.reference)
        )
        self.reference_distances_ = distances[self.reference_].copy()
        products = _inner_products(distances, self.reference_distances_, self.reference_distances_)
        self.eigenvalues_, vectors = _leading_eigenpairs(products, self.n_components)
        if not self.eigenvalues_.all():
            warnings.warn(
                f"only {np.count_nonzero(self.eigenvalues_)} of {self.n_components} eigenvalues "
                "are positive, the other columns of the embedding are zero; lower n_components",
                UserWarning,
                stacklevel=3,
            )
        self.embedding_ = vectors * np.sqrt(self.eigenvalues_)
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Embed the rows of `X` and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, at least two rows and two features.
        y : None
            Not used.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The embedding.
        """
        return self.fit(X).embedding_

    def transform(self, X: ArrayLike) -> NDArray:
        """Place rows in the embedding from their distances to the training rows.

        The Nyström extension z = Λ⁻¹ Ũᵀ g of the eigenvectors, where g holds the inner products
        of a new point with the training points about the same reference row (Eq. 4). A training
        row gets its own place in the embedding.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            Observations.

        Returns
        -------
        ndarray of shape (n_points, n_components)
            Their places.
        """
        check_is_fitted(self)
        data: NDArray = validate_data(self, X, dtype=np.float64, reset=False)
        distances = self._distances(self._scaled(*_centred_rows(data)))
        products = _inner_products(
            distances, distances[:, self.reference_].copy(), self.reference_distances_
        )
        inverse = np.divide(
            1.0, self.eigenvalues_, out=np.zeros(self.n_components), where=self.eigenvalues_ > 0
        )
        return products @ (self.embedding_ * inverse)

    def _scaled(self, rows: NDArray, norms: NDArray) -> NDArray:
        """Scale centred rows in place so that their inner products are the similarities."""
        if self.similarity == "correlation":
            rows /= np.where(norms > 0, norms, 1.0)[:, np.newaxis]
        else:
            rows /= np.sqrt(self.variance_ * (rows.shape[1] - 1))
        return rows

    def _distances(self, rows: NDArray) -> NDArray:
        """Squared latent distances of scaled rows to the training rows (Eq. 2)."""
        distances = rows @ self.rows_.T
        for block in gen_batches(len(distances), BLOCK_ROWS):
            similarity = np.clip(distances[block], self.min_similarity, 1.0)
            distances[block] = KERNEL.inverse(similarity)
        return distances

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def _centred_rows(X: NDArray) -> tuple[NDArray, NDArray]:
    """Rows less their own mean over the features, and their norms; exactly 0 where constant."""
    rows = X - X.mean(axis=1, keepdims=True)
    constant = np.flatnonzero(X.max(axis=1) == X.min(axis=1))
    if constant.size:
        rows[constant] = 0.0
        shown = ", ".join(map(str, constant[:10])) + (", ..." if constant.size > 10 else "")
        warnings.warn(
            f"{constant.size} of {len(X)} rows of X are constant over the features and so similar "
            f"to no other (row {shown}). Leave them out.",
            UserWarning,
            stacklevel=4,
        )
    return rows, np.linalg.norm(rows, axis=1)


def _min_max_row(distances: NDArray) -> int:
    """Return the row of smallest maximum (Sec. 2.5), of several the one of smallest sum."""
    return int(np.lexsort((distances.sum(axis=1), distances.max(axis=1)))[0])


def _inner_products(distances: NDArray, rows: NDArray, columns: NDArray) -> NDArray:
    """Inner products g of Eq. 4: ½ (d_ir + d_rj − d_ij), in place of `distances`.

    `rows` and `columns` are the distances to the reference point r of the points that the rows
    and the columns of `distances` stand for.
    """
    distances *= -0.5
    distances += 0.5 * rows[:, np.newaxis]
    distances += 0.5 * columns
    return distances


def _leading_eigenpairs(matrix: NDArray, n_components: int) -> tuple[NDArray, NDArray]:
    """Eigenpairs of the positive semi-definite matrix of this rank nearest `matrix` (Eq. 8).

    The eigenvalues are in descending order; what is no larger than rounding error is set to
    zero. The largest entry of each eigenvector is positive.
    """
    n_samples = len(matrix)

    def dense() -> tuple[NDArray, NDArray]:
        return linalg.eigh(matrix, subset_by_index=[n_samples - n_components, n_samples - 1])

    if 20 * n_components > n_samples:
        values, vectors = dense()
    else:
        # dsymv reads one triangle only, and the product is bound by memory.
        product = LinearOperator(
            matrix.shape, matvec=lambda v: linalg.blas.dsymv(1.0, matrix.T, v), dtype=float
        )
        try:
            values, vectors = eigsh(product, n_components, which="LA", rng=0)
        except ArpackError:  # a matrix of zeros, or eigenvalues too close to each other
            values, vectors = dense()
    values = values[::-1].copy()
    values[values <= n_samples * np.finfo(float).eps * max(1.0, values[0])] = 0.0
    return values, svd_flip(vectors[:, ::-1], None)[0]
