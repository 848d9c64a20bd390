"""Base class of the methods that unfold each connected component by itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.methods._base import Embedder
from nldr.methods.mvu.mvu import MVU
from nldr.methods.mvu.placement._references import UnfoldedReferences, joint_certificate

MOST = 18  # largest dimension of a component, and of the reference points, in the released runs


class ComponentsEmbedder(Embedder):
    """Base class of methods that unfold each connected component, then place the components.

    A subclass calls ``_check_components``, ``_unfold_components`` and ``_store_certificate``.

    Parameters
    ----------
    n_neighbors : int
        Number of neighbors of a point, itself not counted.
    tol : float
        Duality gap to reach in each of the problems, relative to the trace.
    max_iter : int
        Maximum number of iterations of each problem.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows, on principal axes. The entry of largest magnitude of each
        column is positive.
    labels_ : ndarray of shape (n_samples,)
        Connected component of each row.
    n_connected_components_ : int
        Number of connected components.
    component_mvus_ : list of MVU
        Estimator fitted on each component, by label.
    duality_gap_ : float
        Relative gap between bound and trace of a problem, the one of largest magnitude.
    max_violation_ : float
        Largest violation of a squared length in a problem, in its mean squared lengths.
    """

    n_components: int
    n_neighbors: int
    tol: float
    max_iter: int
    verbose: bool = False

    def _check_components(self, data: NDArray) -> None:
        """Raise if the embedding has more columns than there are rows."""
        if self.n_components > len(data):
            raise ValueError(
                f"n_components={self.n_components} is too high for {len(data)} samples: it must "
                "be at most n_samples"
            )

    def _unfold_components(
        self, data: NDArray, labels: NDArray, most: int, variance_share: float
    ) -> list[NDArray]:
        """Store the MVU of each component, in at most `most` dimensions; return its rows."""
        self.labels_ = labels
        self.n_connected_components_ = int(labels.max()) + 1
        members = [np.flatnonzero(labels == c) for c in range(self.n_connected_components_)]
        # Ties between repeated points may be broken differently than in the graph of all points,
        # so the graph of a component can be disconnected
        self.component_mvus_ = []
        for number, rows in enumerate(members, start=1):
            if self.verbose:
                counts = f"component {number} of {len(members)}, {len(rows)} points"
                print(f"Disjoint MVU: {counts}", flush=True)
            mvu = MVU(
                min(most, len(rows)),
                n_neighbors=self.n_neighbors,
                variance_share=variance_share,
                disconnected="bridges",
                tol=self.tol,
                max_iter=self.max_iter,
                verbose=self.verbose,
            )
            self.component_mvus_.append(mvu.fit(data[rows]))
        return members

    def _store_certificate(self, unfolded: UnfoldedReferences | None) -> None:
        """Store traces, bounds and violations over all components and the reference points."""
        joint = joint_certificate(self.component_mvus_, unfolded)
        self.trace_, self.dual_bound_ = joint.trace, joint.bound
        self.duality_gap_, self.max_violation_ = joint.gap, joint.violation
