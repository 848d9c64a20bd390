"""Embedding of rows that arrive in batches: placed by a fitted method, or by a new fit to all."""

from __future__ import annotations

import time
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.manifold import trustworthiness
from sklearn.utils import check_random_state

from nldr.methods._base import Embedder
from nldr.validation import Interval, StrOptions


class Stream(Embedder):
    """Another method, applied to rows that arrive in batches and in random order.

    A method that places new rows is fitted to the first rows; its ``transform`` then embeds each
    batch on its arrival, and the earlier rows keep their coordinates. A method that is refitted
    starts anew on all rows seen so far, from its usual initialization and with the same seed.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    method : {"parametric_tsne", "parametric_umap", "tsne", "umap"}, default="tsne"
        The method.
    update : {"refit", "place"}, default="refit"
        What happens on the arrival of a batch: a new fit to all rows, or a placement of the new
        ones.
    params : dict or None, default=None
        Parameters of the method other than `n_components` and `random_state`.
    n_first : int, default=500
        Number of rows available at the start; all rows if there are fewer.
    batch_size : int, default=250
        Number of rows per batch; the last batch may be smaller.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of arrival and of the method.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of all rows after the last batch, in the order of `X`.
    n_seen_ : ndarray of shape (n_batches,)
        Number of rows seen after each batch.
    drift_ : ndarray of shape (n_batches,)
        Movement of the earlier rows when each batch arrived, see :func:`drift`; 0 where new rows
        are placed, since the earlier ones stay.
    mean_drift_ : float
        Mean of `drift_`; 0 if no batch arrived.
    seconds_per_point_ : ndarray of shape (n_batches,)
        Wall time to embed each batch, a new fit included, divided by its number of rows. For a
        network, the first batch includes compilation.
    trustworthiness_ : ndarray of shape (n_batches,)
        Trustworthiness of all rows seen after each batch, for 7 neighbors, by scikit-learn.
    estimator_ : estimator
        The method after its last fit.

    Raises
    ------
    ValueError
        As the ``fit`` of the method.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> params = {"perplexity": 5, "n_iter": 50}
    >>> model = Stream(params=params, n_first=40, batch_size=10, random_state=0).fit(X)
    >>> model.n_seen_.tolist(), bool((model.drift_ > 0).all())
    ([50.0, 60.0], True)
    """

    _min_samples = 4

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "method": [StrOptions({"parametric_tsne", "parametric_umap", "tsne", "umap"})],
        "update": [StrOptions({"refit", "place"})],
        "params": [dict, None],
        "n_first": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        method: str = "tsne",
        update: str = "refit",
        params: Mapping[str, Any] | None = None,
        n_first: int = 500,
        batch_size: int = 250,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.update = update
        self.params = params
        self.n_first = n_first
        self.batch_size = batch_size
        self.random_state = random_state

    def _fit(self, data: NDArray) -> None:
        rng = check_random_state(self.random_state)
        seed = rng.randint(np.iinfo(np.int32).max)
        order = rng.permutation(len(data))
        data = data[order]

        n_seen = min(self.n_first, len(data))
        self.estimator_ = self._make_estimator(seed)
        coordinates = self.estimator_.fit_transform(data[:n_seen])

        # Embed the batches as they arrive
        history = []
        while n_seen < len(data):
            before, n_before = coordinates, n_seen
            n_seen = min(n_before + self.batch_size, len(data))
            started = time.perf_counter()
            if self.update == "place":
                # The earlier rows keep their coordinates
                new = self.estimator_.transform(data[n_before:n_seen])
                coordinates = np.concatenate([before, new])
            else:
                self.estimator_ = self._make_estimator(seed)
                coordinates = self.estimator_.fit_transform(data[:n_seen])
            seconds = time.perf_counter() - started
            moved = drift(before, coordinates[:n_before])
            trust = _trustworthiness(data[:n_seen], coordinates)
            history.append((n_seen, moved, seconds / (n_seen - n_before), trust))
        columns = np.array(history).reshape(-1, 4).T
        self.n_seen_, self.drift_, self.seconds_per_point_, self.trustworthiness_ = columns
        self.mean_drift_ = float(self.drift_.sum() / max(1, len(self.drift_)))

        self.embedding_ = np.empty((len(data), self.n_components))
        self.embedding_[order] = coordinates

    def _make_estimator(self, seed: int) -> Any:
        method = _import_method(self.method)
        return method(self.n_components, random_state=seed, **(self.params or {}))


def _import_method(method: str) -> Any:
    """Return the class of a method, importing only that one: each import takes seconds."""
    if method == "parametric_tsne":
        from nldr.methods.networks.parametric_tsne import ParametricTSNE

        return ParametricTSNE
    if method == "parametric_umap":
        from nldr.methods.networks.parametric_umap import ParametricUMAP

        return ParametricUMAP
    if method == "umap":
        from nldr.methods.umap import UMAP

        return UMAP
    from nldr.methods.tsne import TSNE

    return TSNE


def _trustworthiness(X: NDArray, embedding: NDArray) -> float:
    """Return the trustworthiness for 7 neighbors, or the largest number that is defined."""
    return trustworthiness(X, embedding, n_neighbors=min(7, (len(X) - 1) // 2))


def drift(before: NDArray, after: NDArray) -> float:
    """Return how far points moved, up to a similarity transform of the whole embedding.

    Parameters
    ----------
    before, after : ndarray of shape (n_points, n_components)
        Coordinates of the same points in two embeddings.

    Returns
    -------
    float
        Root mean square distance between `before` and the similarity transform of `after`
        (rotation, reflection, scaling, translation) that is nearest to it, divided by the root
        mean square distance of `before` from its mean. 0 if nothing moved, 0 up to rounding after
        a similarity transform, at most 1.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> round(drift(square, 3 - 2 * square), 12), drift(square, square[[0, 1, 3, 2]]) > 0.5
    (0.0, True)
    """
    # Equal coordinates need no alignment, and have no rounding errors
    if np.array_equal(before, after):
        return 0.0
    before, after = before - before.mean(axis=0), after - after.mean(axis=0)
    # Rotation, reflection and scaling: orthogonal Procrustes problem
    left, singular, right = np.linalg.svd(after.T @ before)
    fitted = after @ (left @ right) * (singular.sum() / np.sum(after**2))
    return float(np.linalg.norm(before - fitted) / np.linalg.norm(before))
