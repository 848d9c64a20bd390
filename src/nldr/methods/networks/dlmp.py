"""Deep learning multidimensional projection: a network that learns the embedding of t-SNE."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from nldr.methods._docs import inherit_docs
from nldr.methods.networks._estimator import NETWORK_CONSTRAINTS, NetworkEmbedding
from nldr.validation import Interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax import Array

    from nldr.methods.networks._network import Network
    from nldr.methods.networks._training import TrainingResult

# Steps of early exaggeration, which `n_iter` includes and our t-SNE counts separately
EXAGGERATED_STEPS = 250


@inherit_docs(NetworkEmbedding)
@dataclass(eq=False, repr=False, kw_only=True)
class DLMP(NetworkEmbedding):
    """A network trained by regression on an embedding of t-SNE (Espadoto et al.).

    t-SNE embeds the unscaled training rows. Its embedding is centered and divided by the root of
    its mean variance, and the network minimizes the mean squared error to the result.

    Parameters
    ----------
    n_components
    perplexity : float, default=50.0
        Perplexity of t-SNE, at least 1. It is lowered, with a warning, to
        ``(n_samples - 1) / 3`` if it is larger.
    n_iter : int, default=1000
        Number of steps of t-SNE, including 250 steps of early exaggeration; at least 250.
    hidden, activation, input_scaling
    batch_size, optimizer, learning_rate, n_epochs, validation_fraction, tol, n_iter_no_change
    n_jobs : int, default=1
        Number of threads of t-SNE; -1 for all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of t-SNE, initial weights, validation rows and batches. With an integer, two fits
        give the same network.
    verbose

    Attributes
    ----------
    embedding_, network_
    target_ : ndarray of shape (n_samples, n_components)
        The centered and scaled embedding of t-SNE.
    loss_, validation_loss_, n_epochs_, n_steps_, stop_reason_, input_center_, input_scale_

    Warns
    -----
    UserWarning
        If `perplexity` is lowered.

    References
    ----------
    M. Espadoto, N. Hirata and A. Telea, "Deep learning multidimensional projections",
    Information Visualization 19, 2020. As a baseline: Lai et al., "Parametric Dimension
    Reduction by Preserving Local Structure", IEEE VIS 2022, §4.1 and §4.4.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> X[:30] += 10
    >>> model = DLMP(perplexity=5, hidden=(32,), n_epochs=5, random_state=0)
    >>> model.fit(X[::2]).transform(X[1::2]).shape
    (30, 2)
    """

    _min_samples = 4
    _parameter_constraints: ClassVar[dict] = NETWORK_CONSTRAINTS | {
        "perplexity": [Interval(Real, 0, None, closed="neither")],
        "n_iter": [Interval(Integral, EXAGGERATED_STEPS, None, closed="left")],
        "n_jobs": [Integral],
    }

    perplexity: float = 50.0
    n_iter: int = 1000
    activation: str = "leaky_relu"
    input_scaling: str = "range"
    n_jobs: int = 1

    def _fit_network(
        self, data: NDArray, layer_sizes: list[int], rng: np.random.RandomState
    ) -> tuple[TrainingResult, Network]:
        from nldr.methods.networks._network import glorot
        from nldr.methods.networks._training import equal_batches
        from nldr.methods.tsne import TSNE

        # Target: the embedding of t-SNE, centered, with mean variance 1
        tsne = TSNE(
            self.n_components,
            perplexity=self.perplexity,
            n_iter=self.n_iter - EXAGGERATED_STEPS,
            n_jobs=self.n_jobs,
            random_state=rng.randint(np.iinfo(np.int32).max),
        )
        embedding = tsne.fit_transform(data)
        embedding -= embedding.mean(axis=0)
        self.target_ = embedding / np.sqrt(np.mean(embedding**2))

        training, validation = self._split_rows(len(data), rng)
        result = self._train(
            glorot(layer_sizes, self.activation, rng),
            squared_error,
            (self._fit_scaling(data, self.input_scaling), self.target_.astype(np.float32)),
            lambda rows: equal_batches(rows, self.batch_size, rng),
            training,
            validation,
        )
        return result, result.model


def squared_error(network: Callable, data: tuple[Array, Array], rows: Array) -> Array:
    """Return the mean squared error of a batch of rows; the data are inputs and target outputs."""
    import jax.numpy as jnp

    X, target = data
    return jnp.mean((network(X[rows]) - target[rows]) ** 2)
