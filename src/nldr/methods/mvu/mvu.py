"""Maximum variance unfolding, with a proven bound on the distance to the optimum."""

from __future__ import annotations

import warnings
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from nldr.methods._base import fix_signs
from nldr.methods._graph import GRAPH_CONSTRAINTS, GraphEmbedder
from nldr.methods.mvu._edges import (
    UNFOLDING_CONSTRAINTS,
    edges_and_squared_lengths,
    squared_lengths,
    unbounded_variance_message,
)
from nldr.methods.mvu._face import cliques, face_basis, independent_edges
from nldr.methods.mvu._interior import FEASIBLE, unfold
from nldr.methods.mvu._problem import UnfoldingProblem
from nldr.neighborhoods.dimension import eigengap, intrinsic_dimension, share_dimension


class MVU(GraphEmbedder):
    """Maximum variance unfolding: maximize the variance, given the lengths of the edges.

    Solves: maximize tr K over K ⪰ 0 with ΣK = 0 and K_ii − 2K_ij + K_jj = d_ij² for all edges of
    the graph in which two points are joined if one is among the nearest neighbors of the other.
    The embedding is spanned by the top eigenvectors of K.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples``.
    n_neighbors : int, default=5
        Number of neighbors of a point, itself not counted.
    variance_share : float, default=None
        If given, columns of the embedding after the first ones that together have this share of
        the variance are set to zero. The released runs of disjoint MVU keep 98 %, in at most 18
        dimensions: ``n_components=18, variance_share=0.98``.
    constraint : {"equal", "shrink"}, default="equal"
        Whether edges keep their lengths, or may also become shorter.
    disconnected : {"error", "warn", "bridges", "enhanced", "more_neighbors"}, default="error"
        Treatment of a disconnected graph, whose components could move apart indefinitely.
        ``"error"`` raises an error, and ``"warn"`` joins each pair of components at its closest
        points, with a warning. ``"bridges"`` adds the shortest edges that join all components.
        ``"enhanced"`` joins components in the same order, but by m + 1 edges each, where m is the
        intrinsic dimension of the data (see :func:`nldr.neighborhoods.joining_edges`).
        ``"more_neighbors"`` uses the smallest number of neighbors that connects the graph. The
        last three do not warn.
    solver : {"interior_point", "sdp"}, default="interior_point"
        ``"interior_point"`` solves for the multipliers of the edges, after a facial reduction that
        removes the rigid parts of the problem. ``"sdp"`` passes the unreduced semidefinite program
        to CVXPY and Clarabel: a reference, for up to about 100 points.
    tol : float, default=1e-2
        Duality gap to reach, relative to the trace. Rounding errors limit the gap to about 1e-6
        with 100 points, and to about 5e-5 with 800.
    max_iter : int, default=100
        Maximum number of iterations.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows. The entry of largest magnitude of each column is positive.
        Columns beyond the rank of K are zero.
    n_kept_ : int
        Number of columns of the embedding that were not set to zero for `variance_share`.
    eigenvalues_ : ndarray of shape (n_samples,)
        All eigenvalues of K in descending order, in squared units of the data.
    edges_ : ndarray of shape (n_edges, 2)
        Pairs of joined rows, including added edges.
    trace_ : float
        Trace of K: the variance of the embedding in all dimensions, times ``n_samples``.
    dual_bound_ : float
        Proven upper bound on the trace of every feasible K.
    duality_gap_ : float
        ``dual_bound_ / trace_ - 1``. It can be slightly negative, since constraints hold only up to
        `max_violation_`.
    max_violation_ : float
        Largest deviation of an edge's squared length from its length in the data (with
        ``constraint="shrink"``, the largest excess), in mean squared lengths of edges.
    n_iter_ : int
        Number of iterations.
    n_dimensions_ : int
        Dimension of the unfolded points, by the gap in their eigenvalues
        (:func:`nldr.neighborhoods.eigengap`).
    intrinsic_dimension_ : float
        Maximum likelihood estimate of the dimension of the data
        (:func:`nldr.neighborhoods.intrinsic_dimension`).

    Warns
    -----
    ConvergenceWarning
        If the gap is wider than `tol`, or the violation larger than 3e-5.

    Notes
    -----
    The bound is Σ w_ij d_ij² / λ with the multipliers w of the edges and the least eigenvalue λ of
    their weighted graph Laplacian L(w) on vectors of sum zero (λ₂ in Sun et al.). With
    ``constraint="equal"``, λ is the least eigenvalue on the subspace that contains every feasible
    K, which is orthogonal to the affine dependencies of points that are all joined to each other.
    This is the limit of λ₂ as growing multiples of these points' self-stresses, which leave the
    dual objective unchanged, are added to w.

    Each of about 20 iterations takes time O(n_edges³), and memory holds a few n_edges × n_edges
    matrices: 2000 points take about a minute, 5000 points a quarter of an hour and 5 GB. For more
    points, :class:`~nldr.methods.LandmarkMVU` restricts K to what a few landmarks span.

    References
    ----------
    K. Weinberger and L. Saul, "Unsupervised learning of image manifolds by semidefinite
    programming", IJCV 70, 2006. J. Sun, S. Boyd, L. Xiao and P. Diaconis, "The fastest mixing
    Markov process on a graph and a connection to a maximum variance unfolding problem", SIAM
    Review 48, 2006.

    Examples
    --------
    A bent line is straightened, and the variance is within 0.1 % of the largest possible one:

    >>> angle = np.linspace(0, np.pi, 50)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> mvu = MVU(n_components=1, n_neighbors=2, tol=1e-3).fit(X)
    >>> round(float(np.ptp(mvu.embedding_)), 2)
    3.14
    >>> 0 <= mvu.duality_gap_ < 1e-3
    True
    """

    _parameter_constraints: dict = {
        **GRAPH_CONSTRAINTS,
        **UNFOLDING_CONSTRAINTS,
        "variance_share": [Interval(Real, 0, 1, closed="right"), None],
        "constraint": [StrOptions({"equal", "shrink"})],
        "solver": [StrOptions({"interior_point", "sdp"})],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        variance_share: float | None = None,
        constraint: str = "equal",
        disconnected: str = "error",
        solver: str = "interior_point",
        tol: float = 1e-2,
        max_iter: int = 100,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.variance_share = variance_share
        self.constraint = constraint
        self.disconnected = disconnected
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, data: NDArray) -> None:
        if self.n_components > len(data):
            raise ValueError(
                f"n_components={self.n_components} is too high for {len(data)} samples: it must "
                "be at most n_samples"
            )

        # Neighborhood graph, with its components joined
        graph = self._connected_graph(data, unbounded_variance_message, join_after_warning=True)
        self.intrinsic_dimension_ = intrinsic_dimension(data)

        # Constraints: squared lengths of the edges, scaled to mean 1
        self.edges_, squared = edges_and_squared_lengths(graph, data)
        scale = squared.mean()
        if scale == 0:  # all rows are equal
            self.n_iter_ = 0
            self._store_solution(np.zeros((len(data), 0)), 0.0, squared, 1.0)
            return

        # Solution in scaled units
        solve = self._solve_interior_point if self.solver == "interior_point" else self._solve_sdp
        coordinates, bound = solve(data / np.sqrt(scale), squared / scale)
        self._store_solution(coordinates, bound, squared / scale, scale)

        if self.duality_gap_ > self.tol or self.max_violation_ > FEASIBLE:
            warnings.warn(
                f"the duality gap is {self.duality_gap_:.2g} (tol is {self.tol:g}), and squared "
                f"edge lengths are violated by {self.max_violation_:.2g} of their mean (the limit "
                f"is {FEASIBLE:g}): raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _solve_interior_point(self, X: NDArray, squared: NDArray) -> tuple[NDArray, float]:
        """Return coordinates Y on principal axes, with K = YYᵀ, and the dual bound."""
        edges, shrink = self.edges_, self.constraint == "shrink"

        # Facial reduction: rigid groups are the cliques, or equal points if edges may shrink
        groups = iter(edges[squared == 0]) if shrink else cliques(edges, len(X))
        basis = face_basis(X, groups)

        # Constraints that remain: independent equations, or inequalities that can be strict
        kept = np.flatnonzero(squared > 0) if shrink else independent_edges(basis, edges)

        problem = UnfoldingProblem(basis, edges[kept], squared[kept], shrink=shrink)
        coordinates, bound, self.n_iter_ = unfold(problem, self.tol, self.max_iter)
        return coordinates, bound

    def _solve_sdp(self, X: NDArray, squared: NDArray) -> tuple[NDArray, float]:
        """Return the same from CVXPY, given the problem without facial reduction."""
        try:
            import cvxpy
        except ModuleNotFoundError as error:
            raise ImportError(f"{error}: pip install 'nldr[exact]'") from error

        # The semidefinite program
        i, j = self.edges_.T
        kernel = cvxpy.Variable((len(X), len(X)), PSD=True)
        diagonal = cvxpy.diag(kernel)
        lengths = diagonal[i] + diagonal[j] - 2 * kernel[i, j]
        shrink = self.constraint == "shrink"
        fixed = lengths <= squared if shrink else lengths == squared
        sdp = cvxpy.Problem(cvxpy.Maximize(cvxpy.trace(kernel)), [fixed, cvxpy.sum(kernel) == 0])
        sdp.solve(solver="CLARABEL", max_iter=self.max_iter)
        self.n_iter_ = int(sdp.solver_stats.num_iters or 0)

        # Principal axes
        values, vectors = eigh(kernel.value)
        values = np.maximum(values[::-1], 0.0)
        coordinates = vectors[:, ::-1] * np.sqrt(values)

        # Bound from the multipliers; the wrong sign gives an infinite bound
        problem = UnfoldingProblem(face_basis(X, iter(())), self.edges_, squared, shrink=shrink)
        multipliers = fixed.dual_value
        return coordinates, min(problem.trace_bound(multipliers), problem.trace_bound(-multipliers))

    def _store_solution(
        self, coordinates: NDArray, bound: float, squared: NDArray, scale: float
    ) -> None:
        """Store a solution in units of the data, given in units with mean squared length 1."""
        n_samples, n_axes = coordinates.shape

        # Spectrum
        self.eigenvalues_ = np.zeros(n_samples)
        self.eigenvalues_[:n_axes] = scale * np.square(coordinates).sum(axis=0)
        self.n_dimensions_ = eigengap(self.eigenvalues_)

        # Optimality
        self.trace_ = float(self.eigenvalues_.sum())
        self.dual_bound_ = float(scale * bound)
        self.duality_gap_ = self.dual_bound_ / self.trace_ - 1 if self.trace_ > 0 else 0.0

        # Feasibility
        excess = squared_lengths(coordinates, self.edges_) - squared
        worst = excess.max() if self.constraint == "shrink" else np.abs(excess).max()
        self.max_violation_ = float(max(worst, 0.0))

        # Embedding: leading principal axes with deterministic signs
        self.n_kept_ = self.n_components
        if self.variance_share is not None:
            reached = share_dimension(self.eigenvalues_, self.variance_share)
            self.n_kept_ = min(reached, self.n_components)
        leading = np.sqrt(scale) * coordinates[:, : self.n_kept_]
        self.embedding_ = np.zeros((n_samples, self.n_components))
        self.embedding_[:, : leading.shape[1]] = fix_signs(leading)
