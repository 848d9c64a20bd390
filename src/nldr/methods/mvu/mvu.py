"""Maximum variance unfolding, with a certificate of how near to the optimum it is."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from nldr.methods.mvu._face import cliques, face_basis, independent_edges
from nldr.methods.mvu._interior import FEASIBLE, Program, unfold
from nldr.neighborhoods.dimension import eigengap, intrinsic_dimension
from nldr.neighborhoods.graphs import check_connected, component_labels, knn_graph
from nldr.neighborhoods.joining import REMEDIES, joining_edges, neighbors_to_use


class MVU(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Maximum variance unfolding: points as far apart as the lengths of the edges allow.

    Solves: maximize tr K over K ⪰ 0 with ΣK = 0 and K_ii − 2K_ij + K_jj = d_ij² for all edges of
    the graph in which two points are joined if one is among the nearest neighbors of the other.
    The embedding is spanned by the top eigenvectors of K.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples``.
    n_neighbors : int, default=5
        Number of neighbors of a point, itself not counted.
    constraint : {"equal", "shrink"}, default="equal"
        Whether edges keep their lengths, or may also become shorter.
    disconnected : {"error", "warn", "bridges", "enhanced", "more_neighbors"}, default="error"
        Where the graph falls into parts, these can be moved apart for ever. ``"error"`` refuses,
        ``"warn"`` joins each two parts by their closest pair of points, with a warning.
        ``"bridges"`` adds the shortest edges that join all parts, ``"enhanced"`` one more between
        two parts than the data have dimensions (see :func:`nldr.neighborhoods.joining_edges`), and
        ``"more_neighbors"`` takes the smallest number of neighbors that connects; these say
        nothing.
    solver : {"interior_point", "sdp"}, default="interior_point"
        ``"interior_point"`` solves for the multipliers of the edges, after what is rigid has been
        factored out. ``"sdp"`` hands the program as it stands to CVXPY and Clarabel: a
        reference, for up to about 100 points.
    tol : float, default=1e-2
        Duality gap to reach, relative to the trace. Rounding errors end the search below 1e-6
        with 100 points, and at about 5e-5 with 800.
    max_iter : int, default=100
        Greatest number of steps.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows. Of each column the entry of largest magnitude is
        positive. Columns beyond the rank of K are zero.
    eigenvalues_ : ndarray of shape (n_samples,)
        All eigenvalues of K, greatest first, in squared units of the data.
    edges_ : ndarray of shape (n_edges, 2)
        Pairs of joined rows, added ones included.
    added_edges_ : ndarray of shape (n_added, 2)
        Those of them that join parts of the graph.
    n_neighbors_ : int
        Number of neighbors used.
    n_connected_components_ : int
        Number of connected components of the graph before edges were added.
    trace_ : float
        Trace of K: the variance reached, times ``n_samples``.
    dual_bound_ : float
        Proven upper bound on the trace of every feasible K.
    duality_gap_ : float
        ``dual_bound_ / trace_ - 1``. Slightly negative where the bound is met to within what the
        violation allows.
    max_violation_ : float
        Greatest difference of an edge's squared length from what it should be, or its excess with
        ``constraint="shrink"``, in mean squared lengths of edges.
    n_iter_ : int
        Number of steps.
    n_dimensions_ : int
        Dimension of the unfolded points, by the gap of their eigenvalues
        (:func:`nldr.neighborhoods.eigengap`).
    intrinsic_dimension_ : float
        Dimension of the data by maximum likelihood
        (:func:`nldr.neighborhoods.intrinsic_dimension`).
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Warns
    -----
    ConvergenceWarning
        If the gap is wider than `tol`, or the violation above 3e-5.
    DisconnectedGraphWarning
        If edges were added.

    Notes
    -----
    The bound is Σ w_ij d_ij² / λ with the multipliers w and the least eigenvalue λ of their graph
    Laplacian L(w), on vectors of sum zero (Sun et al.: there λ is λ₂). With ``constraint="equal"``
    it is the least on the subspace in which every feasible K lies: orthogonal to the affine
    dependencies of points that are all joined to each other. That equals the limit of λ₂ as
    ever more of the stress of such groups, which costs nothing, is added to the multipliers.

    Time O(n_edges³) a step, of which there are about 20, and memory for a few n_edges × n_edges
    matrices: 2000 points take about a minute, 5000 points a quarter of an hour and 5 GB. Beyond,
    :class:`~nldr.methods.LandmarkMVU` unfolds what is spanned by some of the points.

    References
    ----------
    K. Weinberger and L. Saul, "Unsupervised learning of image manifolds by semidefinite
    programming", IJCV 70, 2006. J. Sun, S. Boyd, L. Xiao and P. Diaconis, "The fastest mixing
    Markov process on a graph and a connection to a maximum variance unfolding problem", SIAM
    Review 48, 2006.

    Examples
    --------
    A bent line is straightened, and no embedding that keeps the edges has more variance than is
    proven:

    >>> angle = np.linspace(0, np.pi, 50)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> mvu = MVU(n_components=1, n_neighbors=2, tol=1e-3).fit(X)
    >>> round(float(np.ptp(mvu.embedding_)), 2)
    3.14
    >>> 0 <= mvu.duality_gap_ < 1e-3
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "constraint": [StrOptions({"equal", "shrink"})],
        "disconnected": [StrOptions(REMEDIES)],
        "solver": [StrOptions({"interior_point", "sdp"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        constraint: str = "equal",
        disconnected: str = "error",
        solver: str = "interior_point",
        tol: float = 1e-2,
        max_iter: int = 100,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.constraint = constraint
        self.disconnected = disconnected
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> MVU:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, more than `n_neighbors` rows.
        y : None
            Not used.

        Returns
        -------
        MVU
            The fitted estimator.

        Raises
        ------
        ValueError
            If there are too few rows, or the graph is disconnected and `disconnected` is
            ``"error"``.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if self.n_components > len(data):
            raise ValueError(
                f"n_components={self.n_components} is too high for {len(data)} samples: at most "
                "n_samples"
            )
        self.n_neighbors_ = neighbors_to_use(
            data, self.n_neighbors, self.disconnected, component_labels
        )
        graph = knn_graph(data, self.n_neighbors_)
        labels = component_labels(graph)
        self.n_connected_components_ = check_connected(
            labels,
            self.disconnected,
            "the variance has no maximum but with edges between the closest points of each two",
        )
        remedy = "closest" if self.disconnected == "warn" else self.disconnected
        self.added_edges_ = joining_edges(data, labels, remedy)
        pairs = np.concatenate([np.column_stack(graph.nonzero()), self.added_edges_])
        self.edges_ = np.unique(np.sort(pairs), axis=0)
        steps = data[self.edges_[:, 0]] - data[self.edges_[:, 1]]
        squared = np.einsum("ef,ef->e", steps, steps)
        scale = squared.mean()
        self.intrinsic_dimension_ = intrinsic_dimension(data)
        if scale == 0:  # all rows are equal
            self._keep(np.zeros((len(data), 0)), 0.0, squared, 1.0)
            self.n_iter_ = 0
            return self
        find = self._interior_point if self.solver == "interior_point" else self._sdp
        places, bound = find(data / np.sqrt(scale), squared / scale)
        self._keep(places, bound, squared / scale, scale)
        if self.duality_gap_ > self.tol or self.max_violation_ > FEASIBLE:
            warnings.warn(
                f"the duality gap is {self.duality_gap_:.2g}, asked for was {self.tol:g}, and "
                f"lengths are violated by {self.max_violation_:.2g}, where {FEASIBLE:g} will do: "
                "raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=3,
            )
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

    def _interior_point(self, X: NDArray, squared: NDArray) -> tuple[NDArray, float]:
        """Return coordinates Y with K = YYᵀ along principal axes, and the dual bound."""
        edges, shrink = self.edges_, self.constraint == "shrink"
        groups = iter(edges[squared == 0]) if shrink else cliques(edges, len(X))
        basis = face_basis(X, groups)
        kept = np.flatnonzero(squared > 0) if shrink else independent_edges(basis, edges)
        program = Program(basis, edges[kept], squared[kept], shrink=shrink)
        places, bound, self.n_iter_ = unfold(program, self.tol, self.max_iter)
        return places, bound

    def _sdp(self, X: NDArray, squared: NDArray) -> tuple[NDArray, float]:
        """Return the same from CVXPY, given the program as it stands."""
        import cvxpy

        i, j = self.edges_.T
        kernel = cvxpy.Variable((len(X), len(X)), PSD=True)
        diagonal = cvxpy.diag(kernel)
        lengths = diagonal[i] + diagonal[j] - 2 * kernel[i, j]
        shrink = self.constraint == "shrink"
        fixed = lengths <= squared if shrink else lengths == squared
        problem = cvxpy.Problem(
            cvxpy.Maximize(cvxpy.trace(kernel)), [fixed, cvxpy.sum(kernel) == 0]
        )
        problem.solve(solver="CLARABEL", max_iter=self.max_iter)
        self.n_iter_ = int(problem.solver_stats.num_iters or 0)
        values, vectors = eigh(kernel.value)
        values = np.maximum(values[::-1], 0.0)
        basis = face_basis(X, iter(()))
        program = Program(basis, self.edges_, squared, shrink=shrink)
        bound = min(program.bound(fixed.dual_value), program.bound(-fixed.dual_value))
        return vectors[:, ::-1] * np.sqrt(values), bound

    def _keep(self, places: NDArray, bound: float, squared: NDArray, scale: float) -> None:
        """Store a solution, given in units in which squared lengths of edges have mean 1."""
        n_samples = int(self.edges_.max()) + 1
        i, j = self.edges_.T
        self.eigenvalues_ = np.zeros(n_samples)
        self.eigenvalues_[: places.shape[1]] = scale * np.square(places).sum(axis=0)
        self.n_dimensions_ = eigengap(self.eigenvalues_)
        self.trace_ = float(self.eigenvalues_.sum())
        self.dual_bound_ = float(scale * bound)
        self.duality_gap_ = self.dual_bound_ / self.trace_ - 1 if self.trace_ > 0 else 0.0
        excess = np.square(places[i] - places[j]).sum(axis=1) - squared
        worst = excess.max() if self.constraint == "shrink" else np.abs(excess).max()
        self.max_violation_ = float(max(worst, 0.0))
        self.embedding_ = np.zeros((n_samples, self.n_components))
        shown = np.sqrt(scale) * places[:, : self.n_components]
        if shown.shape[1]:
            tops = shown[np.abs(shown).argmax(axis=0), np.arange(shown.shape[1])]
            self.embedding_[:, : shown.shape[1]] = np.where(tops < 0, -shown, shown)

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]
