"""t-SNE: openTSNE as a scikit-learn estimator, for embeddings of any dimension."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from openTSNE import TSNE as OpenTSNE
from scipy.sparse import csr_matrix
from scipy.special import xlogy
from sklearn.utils import Tags, check_random_state, gen_batches

from nldr.methods._base import OutOfSampleEmbedder
from nldr.methods._docs import inherit_docs
from nldr.methods._progress import StepProgress
from nldr.methods._rows import TrainingRows
from nldr.validation import Interval, StrOptions

# openTSNE imports it, where it is installed, during the first fit, which is timed
with suppress(ImportError):
    import pynndescent  # noqa: F401

# Number of points up to which the exact gradient is faster than Barnes-Hut in three dimensions.
EXACT_UP_TO = 5000

# Iterations with early exaggeration, the default of openTSNE, and between two calls of progress
EXAGGERATED, CALLBACK_EVERY = 250, 10

# Rows per block of the exact gradient, so that a block fits into the cache.
BLOCK_ROWS = 64

# Perplexity of new points, the default of openTSNE's transform.
TRANSFORM_PERPLEXITY = 5.0


class TSNE(OutOfSampleEmbedder):
    """t-distributed stochastic neighbor embedding, optimized by openTSNE.

    Affinities are computed from exact nearest neighbors. The optimization starts from the first
    principal components and makes 250 iterations with early exaggeration 12, then `n_iter`
    iterations without. Similarities in the embedding follow Student's t distribution with
    ``max(n_components - 1, 1)`` degrees of freedom, as recommended by van der Maaten (2009) and
    done in scikit-learn; in one and two dimensions this is the usual Cauchy kernel.

    Repulsive forces are approximated by openTSNE in one and two dimensions, and in three dimensions
    for more than 5000 points. In all other cases they are computed exactly by matrix products.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    perplexity : float, default=30.0
        Effective number of neighbors of a point, at least 1. Values above
        ``(n_samples - 1) / 3`` are reduced to that, with a warning.
    n_iter : int, default=500
        Number of iterations after the 250 of early exaggeration.
    learning_rate : float or "auto", default="auto"
        Learning rate; ``"auto"`` is that of openTSNE, the number of points divided by the
        exaggeration. As in openTSNE and in the original implementation, the gradient is taken
        without its factor of 4, so that 200 here corresponds to 50 in scikit-learn.
    n_jobs : int, default=1
        Number of threads; -1 for all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of the noise added to the initialization. Repeated fits with the same integer return
        the same embedding.
    verbose : bool, default=False
        Whether the state of the fit is printed every ten seconds: iterations, divergence, time
        left.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows. The center of its bounding box is the origin.
    kl_divergence_ : float
        Kullback-Leibler divergence between affinities and similarities in the embedding, in nats.
    perplexity_ : float
        Perplexity used.
    tsne_ : openTSNE.TSNEEmbedding
        Embedding object of openTSNE, which contains the affinities and can be optimized further.

    Raises
    ------
    ValueError
        If `perplexity` is below 1 or all rows are equal.

    Warns
    -----
    UserWarning
        If `perplexity` is reduced.

    Notes
    -----
    Each new row is initialized at the median of its neighbors in the embedding and optimized with
    the training rows fixed, independently of the other new rows (openTSNE's ``transform``,
    perplexity 5). A row that equals a training row gets its coordinates.

    openTSNE defines the kernel as (1 + d²/α)^-α. With α = (ν + 1)/2, this is Student's t
    distribution with ν degrees of freedom for an embedding that is larger by a factor of √(α/ν).

    References
    ----------
    L. van der Maaten and G. Hinton, "Visualizing data using t-SNE", JMLR 9, 2008.
    L. van der Maaten, "Learning a parametric embedding by preserving local structure",
    AISTATS 2009, for the degrees of freedom.
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

    _min_samples = 4

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "perplexity": [Interval(Real, 0, None, closed="neither")],
        "n_iter": [Interval(Integral, 0, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "n_jobs": [Integral],
        "random_state": ["random_state"],
        "verbose": ["boolean"],
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
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.perplexity = perplexity
        self.n_iter = n_iter
        self.learning_rate = learning_rate
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, data: NDArray) -> None:
        n_samples = len(data)
        if self.perplexity < 1:
            raise ValueError(f"perplexity={self.perplexity:g} is too low: it must be at least 1")
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
            **progress_options("t-SNE" if self.verbose else "", self.n_iter),
        ).fit(data)

        embedding -= (embedding.max(axis=0) + embedding.min(axis=0)) / 2
        self.tsne_ = embedding
        self.embedding_ = np.array(embedding)
        self.kl_divergence_ = float(embedding.kl_divergence)

        self._training_rows = TrainingRows(data)

    def _transform(self, data: NDArray) -> NDArray:
        # Training rows keep their coordinates
        rows = self._training_rows.positions(data)
        coordinates = self.embedding_[rows]

        new = rows < 0
        if new.any():
            perplexity = min(TRANSFORM_PERPLEXITY, self.perplexity_)
            coordinates[new] = self.tsne_.transform(data[new], perplexity=perplexity)
        return coordinates


