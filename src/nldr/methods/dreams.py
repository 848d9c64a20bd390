"""DREAMS: t-SNE that is pulled to the principal components."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from openTSNE import TSNE as OpenTSNE
from openTSNE.tsne import kl_divergence_bh, kl_divergence_fft
from sklearn.decomposition import PCA
from sklearn.utils import check_random_state

from nldr.methods._docs import inherit_docs
from nldr.methods._rows import TrainingRows
from nldr.methods.tsne import EXACT_UP_TO, TSNE, exact_gradient, progress_options
from nldr.validation import Interval

BARNES_HUT_UP_TO = 10_000  # points, as in openTSNE


@inherit_docs(TSNE)
class DREAMS(TSNE):
    """Dimensionality reduction enhanced across multiple scales: t-SNE with a pull to PCA.

    The loss is that of t-SNE and the distance to the principal components::

        (1 − λ) KL(P ‖ Q) + λ/n ‖Y − α Y_PCA‖²,    α = ‖Y‖ / ‖Y_PCA‖

    with λ = `strength`. The scale α follows the embedding: it is computed anew in each iteration
    and taken as a constant in the gradient, as in the authors' experiments.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples`` and ``n_features``.
    strength : float, default=0.02
        Weight λ between 0, t-SNE, and 1, PCA.
    perplexity, n_iter, learning_rate, n_jobs, random_state, verbose

    Attributes
    ----------
    embedding_
    kl_divergence_ : float
        Kullback-Leibler divergence between affinities and similarities in the embedding, in nats,
        without the pull.
    perplexity_, tsne_

    Raises
    ------
    ValueError
        If `perplexity` is below 1, `n_components` is too high or all rows are equal.

    Warns
    -----
    UserWarning
        If `perplexity` is reduced.

    Notes
    -----
    The steps of the authors' code do not follow this loss: the pull has neither momentum nor gains,
    as the gradient of t-SNE has, and is scaled once more by λ. Equal λ pull much less there, for
    which the paper recommends 0.15; the default here is smaller accordingly.

    New rows are placed as by t-SNE, without the pull.

    References
    ----------
    N. Kury, D. Kobak and S. Damrich, "DREAMS: Preserving both local and global structure in
    dimensionality reduction", arXiv 2508.13747, 2025.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((40, 5))
    >>> DREAMS(perplexity=5, n_iter=50, random_state=0).fit_transform(X).shape
    (40, 2)
    """

    _parameter_constraints: dict = {
        **TSNE._parameter_constraints,
        "strength": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        strength: float = 0.02,
        perplexity: float = 30.0,
        n_iter: int = 500,
        learning_rate: float | str = "auto",
        n_jobs: int = 1,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(
            n_components,
            perplexity=perplexity,
            n_iter=n_iter,
            learning_rate=learning_rate,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.strength = strength

    def _fit(self, data: NDArray) -> None:
        n_samples = len(data)
        if self.perplexity < 1:
            raise ValueError(f"perplexity={self.perplexity:g} is too low: it must be at least 1")
        if self.n_components > min(data.shape):
            raise ValueError(
                f"n_components={self.n_components} is too high for {n_samples} samples and "
                f"{data.shape[1]} features: there are not as many principal components"
            )
        if np.all(data == data[0]):
            raise ValueError(f"all {n_samples} rows of X are equal: there is nothing to embed")

        # Affinities need 3 × perplexity neighbors of each point
        highest = (n_samples - 1) / 3
        if self.perplexity > highest:
            warnings.warn(
                f"perplexity={self.perplexity:g} is too high for {n_samples} samples: {highest:g} "
                "is used",
                UserWarning,
                stacklevel=4,
            )
        self.perplexity_ = min(float(self.perplexity), highest)

        reference = PCA(self.n_components, svd_solver="full").fit_transform(data)
        name, divergence = _divergence(n_samples, self.n_components)
        embedding = OpenTSNE(
            n_components=self.n_components,
            perplexity=self.perplexity_,
            n_iter=self.n_iter,
            learning_rate=self.learning_rate,
            n_jobs=self.n_jobs,
            random_state=check_random_state(self.random_state).randint(np.iinfo(np.int32).max),
            dof=(max(self.n_components - 1, 1) + 1) / 2,
            neighbors="exact",
            initialization="pca",
            negative_gradient_method=_pulled(divergence, reference, self.strength),
            **progress_options("DREAMS" if self.verbose else "", self.n_iter),
        ).fit(data)

        # New rows are placed without the pull
        embedding.gradient_descent_params["negative_gradient_method"] = name

        embedding -= (embedding.max(axis=0) + embedding.min(axis=0)) / 2
        self.tsne_ = embedding
        self.embedding_ = np.array(embedding)
        self.kl_divergence_ = float(embedding.kl_divergence)

        self._training_rows = TrainingRows(data)


def _divergence(n_samples: int, n_components: int) -> tuple[str | Callable, Callable]:
    """Return the gradient method that t-SNE chooses, as openTSNE expects it, and its function."""
    if n_components < 3 and n_samples >= BARNES_HUT_UP_TO:
        return "fft", kl_divergence_fft
    if n_components < 3 or (n_components == 3 and n_samples > EXACT_UP_TO):
        return "bh", kl_divergence_bh
    return exact_gradient, exact_gradient


def _pulled(divergence: Callable, reference: NDArray, strength: float) -> Callable:
    """Return the loss as a function that openTSNE accepts; gradients are a quarter, as there."""
    size = np.linalg.norm(reference)

    def loss(embedding: NDArray, P: Any, dof: float, **options: Any) -> tuple[float, NDArray]:
        value, gradient = divergence(embedding, P, dof, **options)
        points = np.asarray(embedding)
        offsets = points - np.linalg.norm(points) / size * reference
        pull = strength / (2 * len(points)) * offsets
        return value, (1 - strength) * np.asarray(gradient) + pull

    return loss
