"""Parametric UMAP: a network trained on edges of UMAP's graph and on pairs without an edge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from nldr.methods._docs import inherit_docs
from nldr.methods.networks._estimator import NETWORK_CONSTRAINTS, NetworkEmbedding
from nldr.validation import Interval, StrOptions

if TYPE_CHECKING:
    from jax import Array

    from nldr.methods.networks._network import Network
    from nldr.methods.networks._training import TrainingResult

# Added to squared distances, as in the repulsive term of umap-learn
SOFTENING = 1e-3
# Smallest scale of a point's distances as a share of their mean, as in umap-learn
SMALLEST_SCALE = 1e-3


@inherit_docs(NetworkEmbedding)
@dataclass(eq=False, repr=False, kw_only=True)
class ParametricUMAP(NetworkEmbedding):
    """A network trained with the objective of UMAP (Sainburg et al.).

    Edges of umap-learn's fuzzy graph of the unscaled data, over exact nearest neighbors, are drawn
    with probabilities proportional to their weights. The head of each edge is also paired with
    tails of other edges of the batch, as examples of pairs without an edge. With
    q = 1 / (1 + a d^2b), where a and b follow from `min_dist` as in umap-learn, the loss is the
    mean of -log q over edges and -log(1 - q) over pairs without an edge: the cross-entropy of the
    paper.

    Parameters
    ----------
    n_components
    n_neighbors : int, default=15
        Number of neighbors of a point, which include the point itself as in umap-learn; less
        than ``n_samples``.
    min_dist : float, default=0.1
        Distance in the embedding below which points do not attract each other more, at most 1.
    negative_sample_rate : int, default=5
        Number of pairs without an edge for each edge.
    loss : {"cross_entropy", "umap_learn"}, default="cross_entropy"
        ``"cross_entropy"`` is that of the paper, without the bounds of 1e-4 that the paper's code
        sets to q and 1 - q. ``"umap_learn"`` is the loss of umap-learn 0.5.12: q is replaced by
        q / (1 + q), at most 1/2, so that repulsion stays bounded where two points coincide.
    hidden, activation, input_scaling
    batch_size : int, default=1000
        Number of edges per batch; fewer if there are fewer.
    optimizer, learning_rate
    n_epochs : int, default=200
        Maximum number of epochs. In an epoch, an edge of the largest weight is drawn about once on
        average: the number of batches is rounded.
    validation_fraction : float, default=0.1
        Fraction of the rows whose edges are held out to monitor the training; none if that is
        less than two rows.
    tol, n_iter_no_change, random_state, verbose

    Attributes
    ----------
    embedding_, network_
    graph_ : csr_matrix of shape (n_samples, n_samples)
        The fuzzy graph.
    loss_
    validation_loss_ : ndarray of shape (n_epochs_,)
        Loss of the edges with at least one validation row after each epoch, which are drawn once
        with their pairs; empty if there are none.
    n_epochs_, n_steps_, stop_reason_, input_center_, input_scale_

    References
    ----------
    T. Sainburg, L. McInnes and T. Gentner, "Parametric UMAP embeddings for representation and
    semi-supervised learning", Neural Computation 33, 2021. umap-learn 0.5.12,
    ``parametric_umap.compute_cross_entropy``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> model = ParametricUMAP(n_neighbors=5, hidden=(32,), n_epochs=5, random_state=0)
    >>> model.fit(X[::2]).transform(X[1::2]).shape
    (30, 2)
    """

    _min_samples = 3
    _parameter_constraints: ClassVar[dict] = NETWORK_CONSTRAINTS | {
        "n_neighbors": [Interval(Integral, 2, None, closed="left")],
        "min_dist": [Interval(Real, 0, 1, closed="both")],
        "negative_sample_rate": [Interval(Integral, 1, None, closed="left")],
        "loss": [StrOptions({"cross_entropy", "umap_learn"})],
    }

    n_neighbors: int = 15
    min_dist: float = 0.1
    negative_sample_rate: int = 5
    loss: str = "cross_entropy"
    hidden: Sequence[int] = (100, 100, 100)
    activation: str = "relu"
    input_scaling: str = "range"
    batch_size: int = 1000

    def _fit_network(
        self, data: NDArray, layer_sizes: list[int], rng: np.random.RandomState
    ) -> tuple[TrainingResult, Network]:
        if self.n_neighbors >= len(data):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is too high for {len(data)} samples (n_samples = "
                f"{len(data)}): it must be less"
            )
        from nldr.methods.networks._network import glorot

        # Edges between training rows, and edges with at least one validation row
        self.graph_ = fuzzy_graph(data, self.n_neighbors)
        training, _ = self._split_rows(len(data), rng)
        is_training = np.zeros(len(data), bool)
        is_training[training] = True
        graph = self.graph_.tocoo()
        inside = is_training[graph.row] & is_training[graph.col]

        def make_batches(edges: NDArray) -> tuple[NDArray, NDArray, NDArray]:
            weights = graph.data[edges]
            n_draws = max(1, round(weights.sum() / graph.data.max()))
            # Whole batches, whose number is rounded, so that graphs of one size share compiled code
            n_batches = max(1, round(n_draws / self.batch_size))
            size = min(n_draws, self.batch_size)
            drawn = edges[draw_positions(weights, n_batches * size, rng)].reshape(n_batches, size)
            # Pair each head with random tails of its batch
            others = rng.randint(size, size=(n_batches, self.negative_sample_rate, size))
            return graph.row[drawn], graph.col[drawn], others.astype(np.int32)

        result = self._train(
            glorot(layer_sizes, self.activation, rng),
            {"cross_entropy": cross_entropy, "umap_learn": umap_learn_loss}[self.loss],
            (
                self._fit_scaling(data, self.input_scaling),
                np.array(curve_parameters(self.min_dist), np.float32),
            ),
            make_batches,
            np.flatnonzero(inside),
            np.flatnonzero(~inside),
        )
        return result, result.model


def fuzzy_graph(X: NDArray, n_neighbors: int) -> csr_matrix:
    """Return umap-learn's fuzzy graph over exact nearest neighbors, without its compilation.

    The number of neighbors includes the point itself; weights are symmetric, in (0, 1].
    """
    from sklearn.neighbors import NearestNeighbors

    distances, indices = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors(X)
    # Distances beyond the nearest distinct point, over a scale of its own for each point
    apart = np.where(distances > 0, distances, np.inf).min(axis=1)
    nearest = np.where(np.isfinite(apart), apart, 0.0)
    excess = np.maximum(distances - nearest[:, np.newaxis], 0.0)
    scales = _local_scales(excess[:, 1:], np.log2(n_neighbors))
    # The scale is at least a small share of the mean distance
    mean = np.where(nearest > 0, distances.mean(axis=1), distances.mean())
    scales = np.maximum(scales, SMALLEST_SCALE * mean)[:, np.newaxis]
    weights = np.exp(-np.divide(excess, scales, out=np.zeros_like(excess), where=scales > 0))
    # Directed edges, without those of a point to itself
    rows = np.repeat(np.arange(len(X)), n_neighbors)
    weights = np.where(indices.ravel() == rows, 0.0, weights.ravel())
    directed = csr_matrix((weights, (rows, indices.ravel())), shape=(len(X), len(X)))
    directed.eliminate_zeros()
    return (directed + directed.T - directed.multiply(directed.T)).tocsr()


def _local_scales(excess: NDArray, target: float) -> NDArray:
    """Return the scale of each row at which the sum of exp(-excess / scale) is ``target``, or 0."""
    low, high = np.zeros(len(excess)), np.full(len(excess), np.inf)
    scales = np.ones(len(excess))
    # Bisection, after the scale has been doubled until it is too large
    for _ in range(64):
        sums = np.exp(-excess / np.maximum(scales, 1e-300)[:, np.newaxis]).sum(axis=1)
        above = sums > target
        high, low = np.where(above, scales, high), np.where(above, low, scales)
        scales = np.where(np.isinf(high), 2 * scales, (low + np.minimum(high, 1e300)) / 2)
    return scales


def curve_parameters(min_dist: float) -> tuple[float, float]:
    """Return umap-learn's a and b of q = 1 / (1 + a d^2b) for a minimum distance, with spread 1.

    Examples
    --------
    >>> a, b = curve_parameters(0.1)
    >>> round(a, 3), round(b, 3)
    (1.577, 0.895)
    """
    from scipy.optimize import curve_fit

    # 1 up to the minimum distance, then an exponential decay
    d = np.linspace(0, 3, 300)
    target = np.exp(-np.maximum(d - min_dist, 0.0))
    (a, b), _ = curve_fit(lambda d, a, b: 1 / (1 + a * d ** (2 * b)), d, target)
    return float(a), float(b)


def draw_positions(weights: NDArray, n_draws: int, rng: np.random.RandomState) -> NDArray:
    """Draw positions with probabilities proportional to weights, with replacement.

    Examples
    --------
    >>> draw_positions(np.array([0.0, 2.0, 0.0]), 3, np.random.RandomState(0)).tolist()
    [1, 1, 1]
    """
    total = np.cumsum(weights, dtype=np.float64)
    return np.searchsorted(total, rng.uniform(0, total[-1], n_draws), side="right")


Batch = tuple["Array", "Array", "Array"]


def cross_entropy(network: Callable, data: tuple[Array, Array], batch: Batch) -> Array:
    """Return the mean cross-entropy over edges of a batch and pairs without an edge, in nats.

    The data are `X` (n_samples, n_features), and a and b (2,) of q = 1 / (1 + a d^2b). A batch has
    heads (size,), tails (size,) and, for each head, the positions (n_pairs, size) of the tails that
    it is paired with. As in umap-learn's repulsion, 0.001 is added to squared distances.
    """
    import jax.numpy as jnp

    # -log q of edges and -log(1 - q) of pairs without an edge
    edges, pairs = _log_odds(network, data, batch)
    attraction = jnp.sum(jnp.logaddexp(0.0, edges))
    repulsion = jnp.sum(jnp.logaddexp(0.0, -pairs))
    return (attraction + repulsion) / (edges.size + pairs.size)


def umap_learn_loss(network: Callable, data: tuple[Array, Array], batch: Batch) -> Array:
    """Return the loss of umap-learn 0.5.12: the cross-entropy with q / (1 + q) in place of q.

    Its code applies the logarithm of the logistic function, which expects the logit of a
    probability, to log q; the logistic function of log q is q / (1 + q).
    """
    import jax.numpy as jnp

    # log q, from the logarithm of (1 - q) / q
    edges, pairs = (-jnp.logaddexp(0.0, odds) for odds in _log_odds(network, data, batch))
    # -log(q / (1 + q)) of edges and -log(1 / (1 + q)) of pairs without an edge
    attraction = jnp.sum(jnp.logaddexp(0.0, -edges))
    repulsion = jnp.sum(jnp.logaddexp(0.0, pairs))
    return (attraction + repulsion) / (edges.size + pairs.size)


def _log_odds(network: Callable, data: tuple[Array, Array], batch: Batch) -> tuple[Array, Array]:
    """Return log((1 - q) / q) = log(a d^2b) of the edges of a batch and of its other pairs."""
    import jax.numpy as jnp

    X, (a, b) = data
    heads, tails, others = batch
    head, tail = jnp.split(network(X[jnp.concatenate([heads, tails])]), 2)

    def log_odds(Y: Array) -> Array:
        return jnp.log(a) + b * jnp.log(jnp.sum((head - Y) ** 2, axis=-1) + SOFTENING)

    return log_odds(tail), log_odds(tail[others])
