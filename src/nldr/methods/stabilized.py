"""Square roots of counts, followed by a method for observations of equal variance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from nldr.methods._base import Embedder
from nldr.validation import StrOptions

METHODS = ("bayesian_gplvm", "gplvm", "ikd", "isomap", "pca", "tsne")


class Stabilized(Embedder):
    """Another method, on square roots of counts.

    The variance of a Poisson count equals its mean; that of Anscombe's transform 2 √(x + 3/8) is
    about 1 for rates above 4.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    method : {"bayesian_gplvm", "gplvm", "ikd", "isomap", "pca", "tsne"}, default="pca"
        The method.
    params : dict or None, default=None
        Parameters of the method other than `n_components` and `random_state`.
    random_state : int, RandomState instance or None, default=None
        Source of the method's random numbers.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The embedding.

    Raises
    ------
    ValueError
        If a count is negative, and as the ``fit`` of the method.

    References
    ----------
    F. Anscombe, "The transformation of Poisson, binomial and negative-binomial data", Biometrika
    35, 1948.

    Examples
    --------
    >>> counts = np.random.default_rng(0).poisson(5.0, (20, 4))
    >>> Stabilized().fit_transform(counts).shape
    (20, 2)
    """

    _min_samples = 4

    _parameter_constraints: dict = {
        "n_components": "no_validation",  # left to the method
        "method": [StrOptions(set(METHODS))],
        "params": [dict, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        method: str = "pca",
        params: Mapping[str, Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.params = params
        self.random_state = random_state

    def _fit(self, data: NDArray) -> None:
        if data.min() < 0:
            raise ValueError(
                "Negative values in data passed to Stabilized: counts must be at least 0"
            )
        make = _import_method(self.method)
        seed = {"random_state": self.random_state} if hasattr(make(), "random_state") else {}
        estimator = make(n_components=self.n_components, **seed, **(self.params or {}))
        self.embedding_ = np.asarray(estimator.fit_transform(2 * np.sqrt(data + 0.375)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def _import_method(method: str) -> Callable[..., Any]:
    """Return the class of a method, importing only that one: each import takes seconds."""
    if method == "pca":
        from sklearn.decomposition import PCA

        return PCA
    if method == "tsne":
        from nldr.methods.tsne import TSNE

        return TSNE
    if method == "ikd":
        from nldr.methods.ikd.ikd import IKD

        return IKD
    if method == "isomap":
        from nldr.methods.spectral.isomap import Isomap

        return Isomap
    if method == "gplvm":
        from nldr.methods.gp.gplvm import GPLVM

        return GPLVM
    from nldr.methods.gp.bayesian_gplvm import BayesianGPLVM

    return BayesianGPLVM
