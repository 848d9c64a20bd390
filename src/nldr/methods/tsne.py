"""t-SNE: openTSNE as a scikit-learn estimator, in any number of dimensions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from hashlib import blake2b
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from openTSNE import TSNE as OpenTSNE
from scipy.sparse import csr_matrix
from scipy.special import xlogy
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

EXACT_UP_TO = 5000
BLOCK_ROWS = 64
TRANSFORM_PERPLEXITY = 5.0


class TSNE(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """t-distributed stochastic neighbor embedding, optimized by openTSNE.

    Affinities over exact nearest neighbors, the first principal components as the start,
    early exaggeration 12 for 250 steps, then `n_iter` plain steps. The similarity in the
    embedding is Student's t with ``max(n_components - 1, 1)`` degrees of freedom, as van der
    Maaten (2009) advises and scikit-learn does; in one and two dimensions that is the usual
    Cauchy kernel.

    The repulsive forces are openTSNE's Barnes-Hut or interpolated ones in one and two
    dimensions, and Barnes-Hut for more than 5000 points in three. All else is computed exactly,
    by matrix products: openTSNE has nothing for more than three dimensions, and up to that many
    points in three the exact forces are the faster ones.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    perplexity : float, default=30.0
        Effective number of neighbors of a point, at least 1. It is lowered, with a warning, to
        ``(n_samples - 1) / 3`` where it exceeds that.
    n_iter : int, default=500
        Steps after the 250 of early exaggeration.
    learning_rate : float or "auto", default="auto"
        Step size; ``"auto"`` is openTSNE's, the number of points over the exaggeration. As there
        and in the original, the gradient lacks its factor of 4, so that 200 here is 50 in
        scikit-learn.
    n_jobs : int, default=1
        Threads; -1 for all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of the jitter of the start. With an integer two fits give the same embedding.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows, in the middle of its bounding box at the origin.
    kl_divergence_ : float
        Kullback-Leibler divergence of the embedding's similarities from the affinities, in nats.
    perplexity_ : float
        The perplexity used.
    tsne_ : openTSNE.TSNEEmbedding
        The embedding with all that openTSNE offers: affinities, further optimization.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Warns
    -----
    UserWarning
        If `perplexity` is lowered.

    Notes
    -----
    openTSNE writes the kernel as (1 + d²/α)^-α. With α = (ν + 1)/2 that is Student's t with ν
    degrees of freedom of an embedding that is √(α/ν) times larger.

    References
    ----------
    L. van der Maaten and G. Hinton, "Visualizing data using t-SNE", JMLR 9, 2008.
    L. van der Maaten, "Learning a parametric embedding by preserving local structure",
    AISTATS 2009, on the degrees of freedom.
    P. Poličar, M. Stražar and B. Zupan, "openTSNE", J. Stat. Software 109, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((40, 5))
    >>> X[:20] += 100
    >>> embedding = TSNE(perplexity=5, random_state=0).fit_transform(X)
    >>> embedding.shape
    (40, 2)
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "perplexity": [Interval(Real, 0, None, closed="neither")],
        "n_iter": [Interval(Integral, 0, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "n_jobs": [Integral],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        perplexity: float = 30.0,
        n_iter: int = 500,
        learning_rate: float | str = "auto",
        n_jobs: int = 1,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.perplexity = perplexity
        self.n_iter = n_iter
        self.learning_rate = learning_rate
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> TSNE:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, at least four rows, so that a perplexity of 1 is possible.
        y : None
            Not used.

        Returns
        -------
        TSNE
            The fitted estimator.

        Raises
        ------
        ValueError
            If `perplexity` is below 1 or all rows are equal.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=4)
        n_samples = len(data)
        if self.perplexity < 1:
            raise ValueError(f"perplexity={self.perplexity:g} must be at least 1, one neighbor")
        if np.all(data == data[0]):
            raise ValueError(f"all {n_samples} rows of X are equal: there is nothing to embed")
        most = (n_samples - 1) / 3
        if self.perplexity > most:
            warnings.warn(
                f"perplexity={self.perplexity:g} is too high for {n_samples} samples, {most:g} "
                "is used",
                UserWarning,
                stacklevel=3,
            )
        self.perplexity_ = min(float(self.perplexity), most)
        embedding = OpenTSNE(
            n_components=self.n_components,
            perplexity=self.perplexity_,
            n_iter=self.n_iter,
            learning_rate=self.learning_rate,
            n_jobs=self.n_jobs,
            random_state=check_random_state(self.random_state).randint(np.iinfo(np.int32).max),
            dof=(max(self.n_components - 1, 1) + 1) / 2,
            neighbors="exact",
            initialization="pca" if self.n_components <= min(data.shape) else "random",
            negative_gradient_method=_gradient_method(n_samples, self.n_components),
        ).fit(data)
        # openTSNE's transform moves the embedding to this place; do so before it is handed out.
        embedding -= (embedding.max(axis=0) + embedding.min(axis=0)) / 2
        self.tsne_ = embedding
        self.embedding_ = np.array(embedding)
        self.kl_divergence_ = float(embedding.kl_divergence)
        self._places = {_digest(row): i for i, row in enumerate(data)}
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Embed the rows of `X` and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, at least four rows.
        y : None
            Not used.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The embedding.
        """
        return self.fit(X).embedding_

    def transform(self, X: ArrayLike) -> NDArray:
        """Add rows to the embedding without moving what is there.

        Each new point starts at the median of its neighbors and is optimized against the
        training points alone (openTSNE's ``transform``, perplexity 5). A row equal to a training
        row gets that row's place, of several such rows the last one's.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            Observations.

        Returns
        -------
        ndarray of shape (n_points, n_components)
            Their places.
        """
        check_is_fitted(self)
        data: NDArray = validate_data(self, X, dtype=np.float64, reset=False)
        places = np.array([self._places.get(_digest(row), -1) for row in data])
        result = self.embedding_[places]
        new = places < 0
        if new.any():
            perplexity = min(TRANSFORM_PERPLEXITY, self.perplexity_)
            result[new] = self.tsne_.transform(data[new], perplexity=perplexity)
        return result

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def _digest(row: NDArray) -> bytes:
    """Sixteen bytes that stand for the values of a row."""
    return blake2b(row.tobytes(), digest_size=16).digest()


def _gradient_method(n_samples: int, n_components: int) -> str | Callable:
    """Return what computes the gradient, as openTSNE takes it."""
    if n_components < 3:
        return "auto"
    if n_components == 3 and n_samples > EXACT_UP_TO:
        return "bh"
    return exact_gradient


def exact_gradient(
    embedding: NDArray,
    P: csr_matrix,
    dof: float,
    reference_embedding: NDArray | None = None,
    should_eval_error: bool = False,
    **_: Any,
) -> tuple[float, NDArray]:
    """KL divergence and a quarter of its gradient, without approximation, in any dimension.

    An objective in openTSNE's form. With kernel k = w^α, w = 1 / (1 + d²/α) and
    similarities q = k / Σk, the gradient at point i is 4 Σ_j (p_ij − q_ij) w_ij (y_i − y_j).

    Parameters
    ----------
    embedding : ndarray of shape (n_points, n_components)
        The points to be moved.
    P : csr_matrix of shape (n_points, n_reference)
        Affinities.
    dof : float
        α of the kernel.
    reference_embedding : ndarray of shape (n_reference, n_components), optional
        Fixed points that act upon the others, each row of q summing to 1; without it the points
        act upon each other, all of q summing to 1.
    should_eval_error : bool
        Whether the divergence is wanted; else it is 0.

    Returns
    -------
    divergence : float
        Kullback-Leibler divergence; against fixed points, with q as if it summed to 1, as
        openTSNE reports it.
    gradient : ndarray of shape (n_points, n_components)
        A quarter of the gradient, the scale that openTSNE steps along.
    """
    alone = reference_embedding is None
    points = np.asarray(embedding)
    reference = points if alone else np.asarray(reference_embedding)
    extended = np.column_stack([reference, np.ones(len(reference))])
    scaled = reference.T * (-2.0 / dof)
    squared = 1 + np.sum(reference**2, axis=1) / dof

    def force(weights: NDArray, block: slice) -> NDArray:
        """Σ_j weights_ij (y_i − y_j) for the points of a block."""
        sums = weights @ extended
        return sums[:, -1:] * points[block] - sums[:, :-1]

    attraction, repulsion = np.empty_like(points), np.empty_like(points)
    totals = np.empty((len(points), 1))
    divergence = 0.0
    for block in gen_batches(len(points), BLOCK_ROWS):
        w = points[block] @ scaled
        w += squared
        w += np.sum(points[block] ** 2, axis=1, keepdims=True) / dof
        np.divide(1.0, w, out=w)
        k = w**dof
        p = P[block].toarray()
        if should_eval_error:
            divergence += float(np.sum(xlogy(p, p) - p * np.log(k)))
        totals[block] = k.sum(axis=1, keepdims=True) - alone
        p *= w
        attraction[block] = force(p, block)
        k *= w
        repulsion[block] = force(k, block)
    if should_eval_error:
        divergence += float(P.sum() * np.log(totals.sum()))
    repulsion /= totals.sum() if alone else totals
    return divergence, attraction - repulsion
