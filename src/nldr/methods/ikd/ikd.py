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

    The features are assumed to be independent draws of one Gaussian process over the latent
    space, so the similarity of two rows is an estimate of the kernel between their latent points.
    IKD inverts the kernel elementwise to get squared latent distances, converts these to inner
    products about a reference point, and takes the leading eigenvectors as latent coordinates.
    They are determined up to a rigid motion and in units of the length scale.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most the number of rows (or of landmarks).
    variant : {"refined", "full", "blockwise", "geodesic", "knn_geodesic", "metric_geodesic"}
        What replaces small similarities, which tell little about distance. Default: refined.

        - ``"refined"``, ours: choose among closed forms by the likelihood of a Gaussian process,
          and refine the points by it, see Notes.
        - ``"full"``: use the distances of all pairs as they are (Alg. 1).
        - ``"blockwise"``, the paper's method: embed cliques of rows whose similarities exceed the
          threshold, and merge them by rigid motions on shared points (Sec. 2.4).
        - ``"geodesic"``: replace similarities below the threshold by the largest product of
          similarities along a path (Sec. 2.4). The result depends on the number of rows.
        - ``"knn_geodesic"``: multiply similarities along paths of the graph of most similar rows,
          as in the released code of Fig. 3.
        - ``"metric_geodesic"``, ours: shortest paths over edges of length √f⁻¹(s).
    kernel : str or Kernel, default="squared_exponential"
        Key of :data:`nldr.kernels.KERNELS`, or an object of :mod:`nldr.kernels`.
    similarity : {"covariance", "correlation", "variogram", "auto"}, default=None
        Estimator of the kernel divided by its variance. The default is the covariance for the
        variant full and the correlation for the others.

        - ``"covariance"``: covariance of two rows over the features, divided by the mean variance
          of all rows (Alg. 1, lines 2 and 3).
        - ``"correlation"``: correlation of two rows, as in the authors' released experiments.
        - ``"variogram"``, ours: 1 − ‖xᵢ − xⱼ‖² / 2Nm, where m is the mean square of all entries.
          Better with few features, if these have mean zero and the rows have equal mean squares.
        - ``"auto"``, ours: the variogram if the relative variance of the rows' mean squares is at
          most twice the 2/N expected by chance; otherwise the correlation.
    reference : {"min_max", "min_mean", "center", "center_released"} or int, default=None
        Origin of the embedding: the row with the smallest maximum distance (Sec. 2.5; ties by the
        mean), the row with the smallest mean distance, the centroid, or the row (landmark) with
        this index, except for blockwise. The default is the centroid for the variants with paths
        and min_max for full and blockwise; refined does not use it. ``"center_released"`` is the
        faulty centering of the paper's Fig. 3, to compare with its numbers: the means of rows and
        columns are added along the same axis, so that the result depends on the order of the rows.
    min_similarity : float in (0, 1), default=1e-3
        Similarities below this value, including negative ones, are raised to it, since the
        inverse kernel is undefined or unreliable there (Sec. 2.4). Those above 1 are lowered to 1.
    threshold : float in (0, 1) or "released", default=None
        Similarity s₀ above which two rows are adjacent in the graph. The default is 0.45 for
        blockwise and 0.6 for geodesic; for metric_geodesic and refined it follows from the sampling
        error of a correlation. ``"released"``: as in the authors' Figs. 2 and 6, 0.3 up to 100
        features, 0.1 from 1000 on, 0.7 − 0.2 log₁₀ N in between.
    n_neighbors : int, default=5
        Number of most similar rows to which each row is adjacent, for knn_geodesic, and for
        metric_geodesic and refined, where rows above the threshold are adjacent too.
    max_cliques : int, default=0
        Number of maximal cliques after which blockwise stops the search. Each row that no clique
        contains forms a block with its adjacent rows; with 0, all do, as in the authors' Fig. 1.
    reference_embedding : {"isomap"}, default=None
        For blockwise: align the blocks to an Isomap embedding (5 neighbors) if that predicts the
        similarities with an R² that is higher by at least 0.05, as in the authors' Figs. 2 and 6.
    center_features : bool or "auto", default=None
        Whether the means of the features, which the model does not have, are subtracted, and the
        similarity of far rows restored to 0. ``"auto"``, ours: if 90 % of the correlations of rows
        exceed 0.2; the default similarity is then the variogram, or the correlation where
        `n_components` dimensions explain it better. The default is ``"auto"`` for refined and
        metric_geodesic, and False for the published variants.
    polish : bool or "auto", default="auto"
        For refined: whether the points are moved by the likelihood. ``"auto"``: if N (1 − ν)/ν is
        at least 60, with N features and the noise's share ν; otherwise they would fit the noise.
    landmarks : int, default=None
        Fit on this number of rows and place the other rows as `transform` does, in O(n_samples ·
        landmarks) time. The default is all rows, and for refined at most 500, or 10 000/N, up to
        1000, with fewer than 20 features; of 10 000 rows or more, the likelier of two sets of 1000.
    random_state : int, RandomState or None, default=None
        Seed of a random choice of landmarks. By default they are rows at nearly even gaps, so that
        two fits are equal.
    verbose : bool, default=False
        Whether refined prints its state every ten seconds.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Latent coordinates of the rows relative to the reference, divided by the length scale. In
        each connected component, the entry of largest magnitude of each column is positive among
        the fitted rows.
    eigenvalues_ : ndarray of shape (n_components,)
        Largest eigenvalues of the inner products of the largest connected component, descending,
        not negative. For blockwise, those of the covariance of the embedding times n_samples.
    explained_share_ : float
        Fraction Σλ²/‖G‖² of the squared norm of the inner products that the embedding explains;
        the mean over components, or blocks, weighted by their numbers of rows.
    reference_ : int or None
        Index of the reference row of the largest component; None for a centroid and blockwise.
    kernel_ : Kernel
        Kernel with its hyperparameters.
    variance_ : float
        Mean variance of the fitted rows over the features, σ² of Alg. 1.
    n_connected_components_ : int
        Number of connected components of the graph of adjacent rows.
    labels_ : ndarray of shape (n_landmarks,)
        Connected component of each fitted row.
    cliques_ : list of ndarray
        Rows of each block in the order of merging; empty for other variants than blockwise.
    reference_embedding_used_ : bool
        Whether the blocks were aligned to the reference embedding.
    landmark_indices_ : ndarray of shape (n_landmarks,)
        Fitted rows, ascending; all rows if `landmarks` is None.
    center_features_ : bool
        Whether the means of the features were subtracted.
    start_ : str or None
        The closed form that refined chose: paths, blocks (with their threshold) or products.
    polished_ : bool
        Whether refined moved the points by the likelihood.
    noise_share_ : float or None
        For refined, the share ν of white noise in the variance of the centered features.
    similarity_ : str
        Estimator of the similarity; for ``"auto"``, the one that was chosen.

    Raises
    ------
    ValueError
        If `n_components` or `reference` exceeds the number of rows, `reference` is a row but
        the variant is blockwise, or all rows are constant over the features.

    Warns
    -----
    UserWarning
        If fewer than `n_components` eigenvalues are positive, so that columns are zero (Eq. 8), or
        if rows are constant over the features, so that their coordinates are not meaningful.
    DisconnectedGraphWarning
        If the graph of adjacent rows is disconnected. Each connected component is then embedded
        separately, and they are placed side by side along the first axis, the largest first.

    See Also
    --------
    nldr.methods.ikd.diagnostics.diagnose : Dimension, standard errors and fit of the model.

    Notes
    -----
    New rows get distances by the rules of the variant, in the component of their most similar
    fitted row, and coordinates by the Nyström extension of the eigenvectors, or for blockwise by
    trilateration. Fitted rows keep their coordinates.

    Refined embeds the rows as metric_geodesic, as blockwise and as knn_geodesic do, and keeps the
    embedding of highest likelihood under a Gaussian process with fitted variance, length scale and
    noise. Its points are replaced three times by their posterior means over the positions of all
    points, and then moved uphill by at most N/4 iterations of L-BFGS (at least 40, at most 100).
    The kernel must be one that :class:`nldr.methods.gp.kernels.Stationary` takes.

    Path lengths are measured within the region of the points: distances across holes are
    overestimated. The variant full takes O(n_samples² · (n_features + n_components)) time and one
    n_samples × n_samples matrix.

    References
    ----------
    C. Li and A. Wu, "Inverse Kernel Decomposition": Alg. 1, Eqs. 2 to 8, Secs. 2.4 and 2.5.

    Examples
    --------
    A unit circle, observed through 2000 random waves of length scale 1, is recovered:

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
