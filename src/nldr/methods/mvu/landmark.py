"""Maximum variance unfolding of landmarks, from which all other points are reconstructed."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import qr
from scipy.sparse import csc_array, eye_array
from scipy.sparse.linalg import splu
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from nldr.methods._base import fix_signs
from nldr.methods._graph import GRAPH_CONSTRAINTS, GraphEmbedder
from nldr.methods.mvu._edges import (
    UNFOLDING_CONSTRAINTS,
    edges_and_squared_lengths,
    squared_lengths,
    unbounded_variance_message,
)
from nldr.methods.mvu.certificate import Certificate, violation
from nldr.methods.mvu.interior._problem import UnfoldingProblem
from nldr.methods.mvu.interior._solver import unfold
from nldr.neighborhoods.patches import neighbor_lists, reconstruction_matrix
from nldr.validation import Interval

SHIFT = 1e-10  # relative shift of the diagonal, for groups of points not connected to a landmark
SHORTEST = 1e-4  # squared length allowed for edges between equal rows, in mean squared lengths
RANK = 1e-6  # relative singular value that counts as zero; the shift makes small ones
OUTSIDE = 1e-6  # relative distance from the span of the basis that counts as rounding
MAX_ROUNDS = 100  # maximum number of times that edges are added


class LandmarkMVU(GraphEmbedder):
    """Maximum variance unfolding of landmarks, from which all other points are reconstructed.

    The kernel matrix is K = Q L Qᵀ, where Q reconstructs each point from the landmarks with the
    weights of locally linear embedding, and L is the kernel matrix of the landmarks. Solves:
    maximize tr K over L ⪰ 0 with ΣK = 0 and K_ii − 2K_ij + K_jj ≤ d_ij² on the edges. The problem
    starts with a few edges, and edges whose constraints are violated are added until none is.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, less than `n_landmarks`.
    n_neighbors : int, default=5
        Number of neighbors of a point, itself not counted.
    n_landmarks : int, default=100
        Number of landmarks, chosen at random; all points, if there are fewer.
    disconnected : {"error", "warn", "bridges", "enhanced", "more_neighbors"}, default="error"
        Treatment of a disconnected graph, as in :class:`nldr.methods.mvu.mvu.MVU`.
    tol : float, default=1e-2
        Duality gap to reach, relative to the trace, and largest accepted excess of an edge's
        squared length, in mean squared lengths.
    max_iter : int, default=100
        Maximum number of iterations of each problem; a problem is solved each time that edges
        have been added.
    random_state : int, RandomState instance or None, default=None
        Seed for the choice of landmarks.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows. The entry of largest magnitude of each column is positive.
    eigenvalues_ : ndarray of shape (n_landmarks - 1,)
        Eigenvalues of K in descending order; all others are zero.
    landmarks_ : ndarray of shape (n_landmarks,)
        Rows that are landmarks, ascending.
    n_edges_ : int
        Number of edges of the graph.
    edges_ : ndarray of shape (n_edges, 2)
        Pairs of joined rows, including added edges.
    multipliers_ : ndarray of shape (n_edges,)
        Multipliers of the edges, nonnegative; zero for edges that were not needed.
    coordinates_ : ndarray of shape (n_samples, n_axes)
        Embedding in all dimensions: K is their Gram matrix.
    basis_ : ndarray of shape (n_samples, n_landmarks - 1)
        Orthonormal functions of sum zero that landmarks determine: K maps onto their span.
    n_constraints_ : int
        Number of edges in the last problem.
    trace_ : float
        Trace of K.
    dual_bound_ : float
        Proven upper bound on the trace of every K of this form that satisfies all constraints:
        Σ w_e d_e² / λ, with the multipliers w and the least eigenvalue λ of their weighted graph
        Laplacian on `basis_`. Kernel matrices that landmarks do not span may have a larger trace.
    duality_gap_ : float
        ``dual_bound_ / trace_ - 1``. It can be slightly negative, since constraints hold only up to
        `max_violation_`.
    max_violation_ : float
        Largest excess of an edge's squared length, in mean squared lengths.

    Warns
    -----
    ConvergenceWarning
        If the gap or an excess is larger than `tol`.

    Notes
    -----
    The first problem has just enough edges to bound the variance, chosen by a pivoted QR
    factorization. Up to `n_landmarks` of the most violated edges are added at a time. Edges between
    equal rows may reach a hundredth of the root mean squared length.

    References
    ----------
    K. Weinberger, B. Packer and L. Saul, "Nonlinear dimensionality reduction by semidefinite
    programming and kernel matrix factorization", AISTATS 2005.

    Examples
    --------
    >>> angle = np.linspace(0, np.pi, 300)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> landmark = LandmarkMVU(1, n_neighbors=4, n_landmarks=10, random_state=0).fit(X)
    >>> bool(2.9 < np.ptp(landmark.embedding_) < 3.2)
    True
    """

    _parameter_constraints: dict = {
        **GRAPH_CONSTRAINTS,
        **UNFOLDING_CONSTRAINTS,
        "n_landmarks": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        n_landmarks: int = 100,
        disconnected: str = "error",
        tol: float = 1e-2,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.disconnected = disconnected
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit(self, data: NDArray) -> None:
        n_landmarks = min(self.n_landmarks, len(data))
        if self.n_components >= n_landmarks:
            raise ValueError(
                f"n_components={self.n_components} is too high for {n_landmarks} landmarks and "
                f"{len(data)} samples: it must be less than both"
            )

        # Neighborhood graph, with its components joined, and constraints
        graph = self._connected_graph(data, unbounded_variance_message, join_after_warning=True)
        edges, squared = edges_and_squared_lengths(graph, data)
        self.n_edges_, self.edges_ = len(edges), edges

        # Landmarks, and the functions that their values determine (weights as in LLE)
        rng = check_random_state(self.random_state)
        self.landmarks_ = np.sort(rng.permutation(len(data))[:n_landmarks])
        neighbors = neighbor_lists(graph, np.empty(0, dtype=int))
        basis = landmark_basis(reconstruction_matrix(data, neighbors), self.landmarks_)

        scale = squared.mean()
        limits = np.maximum(squared / (scale if scale > 0 else 1.0), SHORTEST)
        coordinates, bound = self._solve_adding_edges(basis, edges, limits)
        self._store_solution(coordinates, bound, scale)

        if max(abs(self.duality_gap_), self.max_violation_) > self.tol:
            warnings.warn(
                f"the duality gap is {self.duality_gap_:.2g} and squared edge lengths are exceeded "
                f"by {self.max_violation_:.2g} of their mean (tol is {self.tol:g}): raise max_iter "
                "or tol",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _solve_adding_edges(
        self, basis: NDArray, edges: NDArray, limits: NDArray
    ) -> tuple[NDArray, float]:
        """Return coordinates on principal axes, and the bound, of the last of several problems."""
        # First edges: as many as the basis has columns, chosen by pivoted QR
        rows = basis[edges[:, 0]] - basis[edges[:, 1]]
        used = qr(rows.T, mode="r", pivoting=True)[1][: basis.shape[1]]

        for _ in range(MAX_ROUNDS):
            problem = UnfoldingProblem(basis, edges[used], limits[used], shrink=True)
            solution = unfold(problem, self.tol, self.max_iter)
            coordinates, bound = solution.coordinates, solution.bound

            # Add the most violated edges, at most one per landmark
            excess = squared_lengths(coordinates, edges) - limits
            worst = np.argsort(excess)[::-1][: len(self.landmarks_)]
            new = np.setdiff1d(worst[excess[worst] > self.tol], used)
            if len(new) == 0:
                break
            used = np.append(used, new)

        self.n_constraints_, self.basis_ = len(used), basis
        self.multipliers_ = np.zeros(len(edges))
        self.multipliers_[used] = solution.multipliers
        self.max_violation_ = float(max(excess.max(), 0.0))
        return coordinates, bound

    def _store_solution(self, coordinates: NDArray, bound: float, scale: float) -> None:
        """Store a solution in units of the data, given in units with mean squared length 1."""
        eigenvalues = np.square(coordinates).sum(axis=0)
        self.duality_gap_ = float(bound / eigenvalues.sum() - 1)
        self.eigenvalues_ = scale * eigenvalues
        self.trace_ = float(self.eigenvalues_.sum())
        self.dual_bound_ = float(scale * bound)

        self.coordinates_ = np.sqrt(scale) * coordinates
        leading = self.coordinates_[:, : self.n_components]
        self.embedding_ = np.zeros((len(coordinates), self.n_components))
        self.embedding_[:, : leading.shape[1]] = fix_signs(leading)

    def certificate(self, X: ArrayLike) -> Certificate:
        """Return bound and violation, recomputed without the solver.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows that the estimator was fitted on.

        Returns
        -------
        Certificate
            Trace, bound and violation from the lengths of ``edges_`` in `X` and the attributes
            ``multipliers_``, ``basis_`` and ``coordinates_``. The bound is infinite if a multiplier
            is negative, and holds for kernel matrices in the span of the basis only. Edges between
            equal rows count with a hundredth of the root mean squared length.
        """
        check_is_fitted(self)
        squared = squared_lengths(np.asarray(X, dtype=np.float64), self.edges_)
        limits = np.maximum(squared, SHORTEST * squared.mean())

        basis = np.linalg.qr(self.basis_ - self.basis_.mean(axis=0))[0]
        along = basis[self.edges_[:, 0]] - basis[self.edges_[:, 1]]
        least = np.linalg.eigvalsh(along.T @ (self.multipliers_[:, np.newaxis] * along))[0]
        proven = least > 0 and self.multipliers_.min() >= 0
        bound = float(self.multipliers_ @ limits / least) if proven else np.inf

        outside = self.coordinates_ - basis @ (basis.T @ self.coordinates_)
        if np.linalg.norm(outside) > OUTSIDE * np.linalg.norm(self.coordinates_):
            bound = np.inf
        trace = float(np.square(self.coordinates_).sum())
        worst = violation(limits, self.edges_, self.coordinates_, shrink=True)
        return Certificate(trace, bound, bound / trace - 1 if trace > 0 else 0.0, worst)


def landmark_basis(M: csc_array, landmarks: NDArray) -> NDArray:
    """Return a basis of the centered functions that are determined by their landmark values.

    A function f with given values at the landmarks takes those values elsewhere that minimize
    fᵀMf. With indices u for the other points and l for landmarks, f_u = −M_uu⁻¹ M_ul f_l. `M` is
    positive semidefinite, such as :func:`nldr.neighborhoods.patches.reconstruction_matrix`.

    Examples
    --------
    >>> chain = csc_array(np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]]))
    >>> np.abs(landmark_basis(chain, np.array([0, 2]))).round(3).ravel()
    array([0.707, 0.   , 0.707])
    """
    n_samples = M.shape[0]
    others = np.setdiff1d(np.arange(n_samples), landmarks)

    # Q: identity at the landmarks, −M_uu⁻¹ M_ul elsewhere
    Q = np.zeros((n_samples, len(landmarks)))
    Q[landmarks] = np.eye(len(landmarks))
    if len(others):
        columns = csc_array(M)
        M_uu = csc_array(columns[others][:, others])
        M_ul = columns[others][:, landmarks].toarray()
        shift = SHIFT * columns.diagonal().mean()
        factor = splu(csc_array(M_uu + shift * eye_array(len(others), format="csc")))
        Q[others] = -factor.solve(M_ul)

    centered = Q - Q.mean(axis=0)
    left, values, _ = np.linalg.svd(centered, full_matrices=False)
    return left[:, values > RANK * values[0]]
