"""Inverse kernel decomposition (IKD): a latent space from the similarities of observations."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from nldr.kernels import KERNELS, Kernel
from nldr.methods._base import OutOfSampleEmbedder
from nldr.methods._progress import StepProgress
from nldr.methods.ikd._centering import compare_rows
from nldr.methods.ikd._choice import (
    DEFAULTS,
    MANY_ROWS,
    N_JUDGED,
    N_SETS,
    check_against_rows,
    default_landmarks,
    landmark_sets,
    make_variant,
    warn_of_disconnection_and_rank,
)
from nldr.methods.ikd._refined import RefinedVariant, n_steps
from nldr.methods.ikd._similarity import RowSimilarity, evenly_spaced, warn_of_constant_rows
from nldr.methods.ikd._variants import BlockwiseVariant
from nldr.methods.ikd.start import isomap_embedding
from nldr.validation import HasMethods, Interval, StrOptions

BATCH_ROWS = 1024  # new rows that are compared with the fitted rows at a time


class IKD(OutOfSampleEmbedder):
    """Inverse kernel decomposition.

    The features are taken for draws of one Gaussian process over the latent space, so similarities
    of rows estimate its kernel. IKD inverts the kernel to get squared latent distances, and takes
    the leading eigenvectors of the inner products as coordinates, in units of the length scale.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    variant : {"refined", "full", "blockwise", "geodesic", "knn_geodesic", "metric_geodesic"}
        What replaces small similarities, which tell little about distance. Default: refined.

        - ``"refined"``, ours: choose and refine a closed form by its likelihood, see Notes.
        - ``"full"``: use all pairs as they are (Alg. 1).
        - ``"blockwise"``, the paper's method: embed cliques of rows whose similarities exceed the
          threshold, and merge them by rigid motions (Sec. 2.4).
        - ``"geodesic"``: the largest product of similarities along a path (Sec. 2.4).
        - ``"knn_geodesic"``: the same on the graph of most similar rows, as in the code of Fig. 3.
        - ``"metric_geodesic"``, ours: shortest paths over edges of length √f⁻¹(s).
    kernel : str or Kernel, default="squared_exponential"
        Key of :data:`nldr.kernels.KERNELS`, or a kernel.
    similarity : {"covariance", "correlation", "variogram", "auto"}, default=None
        Estimator of the kernel divided by its variance: the covariance of rows over the features
        (Alg. 1; default for full) or the correlation (default otherwise). Ours: ``"variogram"``,
        1 − ‖xᵢ − xⱼ‖² / 2Nm with the mean square m, for few features of mean zero; ``"auto"``, the
        variogram if rows have equal mean squares, else the correlation.
    reference : {"min_max", "min_mean", "center", "center_released"} or int, default=None
        Origin: the row of smallest maximum distance (Sec. 2.5; default for full and blockwise) or
        mean distance, the centroid (default for paths), or a row or landmark by index.
        ``"center_released"`` is the faulty centering of Fig. 3. Not used by refined.
    min_similarity : float in (0, 1), default=1e-3
        Value to which smaller similarities are raised (Sec. 2.4).
    threshold : float in (0, 1) or "released", default=None
        Similarity above which two rows are adjacent. The default is 0.45 for blockwise, 0.6 for
        geodesic, else from the sampling error. ``"released"``: as in the authors' Figs. 2 and 6.
    n_neighbors : int, default=5
        Number of most similar rows to which each row is adjacent, for paths.
    max_cliques : int, default=0
        Number of cliques at which blockwise stops the search; other rows form blocks with their
        adjacent rows.
    reference_embedding : {"isomap"}, default=None
        Whether blockwise is aligned to Isomap if that predicts the similarities clearly better, as
        in the authors' Figs. 2 and 6.
    center_features : bool or "auto", default=None
        Whether to subtract the features' means. ``"auto"``, ours: if nearly all rows are
        correlated; the default for refined and metric_geodesic, else False.
    polish : bool or "auto", default="auto"
        Whether refined moves the points; by default unless that fits the noise.
    landmarks : int, default=None
        Number of rows to fit; the others are placed as by `transform`. Default: all rows, and for
        refined at most 500, or up to 1000 with few features or many rows.
    random_state : int, RandomState or None, default=None
        Seed of landmarks, evenly spaced by default.
    verbose : bool, default=False
        Whether refined prints its state every ten seconds.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the rows.
    eigenvalues_ : ndarray of shape (n_components,)
        Largest eigenvalues of the largest component, descending.
    explained_share_ : float
        Fraction Σλ²/‖G‖² of the inner products that the embedding explains.
    reference_ : int or None
        Reference row of the largest component; None for a centroid and blockwise.
    kernel_ : Kernel
        Kernel with its hyperparameters.
    variance_ : float
        Mean variance of the fitted rows, σ² of Alg. 1.
    n_connected_components_ : int
        Number of connected components of the graph of adjacent rows.
    labels_ : ndarray of shape (n_landmarks,)
        Component of each fitted row.
    cliques_ : list of ndarray
        Rows of each block of blockwise, in the order of merging.
    reference_embedding_used_ : bool
        Whether blocks were aligned.
    landmark_indices_ : ndarray of shape (n_landmarks,)
        Fitted rows, ascending.
    center_features_ : bool
        Whether means were subtracted.
    start_ : str or None
        Closed form that refined chose.
    polished_ : bool
        Whether refined moved the points by the likelihood.
    noise_share_ : float or None
        Share of noise in the variance, by refined.
    similarity_ : str
        Estimator of the similarity.

    Raises
    ------
    ValueError
        If `n_components` or `reference` does not suit the data, or all rows are constant.

    Warns
    -----
    UserWarning
        If columns are zero for want of positive eigenvalues (Eq. 8), or rows are constant.
    DisconnectedGraphWarning
        If the graph of adjacent rows is disconnected. Its components are then embedded separately,
        side by side along the first axis.

    Notes
    -----
    New rows get coordinates by the Nyström extension of the eigenvectors, or for blockwise by
    trilateration. Fitted rows keep their coordinates.

    Refined embeds the rows as metric_geodesic, blockwise and knn_geodesic do, and keeps the most
    likely embedding. Its points are replaced three times by their posterior means over all
    positions, and then moved uphill by a limited number of iterations.

    Path lengths across holes are overestimated. Full takes
    O(n_samples² · (n_features + n_components)) time.

    References
    ----------
    C. Li and A. Wu, "Inverse Kernel Decomposition": Alg. 1, Eqs. 2 to 8, Secs. 2.4 and 2.5.

    Examples
    --------
    >>> import numpy as np
    >>> angle = np.linspace(0, 2 * np.pi, 50, endpoint=False)
    >>> latent = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> rng = np.random.default_rng(0)
    >>> waves, phases = rng.standard_normal((2, 2000)), rng.uniform(0, 2 * np.pi, 2000)
    >>> ikd = IKD(variant="full", reference="center").fit(np.cos(latent @ waves + phases))
    >>> bool(np.allclose(np.linalg.norm(ikd.embedding_, axis=1), 1, atol=0.1))
    True
    """

    _min_features = 2

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "variant": [StrOptions(set(DEFAULTS))],
        "kernel": [StrOptions(set(KERNELS)), HasMethods(["__call__", "inverse"])],
        "similarity": [StrOptions({"covariance", "correlation", "variogram", "auto"}), None],
        "reference": [
            StrOptions({"min_max", "min_mean", "center", "center_released"}),
            Interval(Integral, 0, None, closed="left"),
            None,
        ],
        "min_similarity": [Interval(Real, 0, 1, closed="neither")],
        "threshold": [Interval(Real, 0, 1, closed="neither"), StrOptions({"released"}), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "max_cliques": [Interval(Integral, 0, None, closed="left")],
        "reference_embedding": [StrOptions({"isomap"}), None],
        "center_features": ["boolean", StrOptions({"auto"}), None],
        "polish": ["boolean", StrOptions({"auto"})],
        "landmarks": [Interval(Integral, 2, None, closed="left"), None],
        "random_state": ["random_state"],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        variant: str = "refined",
        kernel: str | Kernel = "squared_exponential",
        similarity: str | None = None,
        reference: str | int | None = None,
        min_similarity: float = 1e-3,
        threshold: float | str | None = None,
        n_neighbors: int = 5,
        max_cliques: int = 0,
        reference_embedding: str | None = None,
        center_features: bool | str | None = None,
        polish: bool | str = "auto",
        landmarks: int | None = None,
        random_state: Any = None,
        verbose: bool = False,
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
        self.center_features = center_features
        self.polish = polish
        self.landmarks = landmarks
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, data: NDArray) -> None:
        n_samples = len(data)
        n_fitted = min(self.landmarks or default_landmarks(self.variant, *data.shape), n_samples)
        kind, reference = check_against_rows(self, n_fitted)
        warn_of_constant_rows(data)
        self.kernel_: Kernel = (
            KERNELS[self.kernel]() if isinstance(self.kernel, str) else self.kernel
        )
        # Landmarks, or all rows; of many rows the most likely of several sets
        several = self.variant == "refined" and self.landmarks is None and n_samples >= MANY_ROWS
        sets = landmark_sets(n_samples, n_fitted, N_SETS if several else 1, self.random_state)
        label, n_refined = ("IKD" if self.verbose else ""), len(sets) * n_steps(data.shape[1])
        progress = StepProgress(label, "iteration", "log likelihood", n_refined).advance
        fits = [self._fit_rows(data[rows], kind, reference, progress) for rows in sets]
        best = 0
        if several:
            judged, judge = data[evenly_spaced(n_samples, N_JUDGED)], fits[0][1]
            best = int(
                np.argmax([judge.likelihood_at(judged, v.transform(judged)) for _, v, _ in fits])
            )
        self.landmark_indices_ = sets[best]
        self._row_similarity, self._fitted_variant, self.reference_embedding_used_ = fits[best]
        self.center_features_ = self._row_similarity.center_features
        self.similarity_ = self._row_similarity.kind
        self.variance_ = self._row_similarity.variance
        self._store_results()
        warn_of_disconnection_and_rank(self.labels_, self.eigenvalues_)
        rest = np.setdiff1d(np.arange(n_samples), self.landmark_indices_)
        self.embedding_ = np.empty((n_samples, self.n_components))
        self.embedding_[self.landmark_indices_] = self._fitted_variant.embedding
        self.embedding_[rest] = self._transform_rows(data, rest)

    def _fit_rows(
        self,
        fitted: NDArray,
        kind: str,
        reference: str | int,
        progress: Callable[[int, float], None],
    ) -> tuple[RowSimilarity, Any, bool]:
        """Return the similarity and the variant fitted to rows, and whether blocks were aligned."""
        centering = self.center_features
        if centering is None:
            centering = "auto" if self.variant in ("refined", "metric_geodesic") else False
        row_similarity = compare_rows(
            fitted,
            kind,
            self.min_similarity,
            centering,
            None if self.similarity else (self.kernel_, self.n_components),
        )
        # Distances and eigendecomposition (Alg. 1, lines 4 to 6)
        variant = make_variant(self)
        if isinstance(variant, RefinedVariant):
            variant.fit(fitted, row_similarity, kind, self.n_components, progress)
            return row_similarity, variant, False
        similarity = row_similarity.compare_all()
        variant.fit(similarity, self.n_components, reference)
        if isinstance(variant, BlockwiseVariant) and self.reference_embedding:
            other = isomap_embedding(fitted, self.n_components)
            return row_similarity, variant, variant.align(other, similarity)
        return row_similarity, variant, False

    def _transform(self, data: NDArray) -> NDArray:
        warn_of_constant_rows(data)
        return self._transform_rows(data, np.arange(len(data)))

    def _store_results(self) -> None:
        """Store the fitted attributes that describe the landmarks."""
        variant, rows = self._fitted_variant, self.landmark_indices_
        self.labels_ = variant.labels
        self.n_connected_components_ = len(np.unique(self.labels_))
        self.eigenvalues_ = variant.eigenvalues
        self.explained_share_ = variant.explained_share
        self.reference_ = None if variant.reference is None else int(rows[variant.reference])
        self.cliques_ = [rows[block] for block in variant.blocks]
        self.start_ = getattr(variant, "start", None)
        self.polished_ = getattr(variant, "polished", False)
        self.noise_share_ = getattr(variant, "noise_share", None)

    def _transform_rows(self, data: NDArray, chosen: NDArray) -> NDArray:
        """Return the coordinates of the chosen rows of `data`, batch by batch."""
        coordinates = np.empty((len(chosen), self.n_components))
        if isinstance(self._fitted_variant, RefinedVariant):
            return self._fitted_variant.transform(data[chosen])
        for batch in gen_batches(len(chosen), BATCH_ROWS):
            similarity = self._row_similarity.compare(data[chosen[batch]])
            coordinates[batch] = self._fitted_variant.transform(similarity)
        return coordinates
