"""Inverse kernel decomposition: the latent from one eigendecomposition of row similarities."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from nldr.kernels import KERNELS, Kernel
from nldr.methods.ikd._blocks import default_threshold, isomap_embedding
from nldr.methods.ikd._models import ByBlocks, ByDistances, ByPaths, ByProducts
from nldr.methods.ikd._rows import Rows, warn_of_constant_rows
from nldr.neighborhoods.graphs import DisconnectedGraphWarning

# What similarity=None and reference=None stand for.
DEFAULTS = {
    "full": ("covariance", "min_max"),
    "blockwise": ("correlation", "min_max"),
    "geodesic": ("correlation", "min_max"),
    "metric_geodesic": ("correlation", "center"),
}
BATCH_ROWS = 1024


class IKD(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Inverse kernel decomposition.

    The features are taken as independent draws of one Gaussian process over the latent, so the
    similarity of two rows estimates the kernel between their latent points. The kernel is
    inverted elementwise to squared latent distances, these are turned into inner products about
    a reference point, and the leading eigenvectors are the latent, up to a rigid motion and
    in units of the length scale. Small similarities say little of their distance; the variants
    differ in what they put there.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most the number of rows (or of landmarks).
    variant : {"full", "blockwise", "geodesic", "metric_geodesic"}, default="metric_geodesic"
        - ``"full"``: all distances as they are (Alg. 1).
        - ``"blockwise"``: cliques of similarities above the threshold, each solved on its own,
          joined by rigid motions on the points they share (Sec. 2.4).
        - ``"geodesic"``: similarities below the threshold replaced by the largest product of
          similarities along a path (Sec. 2.4).
        - ``"metric_geodesic"``: distances are lengths of shortest paths over edges of length
          √f⁻¹(s); the paper's products add squared distances, which do not add along a path.
    kernel : str or Kernel, default="squared_exponential"
        Name in :data:`nldr.kernels.KERNELS`, or an object of :mod:`nldr.kernels`, with its
        hyper-parameters.
    similarity : {"covariance", "correlation", "variogram", "auto"}, default=None
        Estimate of the kernel divided by its variance. The default is covariance for the variant
        full and correlation for the others.

        - ``"covariance"``: of two rows over the features, divided by the mean variance of all
          rows (Alg. 1, lines 2 and 3).
        - ``"correlation"``: of two rows, as in the authors' released experiments.
        - ``"variogram"``, ours: 1 − ‖xᵢ − xⱼ‖² / 2Nm with m the mean of all squared entries. It
          neither centers nor scales rows, which costs degrees of freedom when features are few,
          but needs features of mean zero and rows of equal strength.
        - ``"auto"``, ours: the variogram where the rows' mean squares vary no more than twice as
          much as chance allows, relative variance 2/N; else the correlation.
    reference : {"min_max", "min_mean", "center"} or int, default=None
        Origin: the row whose largest distance is smallest (Sec. 2.5), the one of smallest mean
        distance, the centroid (classical scaling), or the row of this index, which blockwise does
        not take. Of rows that share the smallest maximum, as most do where `min_similarity` is
        reached everywhere, the one of smallest mean distance. The default is the centroid for
        metric_geodesic and min_max for the others.
    min_similarity : float in (0, 1), default=1e-3
        Smaller similarities, negative ones included, are raised to this value: the inverse
        kernel has no (or a useless) value there (Sec. 2.4). Those above 1 are lowered to 1.
    threshold : float in (0, 1), default=None
        Similarity s₀ above which two rows are tied. By default, for blockwise and geodesic, 0.3
        up to 100 features, 0.1 from 1000, and 0.7 − 0.2 log₁₀ N between; for metric_geodesic
        from the sampling error of a correlation. The authors' Fig. 1 has 0.6 and 0.2.
    n_neighbors : int, default=5
        Number of most similar rows that are tied in any case, for metric_geodesic.
    max_cliques : int, default=500
        Number of maximal cliques after which the search for more ends, for blockwise; rows that
        are in none form a block with the rows tied to them. With 0 all blocks are of that kind:
        this is what the authors' Fig. 1 shows.
    reference_embedding : {"isomap"}, default=None
        Where the similarities rebuilt from an Isomap of 5 neighbors are better by 0.05 in R²
        than those from the merged blocks, align the blocks with it, as the authors' Figs. 2 and 6
        do, for blockwise.
    landmarks : int, default=None
        Fit on this many random rows and place the others as `transform` does, in
        O(n_samples · landmarks) time and without any n_samples × n_samples matrix.
    random_state : int, RandomState or None, default=None
        Chooses the landmarks.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Latent of the rows divided by the length scale, relative to the reference. Of each column
        the fitted entry of largest magnitude is positive, in each connected component.
    eigenvalues_ : ndarray of shape (n_components,)
        Largest eigenvalues of the matrix of inner products, descending, not negative; of the
        largest connected component. Blockwise: those of the covariance of the merged embedding,
        times the number of its rows.
    explained_share_ : float
        Share of the squared norm of the inner products that the embedding holds, Σλ²/‖G‖²; the
        mean over components, or blocks, weighted by their rows.
    reference_ : int or None
        Index of the reference row, in the largest component; None for the centroid and blockwise.
    kernel_ : Kernel
        The kernel.
    variance_ : float
        Mean variance of the fitted rows over the features: σ² of Alg. 1.
    n_connected_components_ : int
        Number of parts that no similarity above the threshold ties to each other.
    labels_ : ndarray of shape (n_landmarks,)
        Part of each fitted row.
    cliques_ : list of ndarray
        Rows of each block in the order they were merged; empty for other variants.
    reference_embedding_used_ : bool
        Whether the blocks were aligned with the reference embedding.
    landmark_indices_ : ndarray of shape (n_landmarks,)
        Rows that were fitted, ascending; all of them without `landmarks`.
    model_ : ByDistances or ByBlocks
        What the variant fitted, of :mod:`nldr.methods.ikd._models`.
    similarity_ : str
        The kind of similarity, what ``"auto"`` chose.
    rows_ : Rows
        Fitted rows, made ready to be compared with others.
    n_features_in_ : int
        Number of features seen by ``fit``; their names, if strings, are ``feature_names_in_``.

    Warns
    -----
    UserWarning
        If fewer than `n_components` eigenvalues are positive. The optimum of Eq. 8 then has
        columns of zeros, and so has the embedding.
    UserWarning
        If rows are constant over the features. They are similar to no other, so that they lie as
        far from all as `min_similarity` allows, which says nothing of their latent.
    DisconnectedGraphWarning
        If the tied rows fall into several parts. Each is embedded apart, and they are put side
        by side along the first axis, the largest first.

    Notes
    -----
    Paths measure the latent along the points: where its region has holes or turns back on itself,
    distances across are too long. On the curves of the paper's Fig. 2 (100 points) the variant
    blockwise recovers more from 200 to 1000 features on; on the data of its Fig. 1 the metric
    geodesic recovers more at all numbers of features.

    Time O(n_samples² · (n_features + n_components)) for the variant full, memory one n_samples ×
    n_samples matrix, with the number of landmarks for n_samples where they are used. Alg. 1
    leaves the diagonal of the distances as estimated: zero for the correlation, for the
    covariance only as far as a row's variance reaches the mean.

    References
    ----------
    C. Li and A. Wu, "Inverse Kernel Decomposition": Alg. 1, Eqs. 2 to 8, Secs. 2.4 and 2.5.

    Examples
    --------
    A unit circle seen through 2000 random waves of length scale 1 comes back:

    >>> import numpy as np
    >>> angle = np.linspace(0, 2 * np.pi, 50, endpoint=False)
    >>> latent = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> rng = np.random.default_rng(0)
    >>> waves, phases = rng.standard_normal((2, 2000)), rng.uniform(0, 2 * np.pi, 2000)
    >>> X = np.cos(latent @ waves + phases)
    >>> embedding = IKD(n_components=2, variant="full").fit_transform(X)
    >>> radius = np.linalg.norm(embedding - embedding.mean(axis=0), axis=1)
    >>> bool(np.allclose(radius, 1, atol=0.1))
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "variant": [StrOptions(set(DEFAULTS))],
        "kernel": [StrOptions(set(KERNELS)), HasMethods(["__call__", "inverse"])],
        "similarity": [StrOptions({"covariance", "correlation", "variogram", "auto"}), None],
        "reference": [
            StrOptions({"min_max", "min_mean", "center"}),
            Interval(Integral, 0, None, closed="left"),
            None,
        ],
        "min_similarity": [Interval(Real, 0, 1, closed="neither")],
        "threshold": [Interval(Real, 0, 1, closed="neither"), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "max_cliques": [Interval(Integral, 0, None, closed="left")],
        "reference_embedding": [StrOptions({"isomap"}), None],
        "landmarks": [Interval(Integral, 2, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        variant: str = "metric_geodesic",
        kernel: str | Kernel = "squared_exponential",
        similarity: str | None = None,
        reference: str | int | None = None,
        min_similarity: float = 1e-3,
        threshold: float | None = None,
        n_neighbors: int = 5,
        max_cliques: int = 500,
        reference_embedding: str | None = None,
        landmarks: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.variant = variant
        self.kernel = kernel
        self.similarity = similarity
        self.reference = reference
        self.min_similarity = min_similarity
        self.threshold = threshold
        self.n_neighbors = n_neighbors
        self.max_cliques = max_cliques
        self.reference_embedding = reference_embedding
        self.landmarks = landmarks
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> IKD:
        """Embed the rows.

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
            If `n_components` or `reference` does not fit the number of rows or the variant, or
            all rows are constant over the features.
        """
        data: NDArray = validate_data(
            self, X, dtype=np.float64, ensure_min_samples=2, ensure_min_features=2
        )
        n_samples = len(data)
        n_fitted = n_samples if self.landmarks is None else min(self.landmarks, n_samples)
        self._check_sizes(n_fitted)
        warn_of_constant_rows(data)
        rng = check_random_state(self.random_state)
        self.landmark_indices_ = np.sort(rng.permutation(n_samples)[:n_fitted])
        fitted = data[self.landmark_indices_]
        self.rows_ = Rows(fitted, self._similarity, self.min_similarity)
        self.kernel_: Kernel = (
            KERNELS[self.kernel]() if isinstance(self.kernel, str) else self.kernel
        )
        self.similarity_, self.variance_ = self.rows_.similarity, self.rows_.variance
        similarity = self.rows_.compare_all()
        self.reference_embedding_used_ = False
        self.model_ = self._model()
        self.model_.fit(similarity, self.n_components, self._reference)
        if isinstance(self.model_, ByBlocks) and self.reference_embedding is not None:
            other = isomap_embedding(fitted, self.n_components)
            self.reference_embedding_used_ = self.model_.align(other, similarity)
        self._take_results()
        self._warn_of_outcome()
        rest = np.setdiff1d(np.arange(n_samples), self.landmark_indices_)
        self.embedding_ = np.empty((n_samples, self.n_components))
        self.embedding_[self.landmark_indices_] = self.model_.embedding
        self.embedding_[rest] = self._place(data, rest)
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Embed the rows of `X` and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, as for `fit`.
        y : None
            Not used.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The embedding.
        """
        return self.fit(X).embedding_

    def transform(self, X: ArrayLike) -> NDArray:
        """Place rows in the embedding by their similarities to the fitted rows.

        By the Nyström extension of the eigenvectors, which is Gower's formula where the reference
        is the centroid, from the distances of the variant: a row is tied to fitted rows as these
        are to each other, and joins the part of the most similar one. Blockwise has no
        eigenvectors and takes the least-squares place given the distances to the rows tied to
        it. A fitted row gets its own place in the embedding.

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
        warn_of_constant_rows(data)
        return self._place(data, np.arange(len(data)))

    def _check_sizes(self, n_fitted: int) -> None:
        """Complain of parameters that do not fit the number of rows, or each other."""
        unit = "samples of X" if self.landmarks is None else "landmarks"
        if self.n_components > n_fitted:
            raise ValueError(f"n_components={self.n_components} is more than the {n_fitted} {unit}")
        default_similarity, default_reference = DEFAULTS[self.variant]
        self._similarity = self.similarity or default_similarity
        self._reference = default_reference if self.reference is None else self.reference
        if isinstance(self._reference, str):
            return
        if self.variant == "blockwise":
            raise ValueError(
                f"reference={self.reference} is one row, but each block of the variant blockwise "
                "needs its own: use min_max, min_mean or center"
            )
        if self._reference >= n_fitted:
            raise ValueError(
                f"reference={self.reference} is no row of X, which has {n_fitted} samples"
            )

    def _threshold(self) -> float:
        return default_threshold(self.n_features_in_) if self.threshold is None else self.threshold

    def _model(self) -> ByBlocks | ByDistances:
        if self.variant == "full":
            return ByDistances(self.kernel_)
        if self.variant == "blockwise":
            return ByBlocks(self.kernel_, self._threshold(), self.max_cliques)
        if self.variant == "geodesic":
            return ByProducts(self.kernel_, self._threshold())
        return ByPaths(self.kernel_, self.n_features_in_, self.threshold, self.n_neighbors)

    def _take_results(self) -> None:
        model, rows = self.model_, self.landmark_indices_
        self.labels_ = model.labels
        self.eigenvalues_ = model.eigenvalues
        self.explained_share_ = model.share
        self.reference_ = None if model.reference is None else int(rows[model.reference])
        self.cliques_ = [rows[block] for block in model.blocks]

    def _warn_of_outcome(self) -> None:
        """Count the parts, and say if they are several or a column of the embedding is zero."""
        sizes = np.sort(np.bincount(self.labels_))[::-1]
        self.n_connected_components_ = len(sizes)
        if len(sizes) > 1:
            shown = ", ".join(map(str, sizes[:5])) + ", …" * (len(sizes) > 5)
            warnings.warn(
                f"the similarities above the threshold tie {len(self.labels_)} rows into "
                f"{len(sizes)} parts (of {shown} rows): each is embedded apart, and put beside "
                "the others. Lower the threshold, or raise n_neighbors for metric_geodesic",
                DisconnectedGraphWarning,
                stacklevel=4,
            )
        if not self.eigenvalues_.all():
            warnings.warn(
                f"only {np.count_nonzero(self.eigenvalues_)} of {self.n_components} eigenvalues "
                "are positive, the other columns of the embedding are zero; lower n_components",
                UserWarning,
                stacklevel=4,
            )

    def _place(self, data: NDArray, chosen: NDArray) -> NDArray:
        """Place the chosen rows of `data`."""
        places = np.empty((len(chosen), self.n_components))
        for batch in gen_batches(len(chosen), BATCH_ROWS):
            places[batch] = self.model_.place(self.rows_.compare(data[chosen[batch]]))
        return places

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]
