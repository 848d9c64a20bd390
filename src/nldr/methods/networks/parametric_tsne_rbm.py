"""Parametric t-SNE as first proposed, with layers pre-trained as restricted Boltzmann machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from nldr.methods._docs import inherit_docs
from nldr.methods.networks._estimator import TRAINING_CONSTRAINTS, NetworkEmbedding
from nldr.methods.networks._tsne_objective import (
    affinities,
    feasible_perplexity,
    kl_loss,
    sub_affinities,
)
from nldr.validation import Interval, StrOptions

if TYPE_CHECKING:
    from nldr.methods.networks._network import Network
    from nldr.methods.networks._training import TrainingResult

# Share of the variance of binary data from which on visible units are binary
BINARY_SHARE = 0.4


@inherit_docs(NetworkEmbedding)
@dataclass(eq=False, repr=False, kw_only=True)
class ParametricTSNERBM(NetworkEmbedding):
    """Parametric t-SNE with layers pre-trained as Boltzmann machines (van der Maaten).

    Sigmoid layers are trained one after the other by one-step contrastive divergence; the last
    layer is linear. The whole network is then trained on the divergence of t-SNE within batches,
    without exaggeration; losses, epochs and steps count from here. The similarity is Student's t
    with ``max(n_components - 1, 1)`` degrees of freedom.

    Visible units are binary for data that are nearly binary, such as images of digits, and
    Gaussian with variance 1 for others. Binary units see the data scaled so that their overall
    range is [0, 1], Gaussian ones see standardized features.

    Unlike in the paper, the optimizer is Adam instead of conjugate gradients, and the affinities
    within a batch are those of the whole training set.

    Parameters
    ----------
    n_components
    perplexity : float, default=30.0
        Effective number of neighbors of a point, at least 1. It is lowered, with a warning, to
        ``(n_samples - 1) / 3`` if it is larger.
    hidden
    visible : {"auto", "binary", "gaussian"}, default="auto"
        Visible units of the first machine. ``"auto"`` chooses binary ones if the variance of the
        data, scaled to [0, 1], is at least 0.4 of that of binary data with the same means.
    pretrain_epochs : int, default=30
        Number of passes over the training rows for each layer; with 0 the network starts from
        small random weights.
    pretrain_batch_size : int, default=100
        Maximum number of rows per batch of the pre-training.
    pretrain_learning_rate : float, default=0.1
        Step size of the pre-training; machines with Gaussian units, which include the last one, use
        a hundredth of it.
    batch_size : int, default=1000
        Maximum number of rows per batch of t-SNE.
    optimizer, learning_rate
    n_epochs : int, default=200
        Maximum number of passes over the training rows, without the pre-training.
    validation_fraction, tol, n_iter_no_change
    n_jobs : int, default=1
        Number of threads of the neighbor search; -1 for all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of everything that is drawn. With an integer, two fits give the same network.
    verbose

    Attributes
    ----------
    embedding_, network_
    perplexity_ : float
        The perplexity used.
    visible_ : {"binary", "gaussian"}
        The visible units used.
    free_energy_gap_ : float
        Mean free energy in the first machine of training rows whose features are permuted
        independently, minus that of the training rows, in nats. 0 means that it has learned no
        dependence between features.
    loss_, validation_loss_, n_epochs_, n_steps_, stop_reason_, input_center_, input_scale_

    Warns
    -----
    UserWarning
        If `perplexity` is lowered.

    References
    ----------
    L. van der Maaten, "Learning a parametric embedding by preserving local structure",
    AISTATS 2009. Gaussian visible units: G. Hinton, "A practical guide to training restricted
    Boltzmann machines", 2010, §13.2.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> X[:30] += 10
    >>> model = ParametricTSNERBM(perplexity=5, hidden=(8,), n_epochs=5, random_state=0)
    >>> model.fit(X[::2]).transform(X[1::2]).shape
    (30, 2)
    """

    _min_samples = 4  # a perplexity of 1 needs three neighbors
    _parameter_constraints: ClassVar[dict] = TRAINING_CONSTRAINTS | {
        "perplexity": [Interval(Real, 0, None, closed="neither")],
        "visible": [StrOptions({"auto", "binary", "gaussian"})],
        "pretrain_epochs": [Interval(Integral, 0, None, closed="left")],
        "pretrain_batch_size": [Interval(Integral, 1, None, closed="left")],
        "pretrain_learning_rate": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [Integral],
    }

    perplexity: float = 30.0
    hidden: Sequence[int] = (500, 500, 2000)
    visible: str = "auto"
    pretrain_epochs: int = 30
    pretrain_batch_size: int = 100
    pretrain_learning_rate: float = 0.1
    batch_size: int = 1000
    n_jobs: int = 1

    def _fit_network(
        self, data: NDArray, layer_sizes: list[int], rng: np.random.RandomState
    ) -> tuple[TrainingResult, Network]:
        from nldr.methods.networks._network import Network
        from nldr.methods.networks._rbm import Units, free_energy_gap, train_stack
        from nldr.methods.networks._training import equal_batches

        # Affinities of all rows; input scaled as the visible units need it
        self.perplexity_ = feasible_perplexity(data, self.perplexity)
        P = affinities(data, self.perplexity_, self.n_jobs)
        self.visible_ = visible_units(data) if self.visible == "auto" else self.visible
        gaussian = self.visible_ == "gaussian"
        scaled = self._fit_scaling(data, "features" if gaussian else "range")

        # Pre-training of one layer after the other
        training, validation = self._split_rows(len(data), rng)
        machines = train_stack(
            scaled[training],
            layer_sizes[1:],
            rng,
            gaussian=gaussian,
            n_epochs=self.pretrain_epochs,
            batch_size=self.pretrain_batch_size,
            learning_rate=self.pretrain_learning_rate,
        )
        first = Units(gaussian, len(machines) == 1)
        self.free_energy_gap_ = free_energy_gap(machines[0], scaled[training], first, rng)
        network = Network([m.weights for m in machines], [m.hidden for m in machines], "sigmoid")

        # Training of the whole network on the divergence of t-SNE
        def make_batches(rows: NDArray) -> tuple[NDArray, NDArray, NDArray]:
            batches = equal_batches(rows, self.batch_size, rng)
            return batches, sub_affinities(P, batches), np.ones(len(batches), np.float32)

        result = self._train(network, kl_loss, scaled, make_batches, training, validation)
        return result, result.model


def visible_units(X: NDArray) -> str:
    """Return which visible units suit data: binary ones for data that are nearly binary.

    That is if, after scaling to [0, 1], the sum of the variances of the features is at least 0.4 of
    that of binary data with the same means, Σ m (1 - m).

    Examples
    --------
    >>> visible_units(np.eye(4)), visible_units(np.c_[[0.0, 4.0, 5.0, 5.0, 5.0, 5.0, 9.0]])
    ('binary', 'gaussian')
    """
    scaled = (X - X.min()) / np.ptp(X)
    means = scaled.mean(axis=0)
    binary = scaled.var(axis=0).sum() >= BINARY_SHARE * np.sum(means * (1 - means))
    return "binary" if binary else "gaussian"
