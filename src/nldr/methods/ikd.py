"""Inverse kernel decomposition: the latent from one eigendecomposition of row similarities."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from nldr.graphs import DisconnectedGraphWarning, component_labels
from nldr.kernels import KERNELS, Kernel
from nldr.methods._ikd_blocks import align_to_reference, default_threshold, merge_blocks
from nldr.methods._ikd_metric import edge_lengths, metric_distances
from nldr.methods._ikd_parts import Part, place_side_by_side, solve
from nldr.methods._ikd_places import shortest_through, trilaterate

# What similarity=None and reference=None stand for.
DEFAULTS = {
    "full": ("covariance", "min_max"),
    "blockwise": ("correlation", "min_max"),
    "geodesic": ("correlation", "min_max"),
    "metric_geodesic": ("correlation", "center"),
}
BLOCK_ROWS = 128
BATCH_ROWS = 1024


class IKD(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Inverse kernel decomposition.

    The features are taken as independent draws of one Gaussian process over the latent, so the
    similarity of two rows estimates the kernel between their latent points. The kernel is
    inverted elementwise to squared latent distances, these are turned into inner products about
    a reference point, and the leading eigenvectors are the latent, up to a rigid motion and
    in units of the length scale. Small similarities say little of their distance; the variants
    differ in what they put in their place.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most the number of rows (or of landmarks).
    variant : {"full", "blockwise", "geodesic", "metric_geodesic"}, default="full"
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
    similarity : {"covariance", "correlation"}, default=None
        Estimate of the kernel divided by its variance: the covariance of two rows over the
        features, divided by the mean variance of all rows (Alg. 1, lines 2 and 3), or their
        correlation, which the authors' released experiments use. The default is covariance for
        the variant full and correlation for the others. On the paper's Gaussian-process data
        (1000 rows, 12 trials) the full variant recovers the latent as well or better from the
        covariance: mean R² .621 against .606 at 50 features, within .003 at 10, 100, 200, 1000.
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
        Where the similarities rebuilt from an Isomap of 5 neighbours are better by 0.05 in R²
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
    rows_ : ndarray of shape (n_landmarks, n_features)
        Fitted rows, centred and scaled so that their inner products are the similarities.
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
    DisconnectedGraphWarning
        If the tied rows fall into several parts. Each is embedded apart, and they are put side
        by side along the first axis, the largest first.

    Notes
    -----
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
    >>> embedding = IKD(n_components=2).fit_transform(np.cos(latent @ waves + phases))
    >>> radius = np.linalg.norm(embedding - embedding.mean(axis=0), axis=1)
    >>> bool(np.allclose(radius, 1, atol=0.1))
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "variant": [StrOptions(set(DEFAULTS))],
        "kernel": [StrOptions(set(KERNELS)), HasMethods(["__call__", "inverse"])],
        "similarity": [StrOptions({"covariance", "correlation"}), None],
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
        variant: str = "full",
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
        """Embed the rows of `X`.

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
        _warn_of_constant_rows(data)
        rng = check_random_state(self.random_state)
        self.landmark_indices_ = (
            np.arange(n_samples)
            if n_fitted == n_samples
            else np.sort(rng.choice(n_samples, n_fitted, replace=False))
        )
        rows, norms = _centred_rows(data[self.landmark_indices_])
        if not norms.any():
            raise ValueError("all rows of X are constant over the features: nothing to compare")
        name = self.kernel
        self.kernel_: Kernel = KERNELS[name]() if isinstance(name, str) else name
        self.variance_ = float(np.mean(norms**2) / (data.shape[1] - 1))
        self.rows_ = self._scaled(rows, norms)
        self.cliques_: list[NDArray] = []
        self.reference_embedding_used_ = False
        fitted = self._fit_blocks(data) if self.variant == "blockwise" else self._fit_distances()
        self._warn_of_outcome()
        if n_fitted < n_samples:
            rest = np.setdiff1d(np.arange(n_samples), self.landmark_indices_)
            self.embedding_ = np.empty((n_samples, self.n_components))
            self.embedding_[self.landmark_indices_] = fitted
            self.embedding_[rest] = self._place(data, rest)
        else:
            self.embedding_ = fitted
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
        _warn_of_constant_rows(data)
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

    def _fit_distances(self) -> NDArray:
        """Embed the fitted rows by their distances, each part apart."""
        distances = self._similarities(self.rows_)
        if self.variant == "full":
            self._invert(distances)
            self.labels_ = np.zeros(len(distances), dtype=int)
        else:
            distances = self._path_distances(distances)
            first_reached = np.isfinite(distances).argmax(axis=1)
            self.labels_ = np.unique(first_reached, return_inverse=True)[1]
        self.parts_: list[Part] = []
        for rows in _members(self.labels_):
            own = distances if len(rows) == len(distances) else distances[np.ix_(rows, rows)]
            inside = rows == self._reference
            reference: str | int = self._reference
            if not isinstance(reference, str):
                reference = int(inside.argmax()) if inside.any() else "min_max"
            self.parts_.append(solve(own, self.n_components, reference, rows))
        embedding = np.empty((len(self.rows_), self.n_components))
        shifts = place_side_by_side([part.embedding for part in self.parts_])
        for part, part.shift in zip(self.parts_, shifts, strict=True):
            embedding[part.rows] = part.embedding
            embedding[part.rows, 0] += part.shift
        largest = self.parts_[0]
        self.eigenvalues_ = largest.eigenvalues
        self.reference_distances_ = largest.reference_distances
        self.explained_share_ = float(
            np.average([p.share for p in self.parts_], weights=[len(p.rows) for p in self.parts_])
        )
        self.reference_ = (
            None
            if largest.reference is None
            else int(self.landmark_indices_[largest.rows[largest.reference]])
        )
        return embedding

    def _path_distances(self, similarity: NDArray) -> NDArray:
        """Squared distances of the fitted rows along paths, infinite between parts."""
        if self.variant == "metric_geodesic":
            distances = metric_distances(similarity, self.kernel_, **self._metric_options())
            self.paths_ = np.sqrt(distances)
            return distances
        lengths = self._product_lengths(similarity)
        rows, columns = np.nonzero(np.isfinite(lengths))
        graph = csr_array((lengths[rows, columns], (rows, columns)), shape=lengths.shape)
        self.paths_ = shortest_path(graph, directed=False)
        return self._product_distances(lengths, self.paths_)

    def _metric_options(self) -> dict[str, Any]:
        return {
            "n_features": self.n_features_in_,
            "threshold": self.threshold,
            "n_neighbors": self.n_neighbors,
        }

    def _product_lengths(self, similarity: NDArray) -> NDArray:
        """Lengths −ln s, infinite where s is below the threshold and not the largest of its row."""
        is_edge = similarity > self._threshold()
        is_edge[np.arange(len(similarity)), similarity.argmax(axis=1)] = True
        lengths = np.full(similarity.shape, np.inf)
        lengths[is_edge] = -np.log(similarity[is_edge])
        return lengths

    def _product_distances(self, lengths: NDArray, paths: NDArray) -> NDArray:
        """f⁻¹ of the similarities of edges, and of the largest products where there is none."""
        product = np.exp(-np.where(np.isfinite(lengths), lengths, paths))
        distances = self.kernel_.inverse(np.maximum(product, np.finfo(float).tiny))
        return np.where(product > 0, distances, np.inf)

    def _fit_blocks(self, data: NDArray) -> NDArray:
        """Embed the fitted rows block by block, each part apart."""
        similarity = self._similarities(self.rows_)
        threshold = self._threshold()
        self.labels_ = component_labels(csr_array(similarity > threshold))
        embedding = np.empty((len(similarity), self.n_components))
        blocks, shares, parts = [], [], _members(self.labels_)
        for rows in parts:
            own = similarity[np.ix_(rows, rows)]
            merged, own_blocks, share = merge_blocks(
                own,
                self.kernel_,
                self.n_components,
                threshold,
                self.max_cliques,
                self._reference,
            )
            embedding[rows] = _principal_axes(merged)
            blocks += [(rows[points], own_embedding) for points, own_embedding in own_blocks]
            shares.append(share)
        for rows, shift in zip(
            parts, place_side_by_side([embedding[rows] for rows in parts]), strict=True
        ):
            embedding[rows, 0] += shift
        if self.reference_embedding == "isomap":
            from nldr.methods.isomap import Isomap

            isomap = Isomap(self.n_components, n_neighbors=min(5, len(similarity) - 1))
            other = isomap.fit_transform(data[self.landmark_indices_])
            embedding, self.reference_embedding_used_ = align_to_reference(
                embedding, blocks, other, similarity, self.kernel_
            )
        largest = embedding[parts[0]]
        self.eigenvalues_ = np.square(largest - largest.mean(axis=0)).sum(axis=0)
        self.explained_share_ = float(np.average(shares, weights=[len(rows) for rows in parts]))
        self.reference_ = None
        self.cliques_ = [self.landmark_indices_[points] for points, _ in blocks]
        self.places_ = embedding
        self.misplaced_ = self._trilaterated(similarity) - embedding
        return embedding

    def _warn_of_outcome(self) -> None:
        """Count the parts, and say if they are several or a column of the embedding is zero."""
        sizes = [len(rows) for rows in _members(self.labels_)]
        self.n_connected_components_ = len(sizes)
        if len(sizes) > 1:
            shown = ", ".join(map(str, sizes[:5])) + ", …" * (len(sizes) > 5)
            warnings.warn(
                f"the similarities above the threshold tie {len(self.labels_)} rows into "
                f"{len(sizes)} parts (of {shown} rows): each is embedded apart, and where they lie "
                "to each other says nothing. Lower the threshold (or raise n_neighbors, for "
                "metric_geodesic)",
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
            rows, norms = _centred_rows(data[chosen[batch]])
            similarity = self._similarities(self._scaled(rows, norms))
            if self.variant == "full":
                places[batch] = self.parts_[0].place(self._invert(similarity))
            elif self.variant == "blockwise":
                correction = self.misplaced_[similarity.argmax(axis=1)]
                places[batch] = self._trilaterated(similarity) - correction
            else:
                places[batch] = self._place_by_paths(similarity)
        return places

    def _trilaterated(self, similarity: NDArray) -> NDArray:
        return trilaterate(similarity, self.places_, self.labels_, self.kernel_, self._threshold())

    def _place_by_paths(self, similarity: NDArray) -> NDArray:
        """Place rows by their path distances to the fitted rows."""
        if self.variant == "metric_geodesic":
            lengths = edge_lengths(similarity, self.kernel_, **self._metric_options())
            distances = np.square(shortest_through(lengths, self.paths_))
        else:
            lengths = self._product_lengths(similarity)
            distances = self._product_distances(lengths, shortest_through(lengths, self.paths_))
        labels = self.labels_[lengths.argmin(axis=1)]
        places = np.empty((len(similarity), self.n_components))
        for part in self.parts_:
            mine = np.flatnonzero(labels == self.labels_[part.rows[0]])
            places[mine] = part.place(distances[np.ix_(mine, part.rows)])
        return places

    def _threshold(self) -> float:
        return default_threshold(self.n_features_in_) if self.threshold is None else self.threshold

    def _scaled(self, rows: NDArray, norms: NDArray) -> NDArray:
        """Scale centred rows in place so that their inner products are the similarities."""
        if self._similarity == "correlation":
            rows /= np.where(norms > 0, norms, 1.0)[:, np.newaxis]
        else:
            rows /= np.sqrt(self.variance_ * (rows.shape[1] - 1))
        return rows

    def _similarities(self, rows: NDArray) -> NDArray:
        """Similarities of scaled rows to the fitted rows, between `min_similarity` and 1."""
        similarity = rows @ self.rows_.T
        return np.clip(similarity, self.min_similarity, 1.0, out=similarity)

    def _invert(self, similarity: NDArray) -> NDArray:
        """Squared latent distances, in place of the similarities (Eq. 2)."""
        for block in gen_batches(len(similarity), BLOCK_ROWS):
            similarity[block] = self.kernel_.inverse(similarity[block])
        return similarity

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def _centred_rows(X: NDArray) -> tuple[NDArray, NDArray]:
    """Rows less their own mean over the features, and their norms; exactly 0 where constant."""
    rows = X - X.mean(axis=1, keepdims=True)
    rows[X.max(axis=1) == X.min(axis=1)] = 0.0
    return rows, np.linalg.norm(rows, axis=1)


def _warn_of_constant_rows(X: NDArray) -> None:
    constant = np.flatnonzero(X.max(axis=1) == X.min(axis=1))
    if constant.size:
        shown = ", ".join(map(str, constant[:10])) + (", ..." if constant.size > 10 else "")
        warnings.warn(
            f"{constant.size} of {len(X)} rows of X are constant over the features and so similar "
            f"to no other (row {shown}). Leave them out.",
            UserWarning,
            stacklevel=4,
        )


def _members(labels: NDArray) -> list[NDArray]:
    """Return the rows of each part, the largest part first."""
    sizes = np.bincount(labels)
    return [np.flatnonzero(labels == part) for part in np.argsort(-sizes, kind="stable")]


def _principal_axes(embedding: NDArray) -> NDArray:
    """Centre and turn points so that their columns are uncorrelated, of falling variance."""
    centred = embedding - embedding.mean(axis=0)
    turned = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    padded = np.zeros_like(embedding)
    padded[:, : turned.shape[1]] = turned
    largest = padded[np.abs(padded).argmax(axis=0), np.arange(padded.shape[1])]
    return padded * np.where(largest < 0, -1.0, 1.0)
