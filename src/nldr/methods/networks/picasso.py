"""Picasso: an autoencoder whose codes are forced into the shape of an elephant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from nldr.methods._docs import inherit_docs
from nldr.methods.networks._estimator import NETWORK_CONSTRAINTS, NetworkEmbedding
from nldr.validation import Interval

if TYPE_CHECKING:
    from jax import Array

    from nldr.methods.networks._network import Network
    from nldr.methods.networks._training import TrainingResult


@inherit_docs(NetworkEmbedding)
@dataclass(eq=False, repr=False, kw_only=True)
class Picasso(NetworkEmbedding):
    """An autoencoder with a linear decoder, whose codes are drawn to the outline of an elephant.

    It was proposed as a caricature: if a map in an arbitrary shape scores as well as other maps,
    then the score, or the maps, mean little. The loss of a batch is a sum of distances from codes
    to points of the shape, to which they are matched one to one, and of the Frobenius norm of the
    errors of the reconstructed rows.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding; those after the second are 0 in the shape.
    fraction : float, default=0.1
        Weight of the distances to the shape, in [0, 1]; the errors have the rest.
    hidden : sequence of int, default=(128,)
        Number of units of each hidden layer of the encoder.
    activation, input_scaling, batch_size, optimizer, learning_rate, n_epochs, validation_fraction
    tol, n_iter_no_change, random_state

    Attributes
    ----------
    embedding_, network_, loss_, validation_loss_, n_epochs_, n_steps_, stop_reason_, input_center_
    input_scale_

    Notes
    -----
    The released network also has batch normalization, dropout and weight decay, and its weight is
    0.8, for data and a shape in other units.

    References
    ----------
    T. Chari and L. Pachter, "The specious art of single-cell genomics", PLOS Computational Biology
    19, 2023. Outline: J. Mayer, K. Khairy and J. Howard, "Drawing an elephant with four complex
    parameters", American Journal of Physics 78, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Picasso(n_epochs=5, random_state=0).fit_transform(X).shape
    (60, 2)
    """

    _parameter_constraints: ClassVar[dict] = NETWORK_CONSTRAINTS | {
        "fraction": [Interval(Real, 0, 1, closed="both")]
    }

    fraction: float = 0.1
    hidden: Sequence[int] = (128,)
    activation: str = "relu"
    input_scaling: str = "global"
    batch_size: int = 128
    n_epochs: int = 500
    validation_fraction: float = 0.0

    def _fit_network(
        self, data: NDArray, layer_sizes: list[int], rng: np.random.RandomState
    ) -> tuple[TrainingResult, Network]:
        from nldr.methods.networks._network import glorot
        from nldr.methods.networks._training import equal_batches

        encoder = glorot(layer_sizes, self.activation, rng)
        decoder = glorot([self.n_components, data.shape[1]], "identity", rng)
        training, validation = self._split_rows(len(data), rng)
        shape = np.zeros((len(data), self.n_components), np.float32)
        shape[:, :2] = outline(len(data))[:, : self.n_components]

        def make_batches(rows: NDArray) -> tuple[NDArray, NDArray]:
            batches = equal_batches(rows, self.batch_size, rng)
            return batches, np.full(len(batches), self.fraction, np.float32)

        scaled = self._fit_scaling(data, self.input_scaling), shape
        result = self._train(
            (encoder, decoder), shape_loss, scaled, make_batches, training, validation
        )
        return result, result.model[0]


def outline(n_points: int) -> NDArray:
    """Return points of the elephant's outline that are evenly spaced along it.

    They have mean 0 and mean square radius 1.

    Examples
    --------
    >>> outline(100).shape
    (100, 2)
    """
    t = np.linspace(0, 2 * np.pi, 5000)
    x = -60 * np.cos(t) - 30 * np.sin(t) + 8 * np.sin(2 * t) - 10 * np.sin(3 * t)
    y = -50 * np.sin(t) - 18 * np.sin(2 * t) - 12 * np.cos(3 * t) + 14 * np.cos(5 * t)
    curve = np.column_stack([x, y])
    length = np.append(0, np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1)))
    places = np.arange(n_points) * length[-1] / n_points
    points = np.column_stack([np.interp(places, length, column) for column in curve.T])
    points -= points.mean(axis=0)
    return points / np.sqrt(np.mean(np.sum(points**2, axis=1)))


def shape_loss(
    model: tuple[Callable, Callable], data: tuple[Array, Array], batch: tuple[Array, Array]
) -> Array:
    """Return the loss of a batch: distances to the shape and errors of reconstruction.

    The data are rows, and points of the shape (n_points, n_components); a batch has row numbers
    (size,) and the weight of the distances.
    """
    import jax
    import jax.numpy as jnp

    (encoder, decoder), (X, shape), (numbers, fraction) = model, data, batch
    rows = X[numbers]
    codes = encoder(rows)
    # Match each code with a point of the shape of its own, such that distances are least
    squares = jnp.sum((codes[:, jnp.newaxis] - shape) ** 2, axis=2)
    matches = jax.pure_callback(
        _match,
        jax.ShapeDtypeStruct(numbers.shape, jnp.int32),
        jax.lax.stop_gradient(jnp.sqrt(squares)),
    )
    distances = jnp.sqrt(squares[jnp.arange(len(rows)), matches] + 1e-12)
    errors = jnp.sqrt(jnp.sum((decoder(codes) - rows) ** 2))
    return fraction * jnp.sum(distances) + (1 - fraction) * errors


def _match(distances: Array) -> NDArray:
    """Return the column of each row in an assignment with the least sum."""
    return linear_sum_assignment(np.asarray(distances))[1].astype(np.int32)
