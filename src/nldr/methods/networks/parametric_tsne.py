"""Parametric t-SNE: a network trained on batches with the objective of t-SNE."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from nldr.methods._docs import inherit_docs
from nldr.methods.networks._estimator import NETWORK_CONSTRAINTS, NetworkEmbedding
from nldr.methods.networks._tsne_objective import (
    affinities,
    feasible_perplexity,
    kl_loss,
    released_loss,
    sub_affinities,
)
from nldr.validation import Interval, StrOptions

if TYPE_CHECKING:
    from nldr.methods.networks._network import Network
    from nldr.methods.networks._training import TrainingResult


@inherit_docs(NetworkEmbedding)
@dataclass(eq=False, repr=False, kw_only=True)
class ParametricTSNE(NetworkEmbedding):
    """A network trained with the objective of t-SNE (Lai et al.).

    Affinities are computed once from the unscaled data, over the nearest neighbors among all
    training rows. The loss of a batch is the Kullback-Leibler divergence of the embedding's
    similarities from the affinities between the rows of the batch, normalized to sum to 1.

    The similarity is Student's t with ``max(n_components - 1, 1)`` degrees of freedom; in one
    and two dimensions that is the usual Cauchy kernel.

    The defaults are those of the paper. The variant of this project, which the catalog calls
    ``parametric_tsne``, has exaggeration throughout, a cosine schedule and no validation rows:
    ``ParametricTSNE(exaggeration=2.0, final_learning_rate=1e-7, validation_fraction=0.0)``.

    Parameters
    ----------
    n_components
    perplexity : float, default=50.0
        Effective number of neighbors of a point, at least 1. It is lowered, with a warning, to
        ``(n_samples - 1) / 3`` if it is larger.
    hidden, activation, input_scaling
    loss : {"kl", "released"}, default="kl"
        ``"kl"`` is the divergence. ``"released"`` is the loss of the authors' code, which does not
        normalize the affinities of a batch and multiplies the whole loss by the exaggeration.
    early_exaggeration : float, default=4.0
        Factor on the affinities in the first `exaggeration_iter` steps or epochs.
    exaggeration_iter : int, default=250
        Duration of early exaggeration.
    exaggeration_unit : {"steps", "epochs"}, default="steps"
        Unit of `exaggeration_iter`. The authors' code counts epochs.
    exaggeration : float, default=1.0
        Factor on the affinities afterwards; above 1, clusters are denser and farther apart.
    batch_size, optimizer, learning_rate
    final_learning_rate : float or None, default=None
        Step size at the end of a cosine schedule over `n_epochs`, 1e-7 in the authors' code;
        None for a constant step size.
    clip : float or None, default=None
        Bound on the absolute value of each entry of the gradient, 4 in the authors' code.
    n_epochs, validation_fraction, tol
    n_iter_no_change : int, default=20
        Training stops after this many epochs without an improvement, counted from the end of early
        exaggeration, and the weights of the best epoch are kept.
    n_jobs : int, default=1
        Number of threads of the neighbor search; -1 for all processors.
    random_state, verbose

    Attributes
    ----------
    embedding_, network_
    perplexity_ : float
        The perplexity used.
    loss_ : ndarray of shape (n_epochs_,)
        Mean batch loss of each epoch, with early exaggeration.
    validation_loss_ : ndarray of shape (n_epochs_,)
        Loss of the validation rows after each epoch, without early exaggeration; empty if there are
        none.
    n_epochs_, n_steps_, stop_reason_, input_center_, input_scale_

    Warns
    -----
    UserWarning
        If `perplexity` is lowered.

    References
    ----------
    C.-H. Lai, M.-F. Kuo, Y.-H. Lien, K.-A. Su and Y.-S. Wang, "Parametric Dimension Reduction by
    Preserving Local Structure", IEEE VIS 2022: Eqs. 2 to 8, §3.3 and §4.4.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> X[:30] += 10
    >>> model = ParametricTSNE(perplexity=5, hidden=(32,), n_epochs=5, random_state=0)
    >>> model.fit(X[::2]).transform(X[1::2]).shape
    (30, 2)
    """

    _min_samples = 4  # a perplexity of 1 needs three neighbors
    _parameter_constraints: ClassVar[dict] = NETWORK_CONSTRAINTS | {
        "perplexity": [Interval(Real, 0, None, closed="neither")],
        "loss": [StrOptions({"kl", "released"})],
        "early_exaggeration": [Interval(Real, 1, None, closed="left")],
        "exaggeration_iter": [Interval(Integral, 0, None, closed="left")],
        "exaggeration_unit": [StrOptions({"steps", "epochs"})],
        "exaggeration": [Interval(Real, 0, None, closed="neither")],
        "final_learning_rate": [None, Interval(Real, 0, None, closed="left")],
        "clip": [None, Interval(Real, 0, None, closed="neither")],
        "n_jobs": [Integral],
    }

    perplexity: float = 50.0
    activation: str = "leaky_relu"
    input_scaling: str = "range"
    loss: str = "kl"
    early_exaggeration: float = 4.0
    exaggeration_iter: int = 250
    exaggeration_unit: str = "steps"
    exaggeration: float = 1.0
    final_learning_rate: float | None = None
    clip: float | None = None
    n_jobs: int = 1

    def _fit_network(
        self, data: NDArray, layer_sizes: list[int], rng: np.random.RandomState
    ) -> tuple[TrainingResult, Network]:
        from nldr.methods.networks._network import glorot
        from nldr.methods.networks._training import equal_batches, train

        # Affinities of all rows, Eq. 2
        self.perplexity_ = feasible_perplexity(data, self.perplexity)
        P = affinities(data, self.perplexity_, self.n_jobs)

        # Duration of early exaggeration in steps
        training, validation = self._split_rows(len(data), rng)
        n_batches = -(-len(training) // self.batch_size)
        per_unit = {"steps": 1, "epochs": n_batches}[self.exaggeration_unit]
        n_exaggerated = self.exaggeration_iter * per_unit

        # Batches: rows, their affinities, and the exaggeration of each step
        def make_batches(epoch: int) -> tuple[NDArray, NDArray, NDArray]:
            rows = equal_batches(training, self.batch_size, rng)
            step = epoch * n_batches + np.arange(n_batches)
            early = step < n_exaggerated
            factor = np.where(early, self.early_exaggeration, self.exaggeration)
            return rows, sub_affinities(P, rows), factor.astype(np.float32)

        # Validation batches, without early exaggeration
        held_out = None
        if len(validation):
            rows = equal_batches(validation, self.batch_size, rng)
            factor = np.full(len(rows), self.exaggeration, np.float32)
            held_out = rows, sub_affinities(P, rows), factor

        # Training; early stopping starts after early exaggeration
        optimizer = self._make_optimizer(
            final_learning_rate=self.final_learning_rate,
            n_steps=0 if self.final_learning_rate is None else self.n_epochs * n_batches,
            clip=self.clip,
        )
        result = train(
            glorot(layer_sizes, self.activation, rng),
            {"kl": kl_loss, "released": released_loss}[self.loss],
            self._fit_scaling(data, self.input_scaling),
            make_batches,
            held_out,
            optimizer,
            self._make_stopping(after_epoch=-(-n_exaggerated // n_batches)),
            self._progress(),
        )
        return result, result.model
