"""Parametric UMAP: a network trained on edges of UMAP's graph and on pairs that are none."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import validate_data

from nldr.methods.networks._estimator import TRAINING_CONSTRAINTS, NetworkEmbedding

if TYPE_CHECKING:
    from jax import Array

SOFTENING = 1e-3


class ParametricUMAP(NetworkEmbedding):
    """A network that places points by UMAP's objective (Sainburg et al.).

    Edges of umap-learn's fuzzy graph, over exact nearest neighbors, are drawn with
    probabilities proportional to their weights; each is set against pairs of its head and the
    tails of other edges of the batch. The loss is the mean cross entropy of
    q = 1 / (1 + a d^2b), where a and b follow from `min_dist` as in umap-learn.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    n_neighbors : int, default=15
        Number of neighbors of a point, itself counted, as in umap-learn; less than
        ``n_samples``.
    min_dist : float, default=0.1
        Distance in the embedding below which points do not attract each other more, at most 1.
    negative_sample_rate : int, default=5
        Pairs that are no edges for each edge.
    hidden : sequence of int, default=(100, 100, 100)
        Units of the hidden layers.
    activation : {"relu", "leaky_relu", "sigmoid", "tanh", "identity"}, default="relu"
        Of the hidden units.
    input_scaling : {"none", "range", "global", "features"}, default="range"
        What the network sees: the data as they are; brought to [0, 1] as a whole; centered and
        divided by one number, the root mean variance of the features; or each feature
        standardized. The graph is always that of the data as they are.
    batch_size : int, default=1000
        Largest number of edges in a batch.
    optimizer : {"adam", "sgd"}, default="adam"
        How weights follow the gradient.
    learning_rate : float, default=1e-3
        Step size.
    n_epochs : int, default=200
        Largest number of passes; in one an edge of the largest weight comes once on average.
    validation_fraction : float, default=0.1
        Share of the rows whose edges the network is not trained on; none if that is less than
        two.
    tol : float, default=1e-5
        What the validation loss must fall by to count as better.
    n_iter_no_change : int, default=20
        So many epochs without a better validation loss end the training; the weights of the best
        one are kept.
    random_state : int, RandomState instance or None, default=None
        Seed of weights, validation rows, edges and pairs. With an integer two fits give the same
        network.

    Attributes
    ----------
    network_ : equinox module
        The trained network.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        The fuzzy graph.
    loss_, validation_loss_ : ndarray of shape (n_epochs_,)
        Mean loss of each epoch, and that of edges and pairs with a validation row, drawn once,
        after it; empty without such rows.
    n_epochs_ : int
        Epochs run.
    n_steps_ : int
        Steps of the optimizer.
    stop_reason_ : str
        ``"validation_loss"`` or ``"n_epochs"``.
    input_center_, input_scale_ : ndarray of shape (n_features_in_,)
        What is subtracted from features, and what they are divided by, before the network.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    References
    ----------
    T. Sainburg, L. McInnes and T. Gentner, "Parametric UMAP embeddings for representation and
    semi-supervised learning", Neural Computation 33, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> model = ParametricUMAP(n_neighbors=5, hidden=(32,), n_epochs=20, random_state=0)
    >>> model.fit(X[::2]).transform(X[1::2]).shape
    (30, 2)
    """

    _parameter_constraints: dict = TRAINING_CONSTRAINTS | {
        "n_neighbors": [Interval(Integral, 2, None, closed="left")],
        "min_dist": [Interval(Real, 0, 1, closed="both")],
        "negative_sample_rate": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 15,
        min_dist: float = 0.1,
        negative_sample_rate: int = 5,
        hidden: Sequence[int] = (100, 100, 100),
        activation: str = "relu",
        input_scaling: str = "range",
        batch_size: int = 1000,
        optimizer: str = "adam",
        learning_rate: float = 1e-3,
        n_epochs: int = 200,
        validation_fraction: float = 0.1,
        tol: float = 1e-5,
        n_iter_no_change: int = 20,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.min_dist = min_dist
        self.negative_sample_rate = negative_sample_rate
        self.hidden = hidden
        self.activation = activation
        self.input_scaling = input_scaling
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.n_epochs = n_epochs
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> ParametricUMAP:
        """Train the network on the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, more than `n_neighbors` rows.
        y : None
            Not used.

        Returns
        -------
        ParametricUMAP
            The fitted estimator.

        Raises
        ------
        ValueError
            If there are too few rows or a hidden layer has no unit.
        FloatingPointError
            If training diverges.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=3)
        if self.n_neighbors >= len(data):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is too high for {len(data)} samples (n_samples = "
                f"{len(data)}): it must be less"
            )
        rng = check_random_state(self.random_state)
        layers = self._layers(data.shape[1])
        self.graph_ = fuzzy_graph(data, self.n_neighbors)

        from nldr.methods.networks._training import glorot, train

        training, _ = self._split(len(data), rng)
        trained_on = np.zeros(len(data), bool)
        trained_on[training] = True
        graph = self.graph_.tocoo()
        inside = trained_on[graph.row] & trained_on[graph.col]

        def deal(edges: NDArray) -> tuple[NDArray, NDArray, NDArray]:
            weights = graph.data[edges]
            drawn = edges[draw(weights, max(1, round(weights.sum() / graph.data.max())), rng)]
            n_batches = -(-len(drawn) // self.batch_size)
            size = len(drawn) // n_batches
            drawn = drawn[: n_batches * size].reshape(n_batches, size)
            others = rng.randint(size, size=(n_batches, self.negative_sample_rate, size))
            return graph.row[drawn], graph.col[drawn], others.astype(np.int32)

        held_out = np.flatnonzero(~inside)
        trained = train(
            glorot(layers, self.activation, rng),
            cross_entropy,
            (
                self._fit_scaling(data, self.input_scaling),
                np.array(curve(self.min_dist), np.float32),
            ),
            lambda epoch: deal(np.flatnonzero(inside)),
            deal(held_out) if len(held_out) else None,
            self._optimizer(),
            self._stopping(),
        )
        self._keep(trained, trained.model)
        return self


def fuzzy_graph(X: NDArray, n_neighbors: int) -> csr_matrix:
    """Return umap-learn's fuzzy graph over exact nearest neighbors.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    n_neighbors : int
        Number of neighbors, the point itself counted.

    Returns
    -------
    csr_matrix of shape (n_samples, n_samples)
        Symmetric weights in (0, 1].
    """
    from sklearn.neighbors import NearestNeighbors

    umap_ = _umap_learn()
    distances, indices = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors(X)
    graph, _, _ = umap_.fuzzy_simplicial_set(
        X, n_neighbors, None, "euclidean", knn_indices=indices, knn_dists=distances
    )
    return graph.tocsr()


def curve(min_dist: float) -> tuple[float, float]:
    """Return umap-learn's a and b for a smallest distance, with spread 1.

    Parameters
    ----------
    min_dist : float
        Distance up to which similarity is to be 1.

    Returns
    -------
    tuple of float
        a and b.

    Examples
    --------
    >>> a, b = curve(0.1)
    >>> round(a, 3), round(b, 3)
    (1.577, 0.895)
    """
    a, b = _umap_learn().find_ab_params(1.0, min_dist)
    return float(a), float(b)


def _umap_learn() -> Any:
    with warnings.catch_warnings():
        # That its networks need TensorFlow, which is not used here.
        warnings.simplefilter("ignore", ImportWarning)
        from umap import umap_
    return umap_


def draw(weights: NDArray, n_draws: int, rng: np.random.RandomState) -> NDArray:
    """Draw positions with probabilities proportional to weights, with replacement.

    Parameters
    ----------
    weights : ndarray of shape (n,)
        Weights.
    n_draws : int
        How many.
    rng : RandomState
        Source of randomness.

    Returns
    -------
    ndarray of shape (n_draws,)
        Positions.

    Examples
    --------
    >>> draw(np.array([0.0, 2.0, 0.0]), 3, np.random.RandomState(0)).tolist()
    [1, 1, 1]
    """
    total = np.cumsum(weights, dtype=np.float64)
    return np.searchsorted(total, rng.uniform(0, total[-1], n_draws), side="right")


def cross_entropy(
    network: Callable, data: tuple[Array, Array], batch: tuple[Array, Array, Array]
) -> Array:
    """Mean cross entropy over a batch's edges and the pairs that stand for no edge.

    Parameters
    ----------
    network : callable
        From rows of `X` to an embedding.
    data : tuple of arrays
        `X` (n_samples, n_features), and a and b (2,) of q = 1 / (1 + a d^2b).
    batch : tuple of arrays
        Heads (size,), tails (size,) and for each head the places (n_pairs, size) among the tails
        of what it is paired with.

    Returns
    -------
    array of shape ()
        The loss in nats. As in umap-learn's repulsion 0.001 is added to squared distances.
    """
    import jax.numpy as jnp

    X, (a, b) = data
    heads, tails, others = batch
    head, tail = jnp.split(network(X[jnp.concatenate([heads, tails])]), 2)

    def log_odds(Y: Array) -> Array:
        """Logarithm of a d^2b, which is (1 - q) / q."""
        return jnp.log(a) + b * jnp.log(jnp.sum((head - Y) ** 2, axis=-1) + SOFTENING)

    attraction = jnp.sum(jnp.logaddexp(0.0, log_odds(tail)))
    repulsion = jnp.sum(jnp.logaddexp(0.0, -log_odds(tail[others])))
    return (attraction + repulsion) / (len(heads) + others.size)
