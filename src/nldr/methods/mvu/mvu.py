"""Maximum variance unfolding, with a proven bound on the distance to the optimum."""

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from nldr.methods._base import OutOfSampleEmbedder, fix_signs
from nldr.methods._graph import GRAPH_CONSTRAINTS, GraphEmbedder
from nldr.methods._rows import TrainingRows
from nldr.methods.mvu._convergence import shortcoming
from nldr.methods.mvu._edges import (
    UNFOLDING_CONSTRAINTS,
    adjacency,
    edges_and_squared_lengths,
    points_of_distances,
    squared_lengths,
    unbounded_variance_message,
)
from nldr.methods.mvu._new_points import LocalMaps
from nldr.methods.mvu._parts import Parts, parts_of, relative_error
from nldr.methods.mvu._progress import GapProgress
from nldr.methods.mvu._solvers import SOLVERS, Unfolding
from nldr.methods.mvu.certificate import Certificate, certify, violation
from nldr.methods.mvu.interior._solver import FEASIBLE
from nldr.neighborhoods.dimension import eigengap, intrinsic_dimension, share_dimension
from nldr.neighborhoods.graphs import check_connected, component_labels
from nldr.neighborhoods.joining import joining_edges, with_edges
from nldr.validation import Interval, StrOptions

NEGLIGIBLE = 1e-9  # standard deviation of an axis, relative to the first, that is left out


