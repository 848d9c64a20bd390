"""Maximum variance unfolding of landmarks, by which all other points are written."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import qr
from scipy.sparse import csc_array, eye_array
from scipy.sparse.linalg import splu
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import svd_flip
from sklearn.utils.validation import validate_data

from nldr.methods.mvu._interior import Program, unfold
from nldr.neighborhoods.graphs import check_connected, component_labels, knn_graph
from nldr.neighborhoods.joining import REMEDIES, joining_edges, neighbors_to_use, with_edges
from nldr.neighborhoods.patches import neighbor_lists, reconstruction_matrix

SHIFT = 1e-10  # on the diagonal, for groups of points that no landmark is tied to
SHORTEST = 1e-4  # edge length squared, in mean ones, that is given to edges between equal rows
RANK = 1e-6  # relative singular value that counts as zero; the shift makes small ones
MAX_ROUNDS = 100  # of solving and adding edges


class LandmarkMVU(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Maximum variance unfolding of some points, the landmarks, by which all others are written.

    K = Q L Qᵀ with the matrix Q that writes each point by the landmarks, as LLE would place it, and
    the landmarks' kernel matrix L. Maximize tr K over L ⪰ 0 with ΣK = 0 and
    K_ii − 2K_ij + K_jj ≤ d_ij² on the edges; few edges at first, then those that are violated.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, less than `n_landmarks`.
    n_neighbors : int, default=5
        Number of neighbors of a point, itself not counted.
    n_landmarks : int, default=100
        Number of landmarks, chosen at random; all points, if there are fewer.
    disconnected : {"error", "warn", "bridges", "enhanced", "more_neighbors"}, default="error"
        As in :class:`nldr.methods.mvu.mvu.MVU`.
    tol : float, default=1e-2
        Duality gap to reach, relative to the trace, and the greatest excess of a squared length
        of an edge, in mean squared lengths.
    max_iter : int, default=100
        Greatest number of steps each time that edges have been added.
    random_state : int, RandomState instance or None, default=None
        Chooses the landmarks.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows. Of each column the entry of largest magnitude is positive.
    eigenvalues_ : ndarray of shape (n_landmarks - 1,)
        Eigenvalues of K that may not be zero, greatest first.
    landmarks_ : ndarray of shape (n_landmarks,)
        Rows that are landmarks, ascending.
    n_connected_components_ : int
        Number of connected components of the graph before edges were added.
    n_edges_ : int
        Number of edges of the graph.
    n_constraints_ : int
        Number of edges that the last problem had.
    trace_ : float
        Trace of K.
    dual_bound_ : float
        Proven upper bound on the trace of every such K that keeps to the edges.
    duality_gap_ : float
        ``dual_bound_ / trace_ - 1``; negative by at most what the excess allows.
    max_violation_ : float
        Greatest excess of an edge's squared length, in mean squared lengths.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Warns
    -----
    ConvergenceWarning
        If the gap or an excess is above `tol`.
    DisconnectedGraphWarning
        If `disconnected` is ``"warn"`` and edges were added.

    Notes
    -----
    The first edges are as many, and as different, as bound the variance at all; to these the
    `n_landmarks` most violated ones are added at a time. Edges between equal rows may have a
    hundredth of the root mean squared length, since with length zero there is no interior.

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
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_landmarks": [Interval(Integral, 2, None, closed="left")],
        "disconnected": [StrOptions(REMEDIES)],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
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

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> LandmarkMVU:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, more than `n_neighbors` rows.
        y : None
            Not used.

        Returns
        -------
        LandmarkMVU
            The fitted estimator.

        Raises
        ------
        ValueError
            If there are too few rows or landmarks, or the graph is disconnected and `disconnected`
            is ``"error"``.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        n_landmarks = min(self.n_landmarks, len(data))
        if self.n_components >= n_landmarks:
            raise ValueError(
                f"n_components={self.n_components} is too high for {n_landmarks} landmarks and "
                f"{len(data)} samples: it must be less than both"
            )
        n_neighbors = neighbors_to_use(data, self.n_neighbors, self.disconnected, component_labels)
        graph = knn_graph(data, n_neighbors)
        labels = component_labels(graph)
        self.n_connected_components_ = check_connected(
            labels,
            self.disconnected,
            "the variance has no maximum but with edges between the closest points of each two",
        )
        remedy = "closest" if self.disconnected == "warn" else self.disconnected
        graph = with_edges(graph, joining_edges(data, labels, remedy))
        edges = np.unique(np.sort(np.column_stack(graph.nonzero())), axis=0)
        steps = data[edges[:, 0]] - data[edges[:, 1]]
        squared = np.einsum("ef,ef->e", steps, steps)
        rng = check_random_state(self.random_state)
        self.landmarks_ = np.sort(rng.permutation(len(data))[:n_landmarks])
        self.n_edges_ = len(edges)
        M = reconstruction_matrix(data, neighbor_lists(graph, edges[:0]))
        self._solve(landmark_basis(M, self.landmarks_), edges, squared)
        if max(self.duality_gap_, self.max_violation_) > self.tol:
            warnings.warn(
                f"the duality gap is {self.duality_gap_:.2g} and squared lengths are exceeded by "
                f"{self.max_violation_:.2g}, asked for was {self.tol:g}: raise max_iter or tol",
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

    def _solve(self, basis: NDArray, edges: NDArray, squared: NDArray) -> None:
        """Solve with ever more of the edges, and store the last solution."""
        scale = squared.mean()
        limits = np.maximum(squared / (scale if scale > 0 else 1.0), SHORTEST)
        rows = basis[edges[:, 0]] - basis[edges[:, 1]]
        used = qr(rows.T, mode="r", pivoting=True)[1][: basis.shape[1]]
        for _ in range(MAX_ROUNDS):
            program = Program(basis, edges[used], limits[used], shrink=True)
            places, bound, _ = unfold(program, self.tol, self.max_iter)
            lengths = np.square(places[edges[:, 0]] - places[edges[:, 1]]).sum(axis=1)
            excess = lengths - limits
            worst = np.argsort(excess)[::-1][: len(self.landmarks_)]
            new = np.setdiff1d(worst[excess[worst] > self.tol], used)
            if len(new) == 0:
                break
            used = np.append(used, new)
        self.n_constraints_ = len(used)
        self.max_violation_ = float(max(excess.max(), 0.0))
        eigenvalues = np.square(places).sum(axis=0)
        self.duality_gap_ = float(bound / eigenvalues.sum() - 1)
        self.eigenvalues_ = scale * eigenvalues
        self.trace_ = float(self.eigenvalues_.sum())
        self.dual_bound_ = float(scale * bound)
        shown = np.sqrt(scale) * places[:, : self.n_components]
        self.embedding_ = np.zeros((len(basis), self.n_components))
        self.embedding_[:, : shown.shape[1]] = svd_flip(shown, None)[0]

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def landmark_basis(M: csc_array, landmarks: NDArray) -> NDArray:
    """Return a basis of the centered functions that landmarks determine.

    Given its values at the landmarks, a function f is the one of least fᵀMf.

    Parameters
    ----------
    M : sparse array of shape (n_samples, n_samples)
        Cost of a function, such as :func:`nldr.neighborhoods.patches.reconstruction_matrix`.
    landmarks : ndarray of shape (n_landmarks,)
        Rows, ascending.

    Returns
    -------
    ndarray of shape (n_samples, n_landmarks - 1)
        Orthonormal columns of sum zero.

    Examples
    --------
    >>> chain = csc_array(np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]]))
    >>> np.abs(landmark_basis(chain, np.array([0, 2]))).round(3).ravel()
    array([0.707, 0.   , 0.707])
    """
    n_samples = M.shape[0]
    others = np.setdiff1d(np.arange(n_samples), landmarks)
    written = np.zeros((n_samples, len(landmarks)))
    written[landmarks] = np.eye(len(landmarks))
    if len(others):
        columns = csc_array(M)
        free = csc_array(columns[others][:, others])
        lift = SHIFT * columns.diagonal().mean()
        known = columns[others][:, landmarks].toarray()
        factor = splu(csc_array(free + lift * eye_array(len(others), format="csc")))
        written[others] = -factor.solve(known)
    centered = written - written.mean(axis=0)
    left, values, _ = np.linalg.svd(centered, full_matrices=False)
    return left[:, values > RANK * values[0]]
