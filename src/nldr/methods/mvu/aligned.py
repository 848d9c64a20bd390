"""Disjoint maximum variance unfolding with the simplest placement: components on a linear map."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes

from nldr.methods._base import fix_signs
from nldr.methods._docs import inherit_docs
from nldr.methods.mvu._edges import UNFOLDING_CONSTRAINTS
from nldr.methods.mvu.placement._components import ComponentsEmbedder
from nldr.methods.mvu.placement._references import separate_components


@inherit_docs(ComponentsEmbedder)
class AlignedDisjointMVU(ComponentsEmbedder):
    """Unfold each connected component, then lay it onto its place in the PCA of all rows.

    A rotation, a reflection if that is nearer, and a translation bring the points of a component as
    near as possible to their places on the first principal axes of all rows (Procrustes).
    Components that overlap there overlap in the embedding, too.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples``.
    n_neighbors
    tol, max_iter

    Attributes
    ----------
    embedding_, labels_, n_connected_components_, component_mvus_
    placement_error_ : float
        Root mean squared distance, in units of the data, between the points and their places on
        the principal axes.
    trace_, dual_bound_ : float
        Sums of the traces and of their proven upper bounds over all components.
    duality_gap_, max_violation_

    Raises
    ------
    ValueError
        If there are too few rows.

    Warns
    -----
    ConvergenceWarning
        If a component is not unfolded to within `tol`.

    Notes
    -----
    A baseline for :class:`~nldr.methods.DisjointMVU`, which places components by the distances
    between them.

    References
    ----------
    Schönemann, A generalized solution of the orthogonal Procrustes problem, Psychometrika 31, 1966.

    Examples
    --------
    >>> X = np.array([[0.0, 0], [1, 0], [2, 0], [10, 0], [11, 0], [13, 0]])
    >>> AlignedDisjointMVU(1, n_neighbors=2).fit_transform(X).round(1)[:, 0].tolist()
    [-6.2, -5.2, -4.2, 3.8, 4.8, 6.8]
    """

    _parameter_constraints: dict = UNFOLDING_CONSTRAINTS

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        tol: float = 1e-2,
        max_iter: int = 100,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, data: NDArray) -> None:
        self._check_components(data)

        labels = separate_components(data, self.n_neighbors)
        members = self._unfold_components(data, labels, self.n_components, 1.0)
        self._store_certificate(None)

        # Places of all rows: their principal axes
        places = _principal(data - data.mean(axis=0), self.n_components)
        points = np.zeros_like(places)
        for rows, mvu in zip(members, self.component_mvus_, strict=True):
            # Procrustes: center, rotate or reflect, and move to the center of the places
            center = places[rows].mean(axis=0)
            unfolded = np.zeros((len(rows), self.n_components))
            unfolded[:, : mvu.embedding_.shape[1]] = mvu.embedding_ - mvu.embedding_.mean(axis=0)
            rotation, _ = orthogonal_procrustes(unfolded, places[rows] - center)
            points[rows] = unfolded @ rotation + center
        self.placement_error_ = float(np.sqrt(np.square(points - places).sum(axis=1).mean()))
        self.embedding_ = _principal(points - points.mean(axis=0), self.n_components)


def _principal(centered: NDArray, n_axes: int) -> NDArray:
    """Return points on their first principal axes, then zeros, with signs fixed."""
    left, values, _ = np.linalg.svd(centered, full_matrices=False)
    axes = fix_signs(left[:, :n_axes]) * values[:n_axes]
    return np.pad(axes, ((0, 0), (0, n_axes - axes.shape[1])))
