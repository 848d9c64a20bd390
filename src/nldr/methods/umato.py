"""UMATO: the package umato as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from nldr.methods._base import Embedder
from nldr.methods._threads import one_numba_thread
from nldr.validation import Interval


class UMATO(Embedder):
    """Uniform manifold approximation with two-phase optimization by the package umato.

    First the hubs, points that are neighbors of many others, are laid out by the distances between
    all of them, which fixes the global arrangement. Then their neighbors are placed beside them and
    optimized as in UMAP, while hubs move little. The remaining points are placed at the mean of
    their nearest hubs.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most `n_hubs` and ``n_features``.
    n_neighbors : int, default=50
        Number of neighbors of a point, counting the point itself as in UMAP; less than
        ``n_samples``.
    n_hubs : int, default=300
        Number of hubs, more for more detail in the global arrangement. It is reduced to half the
        number of rows, with a warning, if it exceeds that.
    min_dist : float, default=0.1
        Distance in the embedding below which attraction does not increase further, at most 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the search for neighbors, of noise and of the negative samples. Repeated fits with
        the same integer return the same embedding.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows.
    n_hubs_ : int
        Number of hubs used.

    Raises
    ------
    ValueError
        If `n_neighbors` or `n_components` is too high for the data, or all rows are equal.

    Warns
    -----
    UserWarning
        If `n_hubs` is reduced.

    Notes
    -----
    The package does not embed new rows. The first fit in a process compiles code for about a
    minute, and each later one for some seconds.

    References
    ----------
    H. Jeon, K. Ko, S. Lee, J. Hyun, T. Yang, G. Go, J. Jo and J. Seo, "UMATO: Bridging local and
    global structures for reliable visual analytics with dimensionality reduction", IEEE TVCG 2025,
    arXiv 2508.16227.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((40, 5))
    >>> UMATO(n_neighbors=5, n_hubs=20).fit(X)  # doctest: +SKIP
    UMATO(n_hubs=20, n_neighbors=5)
    """

    _dtype = np.float32  # as umato
    _min_samples = 4

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 2, None, closed="left")],
        "n_hubs": [Interval(Integral, 2, None, closed="left")],
        "min_dist": [Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 50,
        n_hubs: int = 300,
        min_dist: float = 0.1,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.n_hubs = n_hubs
        self.min_dist = min_dist
        self.random_state = random_state

    def _fit(self, data: NDArray) -> None:
        n_samples = len(data)
        if self.n_neighbors >= n_samples:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is too high for {n_samples} samples (n_samples = "
                f"{n_samples}): it must be less"
            )
        if np.all(data == data[0]):
            raise ValueError(f"all {n_samples} rows of X are equal: there is nothing to embed")

        if self.n_hubs > n_samples // 2:
            warnings.warn(
                f"n_hubs={self.n_hubs} is too high for {n_samples} samples: {n_samples // 2} is "
                "used",
                UserWarning,
                stacklevel=4,
            )
        self.n_hubs_ = min(self.n_hubs, n_samples // 2)
        if self.n_components > min(self.n_hubs_, data.shape[1]):
            raise ValueError(
                f"n_components={self.n_components} is too high for {self.n_hubs_} hubs and "
                f"{data.shape[1]} features: the hubs start from principal components"
            )

        try:
            import pynndescent  # noqa: F401 (umato finds other neighbors without it)
            import umato
        except ModuleNotFoundError as error:
            raise ImportError(f"{error}: pip install 'nldr[modern]'") from error

        random_state = check_random_state(self.random_state)
        umato_ = umato.UMATO(
            n_components=int(self.n_components),
            n_neighbors=int(self.n_neighbors),
            hub_num=self.n_hubs_,
            min_dist=self.min_dist,
            random_state=random_state.randint(np.iinfo(np.int32).max),
        )
        with one_numba_thread():
            umato_.fit(data)

        self.embedding_ = umato_.embedding_.astype(np.float64)