@inherit_docs(TSNE)
class RefittedTSNE(TSNE):
    """t-SNE whose ``transform`` runs t-SNE anew on the given rows, without the training rows.

    The coordinates of a row then depend on the rows given with it, and have nothing to do with the
    embedding of the training rows. The t-SNE row of Table 1 of Lai et al. shows that.

    Parameters
    ----------
    n_components, perplexity, n_iter, learning_rate, n_jobs, random_state, verbose

    Attributes
    ----------
    embedding_, kl_divergence_, perplexity_, tsne_

    Notes
    -----
    With an integer `random_state`, equal rows in equal order have equal coordinates.

    References
    ----------
    C.-H. Lai, M.-F. Kuo, Y.-H. Lien, K.-A. Su and Y.-S. Wang, "Parametric Dimension Reduction by
    Preserving Local Structure", IEEE VIS 2022: Table 1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> model = RefittedTSNE(perplexity=5, n_iter=50, random_state=0).fit(X[:30])
    >>> alone = TSNE(perplexity=5, n_iter=50, random_state=0).fit_transform(X[30:])
    >>> bool(np.all(model.transform(X[30:]) == alone))
    True
    """

    def _transform(self, data: NDArray) -> NDArray:
        return TSNE(**self.get_params()).fit_transform(data)

    def __sklearn_tags__(self) -> Tags:
        """Declare that coordinates depend on the other rows."""
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags


def progress_options(label: str, n_iter: int) -> dict[str, Any]:
    """Return options of openTSNE that print progress; none without a label."""
    if not label:
        return {}
    progress = StepProgress(label, "iteration", "KL divergence", EXAGGERATED + n_iter)

    def tell(_iteration: int, divergence: float, _embedding: NDArray) -> None:
        progress.advance(CALLBACK_EVERY, divergence)

    return {"callbacks": tell, "callbacks_every_iters": CALLBACK_EVERY}


def _gradient_method(n_samples: int, n_components: int) -> str | Callable:
    """Return the gradient method in the form that openTSNE expects: a name or a function."""
    # openTSNE chooses between Barnes-Hut and interpolation
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
    """Return the KL divergence and a quarter of its gradient, without approximation.

    This is an objective with the signature that openTSNE expects, for any dimension. With the
    kernel k = w^α, w = 1 / (1 + d²/α), and similarities q = k / Σk, the gradient with respect to
    point y_i is 4 Σ_j (p_ij − q_ij) w_ij (y_i − y_j).

    `P` are the affinities (n_points, n_reference), and `dof` is α. With fixed reference points,
    each row of q sums to 1, and to a total of 1 in the divergence, as in openTSNE. The divergence
    is 0 unless `should_eval_error`; further options of openTSNE are ignored.

    Examples
    --------
    Two points attract and repel each other equally, since p = q:

    >>> P = csr_matrix([[0, 0.5], [0.5, 0]])
    >>> divergence, gradient = exact_gradient(np.array([[0.0], [1.0]]), P, 1.0)
    >>> gradient.ravel().tolist()
    [0.0, 0.0]
    """
    # Terms of the squared distances and forces that do not depend on the block
    alone = reference_embedding is None
    points = np.asarray(embedding)
    reference = points if alone else np.asarray(reference_embedding)
    extended = np.column_stack([reference, np.ones(len(reference))])
    cross_term = reference.T * (-2.0 / dof)
    square_term = 1 + np.sum(reference**2, axis=1) / dof

    def force(weights: NDArray, block: slice) -> NDArray:
        """Return Σ_j weights_ij (y_i − y_j) for the points of a block."""
        sums = weights @ extended
        return sums[:, -1:] * points[block] - sums[:, :-1]

    attraction, repulsion = np.empty_like(points), np.empty_like(points)
    totals = np.empty((len(points), 1))
    divergence = 0.0
    for block in gen_batches(len(points), BLOCK_ROWS):
        # w = 1 / (1 + d²/α) and k = w^α
        w = points[block] @ cross_term
        w += square_term
        w += np.sum(points[block] ** 2, axis=1, keepdims=True) / dof
        np.divide(1.0, w, out=w)
        k = w**dof

        # Terms of the divergence; the kernel of a point with itself, 1, is left out of the sum
        p = P[block].toarray()
        if should_eval_error:
            divergence += float(np.sum(xlogy(p, p) - p * np.log(k)))
        totals[block] = k.sum(axis=1, keepdims=True) - alone

        # Forces Σ_j p_ij w_ij (y_i − y_j) and Σ_j k_ij w_ij (y_i − y_j)
        p *= w
        attraction[block] = force(p, block)
        k *= w
        repulsion[block] = force(k, block)

    # Normalization of the similarities
    if should_eval_error:
        divergence += float(P.sum() * np.log(totals.sum()))
    repulsion /= totals.sum() if alone else totals
    return divergence, attraction - repulsion
