"""Disjoint maximum variance unfolding as published, without changes of ours."""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import NDArray

from nldr.methods._base import fix_signs
from nldr.methods._docs import inherit_docs
from nldr.methods.mvu._edges import UNFOLDING_CONSTRAINTS, squared_lengths
from nldr.methods.mvu.placement._components import MOST, ComponentsEmbedder
from nldr.methods.mvu.placement._references import (
    UnfoldedReferences,
    separate_components,
    unfold_references,
)
from nldr.neighborhoods.dimension import share_dimension
from nldr.neighborhoods.joining import join_nearest
from nldr.validation import Interval


@inherit_docs(ComponentsEmbedder)
class PublishedDisjointMVU(ComponentsEmbedder):
    """Unfold each connected component in its own dimension, and place it by reference points.

    Each component of the neighborhood graph is unfolded separately; it keeps the first dimensions
    that together have `variance_share` of its variance. Its reference points are the two extremes
    of each of these axes, and the end points of the closest pairs that join the components. MVU of
    all reference points, with all distances within components and those of the pairs fixed, shows
    where the components lie. Each one is placed by a similarity, which may change its size but does
    not reflect it; zeros fill the dimensions that it lacks.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples``. If the placed components have more
        dimensions, their first principal axes remain; if they have fewer, the rest is zero.
    n_neighbors
    variance_share : float, default=0.98
        Share of the variance that the dimensions of a component have, and those of the unfolded
        reference points; at most 18 dimensions are kept.
    tol, max_iter

    Attributes
    ----------
    embedding_, labels_, n_connected_components_, component_mvus_
    dimensions_ : ndarray of shape (n_connected_components_,)
        Dimension of each unfolded component.
    n_dimensions_ : int
        Dimension in which the components were placed.
    references_ : ndarray of shape (n_references,)
        Rows that are reference points; empty if there is a single component.
    added_edges_ : ndarray of shape (n_added, 2)
        Pairs of rows in different components whose distance was fixed.
    scales_ : ndarray of shape (n_connected_components_,)
        Factors by which the sizes of the components were changed.
    smallest_scale_ : float
        The smallest of them.
    trace_, dual_bound_ : float
        Sums of the traces and of their proven upper bounds over all problems: the components, and
        the reference points.
    duality_gap_, max_violation_

    Warns
    -----
    ConvergenceWarning
        If a component is not unfolded to within `tol`.

    Notes
    -----
    Dimensions and reference points, which the paper leaves open, are those of the author's released
    runs. With a single component this is MVU. :class:`~nldr.methods.DisjointMVU` has our changes:
    rigid motions in `n_components` dimensions, and components that do not overlap.

    References
    ----------
    Costa, Maximum Variance Unfolding on Disjoint Manifolds, §4.2, Eqs. 43 to 48.

    Examples
    --------
    Two bent lines, one behind the other, become one straight line with a gap:

    >>> angle = np.append(np.linspace(0, 1, 20), np.linspace(2, 3, 20))
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> disjoint = PublishedDisjointMVU(1, n_neighbors=2, tol=1e-4).fit(X)
    >>> round(float(np.ptp(disjoint.embedding_)), 2), round(float(1 + 2 * np.sin(0.5) + 1), 2)
    (2.96, 2.96)
    """

    _parameter_constraints: dict = {
        **UNFOLDING_CONSTRAINTS,
        "variance_share": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        variance_share: float = 0.98,
        tol: float = 1e-2,
        max_iter: int = 100,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.variance_share = variance_share
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, data: NDArray) -> None:
        self._check_components(data)

        labels = separate_components(data, self.n_neighbors)
        members = self._unfold_components(data, labels, MOST, self.variance_share)
        self.dimensions_ = np.array([mvu.n_kept_ for mvu in self.component_mvus_])
        self.n_dimensions_ = int(self.dimensions_.max())
        coordinates = np.zeros((len(data), max(self.n_dimensions_, self.n_components)))
        for rows, mvu in zip(members, self.component_mvus_, strict=True):
            coordinates[rows, : mvu.n_kept_] = mvu.embedding_[:, : mvu.n_kept_]

        self.references_ = np.empty(0, dtype=int)
        self.added_edges_ = np.empty((0, 2), dtype=int)
        self.scales_ = np.ones(len(members))
        unfolded = None
        if len(members) > 1:
            unfolded = self._unfold_references(data, coordinates, members)
            coordinates = self._place(coordinates, members, unfolded)
        self.smallest_scale_ = float(self.scales_.min())
        self._store_certificate(unfolded)

        centered = coordinates - coordinates.mean(axis=0)
        left, values, _ = np.linalg.svd(centered, full_matrices=False)
        axes = (left * values)[:, : self.n_components]
        self.embedding_ = np.zeros((len(data), self.n_components))
        self.embedding_[:, : axes.shape[1]] = fix_signs(axes)

    def _unfold_references(
        self, X: NDArray, coordinates: NDArray, members: list[NDArray]
    ) -> UnfoldedReferences:
        """Choose the reference points and return their MVU."""
        # Reference points: extremes of all axes, and end points of the joining pairs
        self.added_edges_ = join_nearest(X, self.labels_, 1)
        extremes = [
            rows[end(coordinates[rows, :d], axis=0)]
            for rows, d in zip(members, self.dimensions_, strict=True)
            for end in (np.argmin, np.argmax)
        ]
        self.references_ = np.unique(np.concatenate([*extremes, self.added_edges_.ravel()]))

        # MVU with all distances within components fixed, and those of the pairs
        labels = self.labels_[self.references_]
        return unfold_references(
            coordinates[self.references_],
            [np.flatnonzero(labels == c) for c in range(len(members))],
            np.searchsorted(self.references_, self.added_edges_),
            squared_lengths(X, self.added_edges_),
            tol=self.tol,
            max_iter=self.max_iter,
        )

    def _place(
        self, coordinates: NDArray, members: list[NDArray], unfolded: UnfoldedReferences
    ) -> NDArray:
        """Return all components in the coordinate system of the unfolded reference points."""
        # Dimension of the reference points; zeros equalize the components
        spectrum = np.square(unfolded.coordinates).sum(axis=0)
        n_kept = min(share_dimension(spectrum, self.variance_share), MOST)
        self.n_dimensions_ = max(self.n_dimensions_, n_kept)
        goal = np.zeros((len(self.references_), self.n_dimensions_))
        width = min(self.n_dimensions_, unfolded.coordinates.shape[1])
        goal[:, :width] = unfolded.coordinates[:, :width]
        padded = np.zeros((len(coordinates), self.n_dimensions_))
        kept = min(self.n_dimensions_, coordinates.shape[1])
        padded[:, :kept] = coordinates[:, :kept]

        # Similarity of each component from its own reference points to the unfolded ones
        for label, rows in enumerate(members):
            in_component = self.labels_[self.references_] == label
            start = padded[self.references_[in_component]]
            padded[rows], self.scales_[label] = move_similarly(
                padded[rows], start, goal[in_component]
            )
        return padded


def move_similarly(points: NDArray, start: NDArray, goal: NDArray) -> tuple[NDArray, float]:
    """Return points after the similarity that best maps `start` to `goal`, and its scale.

    The points are rotated, scaled and shifted, not reflected (S. Umeyama, "Least-squares estimation
    of transformation parameters between two point patterns", IEEE TPAMI 13, 1991). The scale is 1
    if all points of `start` are equal.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> move_similarly(square[:1], square, 3 * square + 1)
    (array([[1., 1.]]), 3.0)
    """
    origin, target = start.mean(axis=0), goal.mean(axis=0)
    left, values, right = np.linalg.svd((start - origin).T @ (goal - target))

    # A reflection is undone along the axis of least correlation
    signs = np.ones(len(values))
    signs[-1] = np.sign(np.linalg.det(left @ right))
    size = np.square(start - origin).sum()
    scale = float(values @ signs / size) if size > 0 else 1.0
    return scale * (points - origin) @ (left * signs @ right) + target, scale
