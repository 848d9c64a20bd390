"""Control embeddings: random coordinates, the true latent, and damaged copies of it.

They show the range of a metric: any useful method should score better than random coordinates, the
true latent is the best possible embedding, and scores should get worse with the amount of damage.
"""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.decomposition import PCA
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import validate_data

from nldr.methods._base import Embedder
from nldr.validation import Interval, StrOptions, fit_context


class RandomEmbedding(Embedder):
    """Standard normal coordinates that do not depend on the data.

    Any useful method should score better.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    random_state : int, RandomState instance or None, default=None
        Seed of the coordinates.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Random coordinates.

    Examples
    --------
    >>> RandomEmbedding(random_state=0).fit_transform([[1.0], [2.0], [3.0]]).shape
    (3, 2)
    """

    _min_samples = 1

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def _fit(self, data: NDArray) -> None:
        random_state = check_random_state(self.random_state)
        self.embedding_ = random_state.standard_normal((len(data), self.n_components))


class TwoPoints(Embedder):
    """Two positions, each with a random half of the points, that do not depend on the data.

    Any useful metric should rate it as badly as random coordinates.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    random_state : int, RandomState instance or None, default=None
        Seed of the halves.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates: 0 or 1 in the first dimension, and 0 in the others.

    Examples
    --------
    >>> TwoPoints(random_state=0).fit_transform(np.zeros((4, 3))).sum(axis=0)
    array([2., 0.])
    """

    _min_samples = 1

    _parameter_constraints: dict = RandomEmbedding._parameter_constraints

    def __init__(
        self,
        n_components: int = 2,
        *,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def _fit(self, data: NDArray) -> None:
        # A random half of the points is moved along the first axis
        random_state = check_random_state(self.random_state)
        self.embedding_ = np.zeros((len(data), self.n_components))
        self.embedding_[random_state.permutation(len(data))[: len(data) // 2], 0] = 1.0


class Oracle(Embedder):
    """The true latent, passed as `y`: the best possible embedding.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the embedding; None for the dimension of the latent. If it is lower than that,
        the embedding consists of the first principal components of the latent.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Latent or its principal components.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.arange(6.0).reshape(3, 2)
    >>> Oracle().fit_transform(np.zeros((3, 9)), Z)
    array([[0., 1.],
           [2., 3.],
           [4., 5.]])
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(self, n_components: int | None = None) -> None:
        self.n_components = n_components

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Oracle:
        """Store the latent as the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations; only their number counts.
        y : array-like of shape (n_samples, n_latent) or (n_samples,)
            True latent.

        Returns
        -------
        Oracle
            The fitted estimator.

        Raises
        ------
        ValueError
            If `n_components` exceeds ``n_latent``, or if it is less than ``n_latent`` but exceeds
            ``n_samples``.
        """
        latent = validate_data(self, X, y, multi_output=True, y_numeric=True)[1]

        latent = latent.reshape(len(latent), -1)
        n_latent = latent.shape[1]
        n_components = n_latent if self.n_components is None else self.n_components
        if n_components > n_latent:
            raise ValueError(
                f"n_components={n_components} is too high: the latent has {n_latent} dimensions"
            )

        if n_components < n_latent:
            latent = PCA(n_components, svd_solver="full").fit_transform(latent)
        self.embedding_ = self._damage(np.array(latent, dtype=np.float64))
        return self

    def _damage(self, Z: NDArray) -> NDArray:
        """Return the embedding; a subclass may change a copy of the latent."""
        return Z

    def __sklearn_tags__(self) -> Tags:
        """Declare that `y` is required and may have several columns."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.two_d_labels = True
        return tags


class DamagedOracle(Oracle):
    """The true latent with one kind of damage, to test how metrics respond to it.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the embedding, as for :class:`Oracle`.
    damage : {"noise", "shuffle", "squash"}, default="noise"
        Kind of damage. ``"noise"`` adds Gaussian noise with a standard deviation of `amount` times
        that of each coordinate. ``"shuffle"`` permutes the fraction `amount` of the points, chosen
        at random. ``"squash"`` shrinks the last coordinate to ``1 - amount`` of its extent.
    amount : float in [0, 1], default=0.0
        Amount of damage: 0 leaves the latent unchanged. At 1, the noise is as large as the signal,
        all points are permuted, or the last coordinate is constant.
    random_state : int, RandomState instance or None, default=None
        Seed of noise and permutation. With the same seed, a larger amount affects the points that a
        smaller amount affects, and others.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Damaged latent.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.arange(6.0).reshape(3, 2)
    >>> DamagedOracle(damage="squash", amount=0.5).fit_transform(np.zeros((3, 9)), Z)
    array([[0., 2.],
           [2., 3.],
           [4., 4.]])
    """

    _parameter_constraints: dict = {
        **Oracle._parameter_constraints,
        "damage": [StrOptions({"noise", "shuffle", "squash"})],
        "amount": [Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        damage: str = "noise",
        amount: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_components)
        self.damage = damage
        self.amount = amount
        self.random_state = random_state

    def _damage(self, Z: NDArray) -> NDArray:
        random_state = check_random_state(self.random_state)

        if self.damage == "noise":
            noise = random_state.standard_normal(Z.shape)
            return Z + self.amount * Z.std(axis=0) * noise
        if self.damage == "shuffle":
            # Cyclic permutation of the chosen points
            moved = random_state.permutation(len(Z))[: round(self.amount * len(Z))]
            Z[moved] = Z[np.roll(moved, 1)]
        else:
            # Shrink the last coordinate toward its mean
            center = Z[:, -1].mean()
            Z[:, -1] = center + (1 - self.amount) * (Z[:, -1] - center)
        return Z
