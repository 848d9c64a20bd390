"""Diffusion maps: eigenvectors of a random walk between the points."""

from __future__ import annotations

import warnings
from contextlib import suppress
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors

from nldr.methods._base import OutOfSampleEmbedder, fix_signs
from nldr.neighborhoods.graphs import DisconnectedGraphWarning
from nldr.validation import Interval

DENSE_UP_TO = 500  # samples for which all eigenvectors are computed faster than a few by iterations
MOST_RESTARTS = 300  # of Lanczos' method, before all eigenvectors are computed
CONNECTED_BELOW = 1 - 1e-12  # second eigenvalue of a walk that reaches all points


class DiffusionMaps(OutOfSampleEmbedder):
    """Diffusion maps with a Gaussian kernel.

    A random walk steps from a point to another with a probability in proportion to
    k(x, x') = exp(−‖x − x'‖²/ε) / (q(x) q(x'))^α, where q is the sum of the Gaussian kernel, an
    estimate of the density. The coordinates are the right eigenvectors ψ of its transition matrix
    after the constant one, times the t-th power of their eigenvalues λ. If all are kept, distances
    between them are diffusion distances: they compare the probabilities of being at each point
    after t steps.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples - 1``.
    n_neighbors : int, default=12
        Number of neighbors of a point, not counting the point itself, from which the bandwidth is
        taken; less than ``n_samples``.
    bandwidth : float or None, default=None
        Bandwidth ε, in squared units of `X`; None for the median of the squared distances to the
        neighbor of number `n_neighbors`.
    alpha : float, default=1.0
        Exponent α of the density: 0 for the random walk on the points as they are sampled, as in
        Laplacian eigenmaps, 1/2 for the diffusion in a potential, 1 for the geometry alone,
        whatever the density.
    time : float, default=1.0
        Diffusion time t in steps, at least 0; more steps shrink the axes of small eigenvalues.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows. The entry of largest magnitude of each column is
        positive.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues λ, in decreasing order.
    bandwidth_ : float
        Bandwidth used.

    Raises
    ------
    ValueError
        If `n_components` or `n_neighbors` is too high, or the bandwidth would be 0 because most
        points have as many duplicates.

    Warns
    -----
    DisconnectedGraphWarning
        If the walk does not reach all points within the accuracy of the computation.

    Notes
    -----
    Eigenvectors have a mean square of 1 under the stationary distribution of the walk.

    New rows are embedded by Nyström's formula: the eigenvector at a new point is the mean of those
    at the training points, weighted by the probabilities of a step to them, divided by λ. Training
    rows get their own coordinates.

    References
    ----------
    R. Coifman and S. Lafon, "Diffusion maps", Applied and Computational Harmonic Analysis 21, 2006.

    Examples
    --------
    Points on a circle are embedded on a circle, however densely they are sampled:

    >>> import numpy as np
    >>> angle = np.linspace(0, 1, 200, endpoint=False) ** 1.5 * 2 * np.pi
    >>> X = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    >>> radius = np.linalg.norm(DiffusionMaps(bandwidth=0.1, time=0).fit_transform(X), axis=1)
    >>> bool(radius.std() < 0.05 * radius.mean())
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "bandwidth": [Interval(Real, 0, None, closed="neither"), None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "time": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 12,
        bandwidth: float | None = None,
        alpha: float = 1.0,
        time: float = 1.0,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.alpha = alpha
        self.time = time

    def _fit(self, data: NDArray) -> None:
        n_samples = len(data)
        if self.n_components > n_samples - 1:
            raise ValueError(
                f"n_components={self.n_components} is too high for {n_samples} samples: at most "
                "n_samples - 1"
            )
        self.bandwidth_ = self._choose_bandwidth(data)

        # Kernel, corrected for the density
        kernel = np.exp(euclidean_distances(data, squared=True) / -self.bandwidth_)
        self._weights = kernel.sum(axis=1) ** -self.alpha
        kernel *= np.outer(self._weights, self._weights)

        # Symmetric form of the transition matrix P = D⁻¹ K: D^(1/2) P D^(-1/2)
        degrees = kernel.sum(axis=1)
        roots = np.sqrt(degrees)
        kernel /= np.outer(roots, roots)

        n_pairs = self.n_components + 1
        values, vectors = _largest_eigenpairs(kernel, n_pairs)
        if values[1] > CONNECTED_BELOW:
            warnings.warn(
                f"with the bandwidth {self.bandwidth_:.3g} the random walk does not reach all "
                "points, so parts of the data collapse to single points: increase bandwidth or "
                "n_neighbors",
                DisconnectedGraphWarning,
                stacklevel=4,
            )

        # Right eigenvectors of P, without the constant one
        self.eigenvalues_ = np.maximum(values[1:], 0.0)  # rounding may leave negative zeros
        vectors = fix_signs(vectors[:, 1:] * np.sqrt(degrees.sum()) / roots[:, np.newaxis])
        self.embedding_ = vectors * self.eigenvalues_**self.time

        self._rows, self._vectors = data, vectors

    def _choose_bandwidth(self, data: NDArray) -> float:
        """Return the bandwidth: the parameter, or one that suits the distances of neighbors."""
        if self.bandwidth is not None:
            return float(self.bandwidth)
        if self.n_neighbors >= len(data):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is too high for {len(data)} samples: it must be "
                "less"
            )
        search = NearestNeighbors(n_neighbors=self.n_neighbors).fit(data)
        bandwidth = float(np.median(search.kneighbors()[0][:, -1] ** 2))
        if bandwidth == 0:
            raise ValueError(
                f"most rows of X equal {self.n_neighbors} others or more: increase n_neighbors or "
                "give bandwidth"
            )
        return bandwidth

    def _transform(self, data: NDArray) -> NDArray:
        # Probabilities of a step; the smallest distance is subtracted against underflow
        distances = euclidean_distances(data, self._rows, squared=True)
        distances -= distances.min(axis=1, keepdims=True)
        steps = np.exp(distances / -self.bandwidth_) * self._weights
        steps /= steps.sum(axis=1, keepdims=True)

        # Eigenvectors at the new points, by λ ψ = P ψ
        with np.errstate(divide="ignore"):
            scales = np.where(self.eigenvalues_ > 0, self.eigenvalues_ ** (self.time - 1), 0.0)
        return steps @ self._vectors * scales


def _largest_eigenpairs(kernel: NDArray, n_pairs: int) -> tuple[NDArray, NDArray]:
    """Return the largest eigenvalues of a symmetric matrix, decreasing, and their eigenvectors."""
    n_samples = len(kernel)
    if n_samples > max(DENSE_UP_TO, 3 * n_pairs):
        start = np.random.RandomState(0).uniform(size=n_samples)
        # Close eigenvalues, as of well separated clusters, may keep Lanczos' method from converging
        with suppress(ArpackNoConvergence):
            values, vectors = eigsh(kernel, n_pairs, v0=start, maxiter=MOST_RESTARTS)
            return values[::-1], vectors[:, ::-1]
    first = n_samples - n_pairs
    values, vectors = eigh(kernel, subset_by_index=(first, n_samples - 1))
    return values[::-1], vectors[:, ::-1]
