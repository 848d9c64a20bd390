"""Maximum variance unfolding of points on manifolds that nothing ties to each other."""

from __future__ import annotations

from itertools import combinations
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
from sklearn.utils._param_validation import Interval
from sklearn.utils.extmath import svd_flip
from sklearn.utils.validation import validate_data

from nldr.methods.mvu._face import face_basis, independent_edges
from nldr.methods.mvu._interior import Program, unfold
from nldr.methods.mvu.mvu import MVU
from nldr.neighborhoods.dimension import eigengap
from nldr.neighborhoods.graphs import closest_pairs, component_labels, knn_graph
from nldr.neighborhoods.joining import join_nearest, with_edges

KEPT = 1e-3  # violation of a length, in mean squared lengths, up to which a solution has met it

FARTHEST = 2.0**10  # factor at which moving components apart is given up


class DisjointMVU(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Unfold each component of the neighborhood graph, then all of them against each other.

    Each component is unfolded by itself, to `n_components` dimensions. Of each, reference points
    are taken: ``n_components + 1`` that are far from each other, and those nearest to the other
    components. MVU of the reference points, with all distances within a component and the shortest
    one between each two components fixed, says where the components belong; each is moved there
    rigidly.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples``.
    n_neighbors : int, default=5
        Number of neighbors of a point, itself not counted.
    separate : bool, default=True
        Whether components that come nearer to each other than they are in the data are moved apart,
        all centers from their mean by the smallest common factor that will do. This goes beyond
        the text, see Notes.
    tol : float, default=1e-2
        Duality gap to reach in each of the problems, relative to the trace.
    max_iter : int, default=100
        Greatest number of steps in each.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows, along principal axes. Of each column the entry of largest
        magnitude is positive.
    labels_ : ndarray of shape (n_samples,)
        Component of each row.
    n_connected_components_ : int
        Number of components.
    parts_ : list of MVU
        The unfolded components, by label.
    dimensions_ : ndarray of shape (n_connected_components_,)
        Dimension of each by the eigengap of its unfolding.
    references_ : ndarray of shape (n_references,)
        Rows that are reference points; empty for a single component.
    added_edges_ : ndarray of shape (n_added, 2)
        Pairs of rows whose distance between components was fixed.
    placement_error_ : float
        Root mean squared distance, in units of the data, of reference points from where the first
        `n_components` axes of their MVU have them, before components are moved apart.
    separation_ : float
        Factor by which the centers of the components were moved apart.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Warns
    -----
    ConvergenceWarning
        If a component is not unfolded to within `tol`.

    Notes
    -----
    Where the text is silent:

    - Each component is moved rigidly within `n_components` dimensions, to where it is nearest, in
      the least squares of its reference points, to their first `n_components` principal axes.
      Two sheets that hang on one edge can turn about it at no cost, so the MVU of their reference
      points has more dimensions than they; to project the sheets as well would fold one of them.
    - Moved into fewer dimensions, components may come to lie across each other: where the
      nearest points of two rolled-up sheets are in the middle of both, nothing else can be. Hence
      `separate`. It gives up the fixed distances between components.
    - "Furthest apart" are the two farthest points, then each time the one farthest from the
      affine hull of those before: on a long strip, points that are far from each other may all be
      on a line, which leaves open on which side the rest of the strip is.
    - The nearest points of two components are sought among the data, since the unfolded components
      have no common frame, and kept at their distance there.
    - Of three components and more, not all of these distances may be possible at once: unfolding
      moves the points apart that are near to others. Then only those of a minimum spanning tree are
      fixed, which always are.
    - Unfolded components of fewer dimensions, such as those with fewer than ``n_components + 1``
      points, have zeros in the rest, and as reference points all that are no combination of others.
      A component has at least ``n_neighbors + 1`` points, so there are no single ones.
    - Components at distance zero, as repeated points may make, count as one.

    References
    ----------
    Costa, Maximum Variance Unfolding on Disjoint Manifolds, §4.2, Eqs. 43 to 48.

    Examples
    --------
    Two bent lines, one behind the other, become one straight line with a gap:

    >>> angle = np.append(np.linspace(0, 1, 20), np.linspace(2, 3, 20))
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> disjoint = DisjointMVU(1, n_neighbors=2, tol=1e-4).fit(X)
    >>> disjoint.n_connected_components_
    2
    >>> round(float(np.ptp(disjoint.embedding_)), 2), round(float(1 + 2 * np.sin(0.5) + 1), 2)
    (2.96, 2.96)
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "separate": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        separate: bool = True,
        tol: float = 1e-2,
        max_iter: int = 100,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.separate = separate
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> DisjointMVU:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, more than `n_neighbors` rows.
        y : None
            Not used.

        Returns
        -------
        DisjointMVU
            The fitted estimator.

        Raises
        ------
        ValueError
            If there are too few rows.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if self.n_components > len(data):
            raise ValueError(
                f"n_components={self.n_components} is too high for {len(data)} samples: at most "
                "n_samples"
            )
        graph = knn_graph(data, self.n_neighbors)
        pairs, lengths = closest_pairs(data, component_labels(graph))
        self.labels_ = component_labels(with_edges(graph, pairs[lengths == 0]))
        self.n_connected_components_ = int(self.labels_.max()) + 1
        members = [np.flatnonzero(self.labels_ == p) for p in range(self.n_connected_components_)]
        self.parts_ = [self._unfolded(data[rows]) for rows in members]
        self.dimensions_ = np.array([eigengap(part.eigenvalues_) for part in self.parts_])
        flat = np.zeros((len(data), self.n_components))
        for rows, part in zip(members, self.parts_, strict=True):
            flat[rows, : part.n_components] = part.embedding_
        self.references_ = self.added_edges_ = np.empty((0, 2), dtype=int)
        self.placement_error_, self.separation_ = 0.0, 1.0
        if len(members) > 1:
            flat = self._placed(data, flat, members)
        if len(members) > 1 and self.separate:
            least = closest_pairs(data, self.labels_)[1]
            self.separation_ = separation(flat, self.labels_, least)
            flat = spread(flat, self.labels_, self.separation_)
        centered = flat - flat.mean(axis=0)
        left, values, _ = np.linalg.svd(centered, full_matrices=False)
        self.embedding_ = svd_flip(left, None)[0] * values
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Embed the rows of `X` and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, more than `n_neighbors` rows.
        y : None
            Not used.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The embedding.
        """
        return self.fit(X).embedding_

    def _unfolded(self, X: NDArray) -> MVU:
        # Repeated points may have other neighbors here than among all, so it may need a bridge.
        return MVU(
            min(self.n_components, len(X)),
            n_neighbors=self.n_neighbors,
            disconnected="bridges",
            tol=self.tol,
            max_iter=self.max_iter,
        ).fit(X)

    def _placed(self, X: NDArray, flat: NDArray, members: list[NDArray]) -> NDArray:
        """Return the components, given each in a frame of its own, in a common one."""
        pairs, _ = closest_pairs(X, self.labels_)
        far = [rows[far_apart(flat[rows], self.n_components + 1)] for rows in members]
        self.references_ = np.unique(np.concatenate([*far, pairs.ravel()]))
        places, kept = self._reference_places(X, flat, pairs)
        if not kept:
            pairs = join_nearest(X, self.labels_, 1)
            places, _ = self._reference_places(X, flat, pairs)
        self.added_edges_ = pairs
        moved, errors = flat.copy(), []
        for label, rows in enumerate(members):
            own = self.labels_[self.references_] == label
            start, goal = flat[self.references_[own]], places[own]
            left, _, right = np.linalg.svd(
                (start - start.mean(axis=0)).T @ (goal - goal.mean(axis=0)), full_matrices=False
            )
            moved[rows] = (flat[rows] - start.mean(axis=0)) @ (left @ right) + goal.mean(axis=0)
            errors.append(np.square(moved[self.references_[own]] - goal).sum(axis=1))
        self.placement_error_ = float(np.sqrt(np.concatenate(errors).mean()))
        return moved

    def _reference_places(self, X: NDArray, flat: NDArray, pairs: NDArray) -> tuple[NDArray, bool]:
        """Return the MVU of the reference points on principal axes, and whether it is feasible."""
        labels = self.labels_[self.references_]
        groups = [np.flatnonzero(labels == p) for p in range(self.n_connected_components_)]
        points = flat[self.references_]
        within = [pair for group in groups for pair in combinations(group.tolist(), 2)]
        between = np.searchsorted(self.references_, pairs)
        edges = np.concatenate([np.array(within, dtype=int).reshape(-1, 2), between])
        squared = np.append(
            np.square(points[edges[: len(within), 0]] - points[edges[: len(within), 1]]).sum(
                axis=1
            ),
            np.square(X[pairs[:, 0]] - X[pairs[:, 1]]).sum(axis=1),
        )
        scale = squared.mean()
        basis = face_basis(points, iter(groups))
        chosen = independent_edges(basis, edges)
        program = Program(basis, edges[chosen], squared[chosen] / scale, shrink=False)
        places, _, _ = unfold(program, self.tol, self.max_iter)
        lengths = np.square(places[edges[:, 0]] - places[edges[:, 1]]).sum(axis=1)
        kept = bool(np.abs(lengths - squared / scale).max() <= KEPT)
        shown = np.zeros((len(points), self.n_components))
        width = min(self.n_components, places.shape[1])
        shown[:, :width] = np.sqrt(scale) * places[:, :width]
        return shown, kept

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def far_apart(points: NDArray, n_points: int) -> NDArray:
    """Return rows of points far from each other: those of a simplex of great volume.

    The first two are the farthest from each other, and each further one is the farthest from the
    affine hull of those before.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Points.
    n_points : int
        How many; fewer are returned where all points are in the hull of fewer.

    Returns
    -------
    ndarray of shape (n_found,)
        Row indices.

    Examples
    --------
    >>> far_apart(np.array([[0.0, 0], [1, 0], [5, 0], [2, 0.5], [9, 0]]), 3)
    array([0, 4, 3])
    """
    from scipy.spatial.distance import pdist

    if len(points) == 1:
        return np.array([0])
    first, second = np.triu_indices(len(points), 1)
    farthest = pdist(points).argmax()
    chosen = [int(first[farthest])]
    left = points - points[chosen[0]]
    following = int(second[farthest])
    size = np.linalg.norm(left[following])
    while len(chosen) < n_points and np.linalg.norm(left[following]) > 1e-9 * size:
        axis = left[following] / np.linalg.norm(left[following])
        chosen.append(following)
        left = left - np.outer(left @ axis, axis)
        following = int(np.linalg.norm(left, axis=1).argmax())
    return np.array(chosen)


def spread(points: NDArray, labels: NDArray, factor: float) -> NDArray:
    """Return points with the centers of their groups moved from these centers' mean by a factor.

    Examples
    --------
    >>> spread(np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([0, 0, 1, 1]), 2.0).ravel()
    array([-2.,  0.,  6.,  8.])
    """
    centers = np.stack([points[labels == p].mean(axis=0) for p in range(labels.max() + 1)])
    return points + (factor - 1) * (centers - centers.mean(axis=0))[labels]


def separation(points: NDArray, labels: NDArray, least: NDArray) -> float:
    """Return a factor of :func:`spread` at which each two groups have a least distance.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Points.
    labels : ndarray of shape (n_samples,)
        Group of each, from 0.
    least : ndarray of shape (n_pairs,)
        Distances, in the order of :func:`nldr.neighborhoods.graphs.closest_pairs`.

    Returns
    -------
    float
        From 1, to within a hundredth; 1 as well if centers coincide, so that no factor will do.

    Examples
    --------
    >>> points = np.array([[0.0], [2.0], [4.0], [6.0]])
    >>> round(separation(points, np.array([0, 0, 1, 1]), np.array([4.0])), 1)
    1.5
    """

    def apart(factor: float) -> bool:
        distances = closest_pairs(spread(points, labels, factor), labels)[1]
        return bool(np.all(distances >= 0.98 * least))

    if apart(1.0):
        return 1.0
    high = 2.0
    while not apart(high) and high < FARTHEST:
        high *= 2
    if high >= FARTHEST:
        return 1.0
    low = high / 2
    while high > 1.01 * low:
        middle = (low + high) / 2
        low, high = (low, middle) if apart(middle) else (middle, high)
    return high
