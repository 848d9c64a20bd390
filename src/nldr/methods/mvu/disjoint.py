"""Maximum variance unfolding of data on several disjoint manifolds, with changes of ours.

The published form is in :mod:`nldr.methods.mvu.published`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from nldr.methods._base import fix_signs
from nldr.methods._docs import inherit_docs
from nldr.methods.mvu._edges import UNFOLDING_CONSTRAINTS
from nldr.methods.mvu.joint_certificate import DisjointCertificate, certify_placement
from nldr.methods.mvu.placement._arrangement import arrange_components, separation_factor
from nldr.methods.mvu.placement._components import MOST, ComponentsEmbedder
from nldr.methods.mvu.placement._references import (
    UnfoldedReferences,
    cut_components,
    separate_components,
)
from nldr.methods.mvu.placement._stress import (
    RigidStress,
    choose_evenly,
    place_components,
    scale_centers,
)
from nldr.neighborhoods.dimension import eigengap
from nldr.neighborhoods.graphs import closest_pairs
from nldr.validation import StrOptions

MOST_POINTS = 1000  # points that the reported stress counts
SHARE = 0.98  # share of the variance that the dimensions of a component have


@inherit_docs(ComponentsEmbedder)
class DisjointMVU(ComponentsEmbedder):
    """Unfold each connected component, then place the components by the distances between them.

    Each component of the neighborhood graph is unfolded separately. Rigid motions then place the
    components such that the distances between points and centers of different components are as in
    the data, by least squares, enlarged by the smallest common factor that keeps components as far
    apart as in the data.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples``.
    n_neighbors
    placement : {"distances", "references"}, default="distances"
        ``"distances"`` places components by all distances between them. ``"references"`` follows
        the paper, for comparison with it: MVU of reference points, with all distances within
        components and the shortest distance between each pair of components fixed, shows where
        the components lie.
    projection : {"each", "joint"}, default="each"
        What happens to components of more than `n_components` dimensions. With ``"each"``, their
        first `n_components` principal axes are placed. With ``"joint"``, they are placed in as many
        dimensions as the largest has, and the principal axes of all points are returned.
    separate : bool, default=True
        Whether to keep components as far apart as they are in the data.
    cut_bridges : bool, default=True
        Whether to cut weak bridges first: few edges that hold parts of the graph together that are
        far better connected in themselves (:func:`nldr.neighborhoods.weak_bridges`).
    tol, max_iter
    verbose : bool, default=False
        Whether to print which component is unfolded, and every ten seconds its gap, violation and
        remaining time.

    Attributes
    ----------
    embedding_, labels_, n_connected_components_
    bridges_ : ndarray of shape (n_bridges, 2)
        Edges that were cut.
    component_mvus_
    dimensions_ : ndarray of shape (n_connected_components_,)
        Dimension of each unfolded component, by the gap in its eigenvalues
        (:func:`nldr.neighborhoods.eigengap`).
    references_ : ndarray of shape (n_references,)
        Rows that are reference points; empty unless the placement uses them.
    added_edges_ : ndarray of shape (n_added, 2)
        Pairs of rows in different components whose distance was fixed; empty unless the placement
        uses reference points.
    placement_error_ : float
        Root mean squared distance, in units of the data, between the reference points of the
        moved components and the first axes of the reference points' own MVU; 0 without them.
    placement_stress_ : float
        Squared differences between the distances of components in data and embedding, relative to
        the squared distances, at the best scale; not proven to be the least.
    placement_movement_ : float
        Root mean squared movement of the points in the last step of the placement, relative to the
        mean distance: 0 at a stationary point of the stress. NaN with reference points.
    separation_ : float
        Factor by which distances between components were enlarged to keep them apart; with
        reference points, factor of the distances between centers.
    trace_, dual_bound_ : float
        Sums of the traces and of their proven upper bounds over all problems: the components, and
        the reference points, if there are any, in all dimensions. Neither projections nor
        placement are certified.
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
    :class:`~nldr.methods.PublishedDisjointMVU` follows the paper and the author's released runs;
    the choices here are ours.

    - The stress counts about 200 points, spread over the components, from four starts. It has many
      local minima, and the placement is one of them.
    - With ``projection="joint"``, the principal axes of all points may show two components in the
      same place.
    - Reference points are ``n_components + 1`` points far from each other in each component, and
      the closest points of each pair of components. If the distances between the closest points
      contradict each other, only those of a minimum spanning tree are fixed.
    - Unfolded components with fewer dimensions have zeros in the remaining columns.
    - Components at distance zero, which repeated points can cause, count as one.

    References
    ----------
    Costa, Maximum Variance Unfolding on Disjoint Manifolds, §4.2, Eqs. 43 to 48.

    Examples
    --------
    Two bent lines, one behind the other, become two straight lines in a row:

    >>> angle = np.concatenate([np.linspace(0, 1, 20), np.linspace(2, 3, 20)])
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> disjoint = DisjointMVU(1, n_neighbors=2, tol=1e-4).fit(X)
    >>> disjoint.n_connected_components_, bool(disjoint.placement_stress_ < 0.05)
    (2, True)
    """

    _parameter_constraints: dict = {
        **UNFOLDING_CONSTRAINTS,
        "placement": [StrOptions({"distances", "references"})],
        "projection": [StrOptions({"each", "joint"})],
        "separate": ["boolean"],
        "cut_bridges": ["boolean"],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        placement: str = "distances",
        projection: str = "each",
        separate: bool = True,
        cut_bridges: bool = True,
        tol: float = 1e-2,
        max_iter: int = 100,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.placement = placement
        self.projection = projection
        self.separate = separate
        self.cut_bridges = cut_bridges
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def _fit(self, data: NDArray) -> None:
        self._check_components(data)

        self.bridges_ = np.empty((0, 2), dtype=int)
        if self.cut_bridges:
            labels, self.bridges_ = cut_components(data, self.n_neighbors)
        else:
            labels = separate_components(data, self.n_neighbors)

        members = self._unfold_components(data, labels, max(MOST, self.n_components), SHARE)
        self.dimensions_ = np.array([eigengap(mvu.eigenvalues_) for mvu in self.component_mvus_])

        # Equal dimensions: zeros where a component has fewer
        kept = [max(mvu.n_kept_, self.n_components) for mvu in self.component_mvus_]
        width = self.n_components if self.projection == "each" else max(kept)
        coordinates = np.zeros((len(data), width))
        for rows, mvu in zip(members, self.component_mvus_, strict=True):
            leading = mvu.coordinates_[:, : min(width, max(mvu.n_kept_, self.n_components))]
            coordinates[rows, : leading.shape[1]] = leading

        self.references_ = np.empty(0, dtype=int)
        self.added_edges_ = np.empty((0, 2), dtype=int)
        self.placement_error_, self.separation_ = 0.0, 1.0
        self.placement_stress_, self.placement_movement_ = 0.0, 0.0
        unfolded = None
        if len(members) > 1:
            coordinates, unfolded = self._place(data, coordinates)

        # What is certified: each component, and the reference points
        self._store_certificate(unfolded)

        centered = coordinates - coordinates.mean(axis=0)
        left, values, _ = np.linalg.svd(centered, full_matrices=False)
        self.embedding_ = fix_signs(left[:, : self.n_components]) * values[: self.n_components]

    def _place(self, X: NDArray, coordinates: NDArray) -> tuple[NDArray, UnfoldedReferences | None]:
        """Return coordinates in a common system, and the unfolded reference points, if any."""
        unfolded = None
        if self.placement == "distances":
            placed = place_components(coordinates, self.labels_, X, separate=self.separate)
            points, self.separation_ = placed.points, placed.scale
            self.placement_movement_ = placed.movement
        else:
            # Reference points, then centers moved away from their mean
            arranged = arrange_components(
                X, coordinates, self.labels_, tol=self.tol, max_iter=self.max_iter
            )
            points, unfolded = arranged.points, arranged.unfolded
            self.references_, self.added_edges_ = arranged.references, arranged.pairs
            self.placement_error_, self.placement_movement_ = arranged.error, np.nan
            if self.separate:
                distances = closest_pairs(X, self.labels_)[1]
                self.separation_ = separation_factor(points, self.labels_, distances)
                points = scale_centers(points, self.labels_, self.separation_)

        chosen = choose_evenly(points, self.labels_, MOST_POINTS)
        stress = RigidStress(X[chosen], self.labels_[chosen])
        self.placement_stress_ = stress.scaled_stress(points[chosen])
        return points, unfolded

    def certificate(self, X: ArrayLike) -> DisjointCertificate:
        """Return what is proven of the components, and measured of their placement.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows that the estimator was fitted on.

        Returns
        -------
        DisjointCertificate
            Certificates of all components, recomputed without the solver, and rigidity, separation
            and stress of the placement, recomputed from `X` and the embedding.
        """
        check_is_fitted(self)
        data = np.asarray(X, dtype=np.float64)
        parts = [data[self.labels_ == label] for label in range(self.n_connected_components_)]
        return certify_placement(
            data,
            self.embedding_,
            self.labels_,
            [mvu.coordinates_ for mvu in self.component_mvus_],
            tuple(m.certificate(part) for m, part in zip(self.component_mvus_, parts, strict=True)),
        )
