"""t-SNE of scikit-learn before version 1.2, which did not scale the points that it starts from."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.utils import check_random_state

from nldr.methods._base import Embedder
from nldr.validation import Interval


class UnscaledTSNE(Embedder):
    """t-SNE of scikit-learn, which starts from the principal components as they are.

    Version 1.2 of scikit-learn began to scale them to a standard deviation of 1e-4, as van der
    Maaten and Hinton recommend. The larger they are, the less t-SNE moves the points: the gradient
    is small where all points are far from each other. The learning rate is the number of points
    divided by 48, at least 50, and the similarities have ``max(n_components - 1, 1)`` degrees of
    freedom. Above three dimensions, the gradient is exact.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most the smaller one of the numbers of rows and features.
    perplexity : float, default=30.0
        Effective number of neighbors of a point, less than the number of rows.
    max_iter : int, default=1000
        Number of iterations, at least 250, of which the first 250 have early exaggeration.
    random_state : int, RandomState instance or None, default=None
        Seed of the randomized singular value decomposition.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the points.

    Raises
    ------
    ValueError
        If `n_components` or `perplexity` is too high for the data.

    References
    ----------
    L. van der Maaten and G. Hinton, "Visualizing data using t-SNE", JMLR 9, 2008. The settings are
    those of the released code of C. Li and A. Wu, "Inverse Kernel Decomposition", 2024.

    Examples
    --------
    >>> X = 1e4 * np.random.default_rng(0).standard_normal((40, 3))
    >>> Z = UnscaledTSNE(perplexity=5, max_iter=250, random_state=0).fit_transform(X)
    >>> bool(np.ptp(Z) > 1e4)
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "perplexity": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 250, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        perplexity: float = 30.0,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.perplexity = perplexity
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit(self, data: NDArray) -> None:
        if self.n_components > min(data.shape):
            raise ValueError(
                f"n_components={self.n_components} is too high for {data.shape[0]} samples and "
                f"{data.shape[1]} features: at most min(n_samples, n_features)"
            )
        # Start: principal components in units of the data, as in scikit-learn 1.1
        rng = check_random_state(self.random_state)
        pca = PCA(self.n_components, svd_solver="randomized", random_state=rng)
        tsne = TSNE(
            self.n_components,
            perplexity=self.perplexity,
            max_iter=self.max_iter,
            init=pca.fit_transform(data).astype(np.float32),
            method="barnes_hut" if self.n_components <= 3 else "exact",
            n_jobs=1,
        )
        self.embedding_ = tsne.fit_transform(data).astype(np.float64)
