"""Agreement of several runs of a method that differ by their random numbers only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import permutations
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from nldr.methods._base import Embedder
from nldr.validation import Interval, StrOptions

START_SD = 0.1  # of GPLVM's starting points


class Restarts(Embedder):
    """Another method, run several times with other seeds, starting points and orders of the rows.

    If the solution of a method is unique up to an affine map, all runs agree. Each run sees the
    rows in another random order, and gets another seed if the method has one; GPLVM starts from
    normally distributed points of standard deviation 0.1.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    method : {"gplvm", "ikd", "tsne", "umap", "vae"}, default="tsne"
        The method.
    params : dict or None, default=None
        Parameters of the method other than `n_components` and `random_state`.
    n_runs : int, default=2
        Number of runs.
    random_state : int, RandomState instance or None, default=None
        Source of the seeds, starting points and orders.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the first run, in the order of `X`.
    runs_ : list of ndarray of shape (n_samples, n_components)
        Embeddings of all runs, in the order of `X`.
    agreement_ : float
        Smallest :func:`affine_agreement` of two runs, in both directions.

    Raises
    ------
    ValueError
        As the ``fit`` of the method.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> params = {"perplexity": 5, "n_iter": 50}
    >>> runs = Restarts(params=params, random_state=0).fit(X)
    >>> len(runs.runs_), bool(0 < runs.agreement_ < 1)
    (2, True)
    """

    _min_samples = 4

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "method": [StrOptions({"gplvm", "ikd", "tsne", "umap", "vae"})],
        "params": [dict, None],
        "n_runs": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        method: str = "tsne",
        params: Mapping[str, Any] | None = None,
        n_runs: int = 2,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.params = params
        self.n_runs = n_runs
        self.random_state = random_state

    def _fit(self, data: NDArray) -> None:
        rng = check_random_state(self.random_state)
        self.runs_ = [self._run(data, rng) for _ in range(self.n_runs)]
        self.embedding_ = self.runs_[0]
        pairs = permutations(self.runs_, 2)
        self.agreement_ = min(affine_agreement(first, second) for first, second in pairs)

    def _run(self, data: NDArray, rng: np.random.RandomState) -> NDArray:
        """Return the embedding of one run in the order of the data."""
        order = rng.permutation(len(data))
        seed = rng.randint(np.iinfo(np.int32).max)
        start = START_SD * rng.standard_normal((len(data), self.n_components))
        # What differs from run to run: the starting points, or the seed
        run_params: dict[str, Any] = (
            {"init": start} if self.method == "gplvm" else {"random_state": seed}
        )
        estimator = _import_method(self.method)(
            self.n_components, **run_params, **(self.params or {})
        )
        embedding = np.empty(start.shape)
        embedding[order] = estimator.fit_transform(data[order])
        return embedding


def _import_method(method: str) -> Callable[..., Any]:
    """Return the class of a method, importing only that one: each import takes seconds."""
    if method == "gplvm":
        from nldr.methods.gp.gplvm import GPLVM

        return GPLVM
    if method == "ikd":
        from nldr.methods.ikd.ikd import IKD

        return IKD
    if method == "umap":
        from nldr.methods.umap import UMAP

        return UMAP
    if method == "vae":
        from nldr.methods.networks.autoencoder import VAE

        return VAE
    from nldr.methods.tsne import TSNE

    return TSNE


def affine_agreement(first: NDArray, second: NDArray) -> float:
    """Return the share of the variance of an embedding that an affine map of another explains.

    Parameters
    ----------
    first, second : ndarray of shape (n_points, n_components)
        Coordinates of the same points.

    Returns
    -------
    float
        R² of the least-squares fit to each dimension of `first` that is not constant, mean over
        these; 1 if an affine map takes `second` to `first`, also if all dimensions are constant.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> round(affine_agreement(square, 2 * square[:, ::-1] - 3), 12)
    1.0
    >>> round(affine_agreement(square, square[:, :1]), 12)
    0.5
    """
    varies = np.ptp(first, axis=0) > 0
    if not varies.any():
        return 1.0
    target = first[:, varies] - first[:, varies].mean(axis=0)
    design = np.column_stack([np.ones(len(second)), second])
    residual = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
    explained = 1 - np.square(residual).sum(axis=0) / np.square(target).sum(axis=0)
    return float(explained.mean())
