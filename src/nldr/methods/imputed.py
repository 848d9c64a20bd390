"""Imputation of missing values, followed by a method that cannot have any."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from nldr.methods._base import Embedder
from nldr.validation import Interval, StrOptions

METHODS = ("bayesian_gplvm", "gplvm", "lolagp", "pca", "tsne", "umap")


class Imputed(Embedder):
    """Another method, on data whose missing values are filled in before.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    method : {"bayesian_gplvm", "gplvm", "lolagp", "pca", "tsne", "umap"}, default="pca"
        The method.
    imputer : {"knn", "low_rank", "mean", "zero"}, default="knn"
        Value of a missing entry: the mean of the 5 nearest rows that have it, with distances over
        the entries that both rows have; that of the low-rank approximation from which the
        Gaussian-process models start; the mean of its feature; or 0, as of a pixel without light.
    params : dict or None, default=None
        Parameters of the method other than `n_components` and `random_state`.
    random_state : int, RandomState instance or None, default=None
        Source of the method's random numbers.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The embedding.
    completed_ : ndarray of shape (n_samples, n_features)
        The data without missing values.

    Raises
    ------
    ValueError
        If a row or a feature has no observed value, and as the ``fit`` of the method.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, np.nan], [2.0, 4.0], [4.0, 3.0]])
    >>> Imputed(1, imputer="mean").fit(X).completed_[1].tolist()
    [3.0, 3.0]
    """

    _finite = "allow-nan"
    _min_samples = 4

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "method": [StrOptions(set(METHODS))],
        "imputer": [StrOptions({"knn", "low_rank", "mean", "zero"})],
        "params": [dict, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        method: str = "pca",
        imputer: str = "knn",
        params: Mapping[str, Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.imputer = imputer
        self.params = params
        self.random_state = random_state

    def _fit(self, data: NDArray) -> None:
        self.completed_ = complete(data, self.imputer)
        make = _import_method(self.method)
        seed = {"random_state": self.random_state} if hasattr(make(), "random_state") else {}
        estimator = make(self.n_components, **seed, **(self.params or {}))
        self.embedding_ = np.asarray(estimator.fit_transform(self.completed_))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def complete(data: NDArray, imputer: str) -> NDArray:
    """Return data with all missing entries, NaN, filled in by an imputer of :class:`Imputed`.

    Examples
    --------
    >>> complete(np.array([[1.0, np.nan], [2.0, 5.0]]), "zero").tolist()
    [[1.0, 0.0], [2.0, 5.0]]
    """
    from nldr.methods.gp.missing import observe

    observed = observe(data)
    if imputer == "low_rank":
        return observed.filled()
    if imputer == "knn":
        from sklearn.impute import KNNImputer

        filled: NDArray = KNNImputer(n_neighbors=5).fit_transform(data)
        return filled
    return np.where(observed.is_observed, data, observed.mean if imputer == "mean" else 0.0)


def _import_method(method: str) -> Any:
    """Return the class of a method, importing only that one: each import takes seconds."""
    if method == "pca":
        from sklearn.decomposition import PCA

        return PCA
    if method == "tsne":
        from nldr.methods.tsne import TSNE

        return TSNE
    if method == "umap":
        from nldr.methods.umap import UMAP

        return UMAP
    if method == "bayesian_gplvm":
        from nldr.methods.gp.bayesian_gplvm import BayesianGPLVM

        return BayesianGPLVM
    if method == "lolagp":
        from nldr.methods.gp.lolagp import LolaGP

        return LolaGP
    from nldr.methods.gp.gplvm import GPLVM

    return GPLVM
