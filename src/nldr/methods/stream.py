"""Points that arrive in batches: placed by what was fitted first, or by running all anew."""

from __future__ import annotations

import time
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.manifold import trustworthiness
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data


class Stream(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Another method, on rows that arrive in batches and in random order.

    A network is fitted on the first rows and then places each batch as it comes, without being
    trained further. A method without such a map runs anew, from its usual start and with the same
    seed, on all rows seen.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    method : {"parametric_tsne", "parametric_umap", "tsne", "umap"}, default="tsne"
        The method; the first two place, the others run anew.
    params : dict or None, default=None
        Parameters of the method, beyond `n_components` and `random_state`.
    n_first : int, default=500
        Rows that are there at first; all, if there are fewer.
    batch_size : int, default=250
        Rows that arrive at a time; the last batch may be smaller.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of arrival and of the method.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Places of all rows, in the order of `X`, after the last batch.
    n_seen_ : ndarray of shape (n_batches,)
        Rows seen after each batch.
    drift_ : ndarray of shape (n_batches,)
        How far the rows seen before moved when the batch came, see :func:`drift`.
    seconds_per_point_ : ndarray of shape (n_batches,)
        Wall time from the batch's arrival to the places of all rows seen, over its rows; of a
        network's first batch with that of a compilation.
    trustworthiness_ : ndarray of shape (n_batches,)
        Trustworthiness for 7 neighbors of all rows seen after each batch, as scikit-learn has it.
    estimator_ : estimator
        The method, as fitted last.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> params = {"perplexity": 5, "n_iter": 50}
    >>> model = Stream(params=params, n_first=40, batch_size=10, random_state=0).fit(X)
    >>> model.n_seen_.tolist(), bool((model.drift_ > 0).all())
    ([50.0, 60.0], True)
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "method": [StrOptions({"parametric_tsne", "parametric_umap", "tsne", "umap"})],
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
        params: Mapping[str, Any] | None = None,
        n_first: int = 500,
        batch_size: int = 250,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.params = params
        self.n_first = n_first
        self.batch_size = batch_size
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> Stream:
        """Embed the rows of `X` as they arrive.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, at least four rows.
        y : None
            Not used.

        Returns
        -------
        Stream
            The fitted estimator.

        Raises
        ------
        ValueError
            As the method's ``fit``.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=4)
        rng = check_random_state(self.random_state)
        seed = rng.randint(np.iinfo(np.int32).max)
        order = rng.permutation(len(data))
        data = data[order]
        n_seen = min(self.n_first, len(data))
        self.estimator_ = self._made(seed)
        places = self.estimator_.fit_transform(data[:n_seen])
        course = []
        while n_seen < len(data):
            n_new = min(self.batch_size, len(data) - n_seen)
            started = time.perf_counter()
            if hasattr(self.estimator_, "network_"):
                new = self.estimator_.transform(data[n_seen : n_seen + n_new])
                seconds = time.perf_counter() - started
                now = np.concatenate([self.estimator_.transform(data[:n_seen]), new])
            else:
                self.estimator_ = self._made(seed)
                now = self.estimator_.fit_transform(data[: n_seen + n_new])
                seconds = time.perf_counter() - started
            moved = drift(places, now[:n_seen])
            n_seen, places = n_seen + n_new, now
            course.append((n_seen, moved, seconds / n_new, _trust(data[:n_seen], places)))
        columns = np.array(course).reshape(-1, 4).T
        self.n_seen_, self.drift_, self.seconds_per_point_, self.trustworthiness_ = columns
        self.embedding_ = np.empty((len(data), self.n_components))
        self.embedding_[order] = places
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Embed the rows of `X` as they arrive and return their places in the end.

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

    def _made(self, seed: int) -> Any:
        method = _imported(self.method)
        return method(self.n_components, random_state=seed, **(self.params or {}))

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def _imported(method: str) -> Any:
    """Return the class of a method; the others are not imported, which takes some seconds."""
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


def _trust(X: NDArray, places: NDArray) -> float:
    """Return the trustworthiness for 7 neighbors, or for as many as it is defined for."""
    return trustworthiness(X, places, n_neighbors=min(7, (len(X) - 1) // 2))


def drift(before: NDArray, after: NDArray) -> float:
    """How far points moved, beyond what a similarity of the whole map accounts for.

    Parameters
    ----------
    before, after : ndarray of shape (n_points, n_components)
        Their places.

    Returns
    -------
    float
        Root mean square distance between the places before and those after, turned, reflected,
        scaled and shifted to be nearest to them, over the root mean square distance of the places
        before from their mean: up to rounding 0 where nothing moved, at most 1.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> round(drift(square, 3 - 2 * square), 12), drift(square, square[[0, 1, 3, 2]]) > 0.5
    (0.0, True)
    """
    before, after = before - before.mean(axis=0), after - after.mean(axis=0)
    left, singular, right = np.linalg.svd(after.T @ before)
    fitted = after @ (left @ right) * (singular.sum() / np.sum(after**2))
    return float(np.linalg.norm(before - fitted) / np.linalg.norm(before))