class MVU(GraphEmbedder, OutOfSampleEmbedder):
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
        If given, columns beyond this share of the variance are set to zero.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        ``"precomputed"`` if the data are a square matrix of Euclidean distances.
    graph : array-like or sparse array of shape (n_samples, n_samples), default=None
        Graph to use in place of that of nearest neighbors. Rows are joined where it has a
        nonzero entry or, if it is sparse, a stored one, in either direction.
    constraint : {"equal", "shrink"}, default="equal"
        Whether edges keep their lengths, or may also become shorter.
    disconnected : {"error", "warn", "bridges", "enhanced", "more_neighbors"}, default="error"
        Treatment of a disconnected graph, whose components could move apart indefinitely.
        ``"error"`` raises an error, and ``"warn"`` joins each pair of components at its closest
        points, with a warning. The others do not warn: ``"bridges"`` adds the shortest edges that
        join all components, ``"enhanced"`` more edges than the data have dimensions (see
        :func:`nldr.neighborhoods.joining_edges`), and ``"more_neighbors"`` uses the smallest number
        of neighbors that connects the graph.
    solver : {"auto", "interior_point", "low_rank", "sdp"}, default="auto"
        ``"interior_point"`` solves for the multipliers of the edges, after a facial reduction.
        ``"low_rank"`` solves for coordinates in a few dimensions. ``"auto"`` uses it from 2500
        points on, and where edges may shrink and it is likely to be faster. ``"sdp"`` passes the
        unreduced semidefinite program to CVXPY: a reference, for up to about 100 points.
    tol : float, default=1e-2
        Duality gap to reach, relative to the trace. Rounding errors limit the gap to about 1e-6
        with 100 points, and to larger ones with more.
    max_iter : int, default=100
        Maximum number of iterations.
    verbose : bool, default=False
        Whether to print gap, violation and remaining time every ten seconds.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows. The entry of largest magnitude of each column is positive.
    n_kept_ : int
        Number of columns of the embedding that were not set to zero for `variance_share`.
    eigenvalues_ : ndarray of shape (n_samples,)
        All eigenvalues of K in descending order, in squared units of the data.
    edges_ : ndarray of shape (n_edges, 2)
        Pairs of joined rows, including added edges.
    coordinates_ : ndarray of shape (n_samples, n_axes)
        Embedding in all dimensions: K is their Gram matrix.
    multipliers_ : ndarray of shape (n_edges,)
        Multipliers of the edges, which prove the bound.
    dependencies_ : csc_array of shape (n_samples, n_dependencies)
        Affine dependencies of points that are all joined to each other: K maps them to zero.
    representatives_ : ndarray of shape (n_samples,)
        Rows whose edges count in the bound; nearly equal rows have one representative.
    trace_ : float
        Trace of K: the variance of the embedding in all dimensions, times ``n_samples``.
    dual_bound_ : float
        Proven upper bound on the trace of every feasible K.
    duality_gap_ : float
        ``dual_bound_ / trace_ - 1``. It can be slightly negative, since constraints hold only up to
        `max_violation_`.
    max_violation_ : float
        Largest deviation (with ``constraint="shrink"``, excess) of an edge's squared length, in
        mean squared lengths.
    max_relative_error_ : float
        Largest relative error (with ``constraint="shrink"``, excess) of an edge's length. Edges
        shorter than a fifth of the root mean squared length count as that long.
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
        If the gap is wider than `tol`, the violation larger than 3e-5, or the relative error of an
        edge larger than 1e-3. Also if long edges cut off a part whose shape is not determined.

    Notes
    -----
    The bound is Σ w_ij d_ij² / λ with the multipliers w of the edges and the least eigenvalue λ of
    their weighted graph Laplacian on vectors of sum zero (λ₂ in Sun et al.), and with
    ``constraint="equal"`` on those orthogonal to ``dependencies_``.

    Remove outliers first: they leave other points far from unfolded although the gap is small.

    A new row is placed by the linear map from its `n_neighbors` + 1 nearest training rows to their
    coordinates, fitted by least squares, with singular values of at most 1. With
    ``metric="precomputed"``, ``transform`` takes distances to the training rows.

    If lengths must be kept, an iteration of the interior-point method takes O(n_edges³) time and a
    few n_edges × n_edges matrices, one of the low-rank method O(n_edges²) time and one such matrix.
    For many points, see :class:`~nldr.methods.LandmarkMVU`.

    References
    ----------
    K. Weinberger and L. Saul, "Unsupervised learning of image manifolds by semidefinite
    programming", IJCV 70, 2006. J. Sun, S. Boyd, L. Xiao and P. Diaconis, "The fastest mixing
    Markov process on a graph and a connection to a maximum variance unfolding problem", SIAM
    Review 48, 2006.

    Examples
    --------
    A bent line is straightened:

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
        "metric": [StrOptions({"euclidean", "precomputed"})],
        "graph": ["array-like", "sparse matrix", None],
        "constraint": [StrOptions({"equal", "shrink"})],
        "solver": [StrOptions(set(SOLVERS))],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        variance_share: float | None = None,
        metric: str = "euclidean",
        graph: Any = None,
        constraint: str = "equal",
        disconnected: str = "error",
        solver: str = "auto",
        tol: float = 1e-2,
        max_iter: int = 100,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.variance_share = variance_share
        self.metric = metric
        self.graph = graph
        self.constraint = constraint
        self.disconnected = disconnected
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    def _fit(self, data: NDArray) -> None:
        self._training_rows = TrainingRows(data)
        if self.n_components > len(data):
            raise ValueError(
                f"n_components={self.n_components} is too high for {len(data)} samples: it must "
                "be at most n_samples"
            )

        # Neighborhood graph, with its components joined
        if self.metric == "precomputed":
            data = points_of_distances(data)
        if self.graph is None:
            graph = self._connected_graph(data, unbounded_variance_message, join_after_warning=True)
        else:
            graph = self._given_graph(data)
        self.intrinsic_dimension_ = intrinsic_dimension(data)

        # Constraints: squared lengths of the edges, scaled to mean 1
        self.edges_, squared = edges_and_squared_lengths(graph, data)
        scale = squared.mean()
        if scale == 0:  # all rows are equal
            nothing = Unfolding(np.zeros((len(data), 1)), np.ones(len(squared)), 0.0, 0)
            parts = parts_of(self.edges_, squared, len(data))
            self._store_solution(nothing, squared, 1.0, parts)
            self._local_maps = self._maps(data)
            return

        parts = parts_of(self.edges_, squared / scale, len(data), self.added_edges_)
        solve = SOLVERS[self.solver]
        progress = GapProgress("MVU" if self.verbose else "", self.tol, FEASIBLE, self.max_iter)
        solution = solve(
            data / np.sqrt(scale),
            self.edges_,
            squared / scale,
            shrink=self.constraint == "shrink",
            tol=self.tol,
            max_iter=self.max_iter,
            progress=progress,
            repeated=parts.repeated,
        )
        self._store_solution(solution, squared / scale, scale, parts)
        self._local_maps = self._maps(data)
        if message := shortcoming(self, parts):
            warnings.warn(message, ConvergenceWarning, stacklevel=4)

    def _given_graph(self, data: NDArray) -> csr_array:
        """Return the graph of the parameter, with its components joined."""
        graph = adjacency(self.graph, len(data))
        labels = component_labels(graph)
        remedies = {"warn": "closest", "more_neighbors": "error"}
        self.added_edges_ = joining_edges(
            data, labels, remedies.get(self.disconnected, self.disconnected)
        )
        self.n_neighbors_ = self.n_neighbors
        self.n_connected_components_ = check_connected(
            labels,
            "error" if self.disconnected == "more_neighbors" else self.disconnected,
            unbounded_variance_message(graph, self.added_edges_),
            stacklevel=6,
        )
        return with_edges(graph, self.added_edges_)

    def _maps(self, data: NDArray) -> LocalMaps:
        """Return the local linear maps of the solution, apart for each component before joining."""
        added = {(min(i, j), max(i, j)) for i, j in self.added_edges_.tolist()}
        is_original = [tuple(edge) not in added for edge in self.edges_.tolist()]
        return LocalMaps(data, self.embedding_, self.edges_[is_original], self.n_neighbors_ + 1)

    def _transform(self, data: NDArray) -> NDArray:
        """Return the coordinates of new rows by local linear maps; training rows keep theirs."""
        rows = self._training_rows.positions(data)
        coordinates, new = self.embedding_[rows], rows < 0
        if new.any():
            maps = self._local_maps
            place = maps.from_distances if self.metric == "precomputed" else maps
            coordinates[new] = place(data[new])
        return coordinates

    def certificate(self, X: ArrayLike) -> Certificate:
        """Return bound and violation, recomputed without the solver.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows, or distances, that the estimator was fitted on.

        Returns
        -------
        Certificate
            What :func:`nldr.methods.mvu.certificate.certify` finds from the lengths of the edges
            in `X` and the attributes ``edges_``, ``multipliers_``, ``dependencies_`` and
            ``coordinates_``.
        """
        check_is_fitted(self)
        values = np.asarray(X, dtype=np.float64)
        rows, shrink = self.representatives_, self.constraint == "shrink"

        def lengths_of(edges: NDArray) -> NDArray:
            precomputed = self.metric == "precomputed"
            return np.square(values[*edges.T]) if precomputed else squared_lengths(values, edges)

        # Bound with nearly repeated rows counted as one, violation with all rows
        repeated = np.flatnonzero(rows != np.arange(len(rows)))
        edges = np.concatenate([rows[self.edges_], np.column_stack([repeated, rows[repeated]])])
        zeros = np.zeros(len(repeated))
        proof = certify(
            np.append(lengths_of(rows[self.edges_]), zeros),
            edges,
            np.append(self.multipliers_, zeros),
            self.coordinates_,
            dependencies=self.dependencies_,
            shrink=shrink,
        )
        worst = violation(lengths_of(self.edges_), self.edges_, self.coordinates_, shrink=shrink)
        return replace(proof, violation=worst)

    def _store_solution(
        self, solution: Unfolding, squared: NDArray, scale: float, parts: Parts
    ) -> None:
        """Store a solution in units of the data, given in units with mean squared length 1."""
        Y, self.multipliers_, self.n_iter_ = solution.Y, solution.multipliers, solution.n_iter
        n_samples = len(Y)

        # What the bound rests on besides the multipliers
        nothing = csc_array((n_samples, 0))
        self.dependencies_ = nothing if solution.dependencies is None else solution.dependencies
        self.representatives_ = (
            np.arange(n_samples) if solution.representatives is None else solution.representatives
        )

        left, values, _ = np.linalg.svd(Y - Y.mean(axis=0), full_matrices=False)
        kept = values > NEGLIGIBLE * values.max(initial=0.0)
        self.coordinates_ = np.sqrt(scale) * fix_signs(left[:, kept] * values[kept])

        self.eigenvalues_ = np.zeros(n_samples)
        self.eigenvalues_[: kept.sum()] = scale * np.square(values[kept])
        self.n_dimensions_ = eigengap(self.eigenvalues_)

        self.trace_ = float(self.eigenvalues_.sum())
        self.dual_bound_ = float(scale * solution.bound)
        self.duality_gap_ = self.dual_bound_ / self.trace_ - 1 if self.trace_ > 0 else 0.0

        shrink = self.constraint == "shrink"
        self.max_violation_ = violation(
            scale * squared, self.edges_, self.coordinates_, shrink=shrink
        )
        self.max_relative_error_ = relative_error(
            parts, squared, self.edges_, self.coordinates_ / np.sqrt(scale), shrink=shrink
        )

        self.n_kept_ = self.n_components
        if self.variance_share is not None:
            reached = share_dimension(self.eigenvalues_, self.variance_share)
            self.n_kept_ = min(reached, self.n_components)
        leading = self.coordinates_[:, : self.n_kept_]
        self.embedding_ = np.zeros((n_samples, self.n_components))
        self.embedding_[:, : leading.shape[1]] = leading
