"""PaCMAP and LocalMAP: the package pacmap as scikit-learn estimators."""

from __future__ import annotations

import logging
import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from nldr.methods._base import OutOfSampleEmbedder
from nldr.methods._docs import inherit_docs
from nldr.methods._printed import printed_progress
from nldr.methods._rows import TrainingRows
from nldr.methods._threads import one_numba_thread
from nldr.validation import Interval

PAIRS = 3.5  # per point and neighbor: one neighbor, half a mid-near point, two further points
PRINTED_EVERY = 10  # iterations from one line of the package to the next


class PaCMAP(OutOfSampleEmbedder):
    """Pairwise controlled manifold approximation by the package pacmap, on one thread.

    Three kinds of pairs pull or push: each point with its nearest neighbors, with mid-near points
    (the second nearest of six drawn at random) and with further points drawn at random. The
    weights of the pairs change over the iterations, from global to local structure. The embedding
    starts from the first principal components.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples`` and ``n_features``.
    n_neighbors : int, default=10
        Number of neighbors of a point, not counting the point itself; there are half as many
        mid-near points and twice as many further points. If all these are not fewer than
        ``n_samples``, the number is reduced, with a warning.
    random_state : int, RandomState instance or None, default=None
        Seed of the mid-near and the further points. Repeated fits with the same integer return
        the same embedding.
    verbose : bool, default=False
        Whether to print loss and remaining time of fits every ten seconds.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows.
    n_neighbors_ : int
        Number of neighbors used.
    pacmap_ : pacmap.PaCMAP
        The fitted object of the package.

    Raises
    ------
    ValueError
        If `n_components` exceeds the number of rows or features, or all rows are equal.

    Warns
    -----
    UserWarning
        If `n_neighbors` is reduced.

    Notes
    -----
    Neighbors are found approximately, by faiss. From 101 features on they are searched among the
    first 100 principal components, as in the package.

    New rows are placed by the package's ``transform``: each starts at its principal components and
    is pulled to its neighbors among the training rows, independently of the other new rows. A row
    that equals a training row gets its coordinates.

    The first import of the package compiles code for up to a minute, and stores it.

    References
    ----------
    Y. Wang, H. Huang, C. Rudin and Y. Shaposhnik, "Understanding how dimension reduction tools
    work: an empirical approach to deciphering t-SNE, UMAP, TriMap, and PaCMAP for data
    visualization", JMLR 22, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((40, 5))
    >>> PaCMAP(n_neighbors=5, random_state=0).fit_transform(X).shape
    (40, 2)
    """

    _dtype = np.float32  # as pacmap
    _min_samples = 5  # fewer have no pairs of all kinds

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 10,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, data: NDArray) -> None:
        n_samples = len(data)
        if self.n_components > min(data.shape):
            raise ValueError(
                f"n_components={self.n_components} is too high for {n_samples} samples and "
                f"{data.shape[1]} features: the embedding starts from principal components"
            )
        if np.all(data == data[0]):
            raise ValueError(f"all {n_samples} rows of X are equal: there is nothing to embed")

        highest = max(int((n_samples - 1) / PAIRS), 1)
        if self.n_neighbors > highest:
            warnings.warn(
                f"n_neighbors={self.n_neighbors} is too high for {n_samples} samples: {highest} "
                "is used",
                UserWarning,
                stacklevel=4,
            )
        self.n_neighbors_ = min(self.n_neighbors, highest)

        # Optimization; the package needs a plain integer and keeps it for the whole process
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        self.pacmap_ = self._class()(self.n_components, self.n_neighbors_, random_state=int(seed))
        self.pacmap_.verbose = self.verbose
        label = type(self).__name__ if self.verbose else ""
        progress = printed_progress(label, "loss", sum(self.pacmap_.num_iters), PRINTED_EVERY)
        with one_numba_thread(), progress:
            self.pacmap_.fit(data, save_pairs=False)
        self.pacmap_.verbose = False  # transform does not print

        self.embedding_ = self.pacmap_.embedding_.astype(np.float64)

        self._basis = data
        self._training_rows = TrainingRows(data)

    def _class(self) -> Any:
        """Return the class of the package."""
        return _package().PaCMAP

    def _transform(self, data: NDArray) -> NDArray:
        # Training rows keep their coordinates; compare in the precision of the fit
        data = data.astype(self._dtype)
        rows = self._training_rows.positions(data)
        coordinates = self.embedding_[rows]

        new = rows < 0
        if new.any():
            with one_numba_thread():
                coordinates[new] = self.pacmap_.transform(data[new], self._basis, save_pairs=False)
        return coordinates


@inherit_docs(PaCMAP)
class LocalMAP(PaCMAP):
    """LocalMAP by the package pacmap: PaCMAP that separates clusters more clearly.

    In the last of its three phases, further points are drawn among those that are near in the
    embedding, and neighbors that are far in the embedding attract less: such pairs often join
    different clusters.

    Parameters
    ----------
    n_components, n_neighbors, random_state, verbose

    Attributes
    ----------
    embedding_, n_neighbors_
    pacmap_ : pacmap.LocalMAP
        The fitted object of the package.

    Notes
    -----
    New rows are placed as by PaCMAP, whose weights they have.

    References
    ----------
    Y. Wang, Y. Sun, H. Huang and C. Rudin, "Dimension reduction with locally adjusted graphs",
    AAAI 2025, arXiv 2412.15426.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((40, 5))
    >>> LocalMAP(n_neighbors=5, random_state=0).fit_transform(X).shape
    (40, 2)
    """

    def _class(self) -> Any:
        return _package().LocalMAP


def _package() -> Any:
    """Return the package pacmap, which logs a warning for each seed unless told not to."""
    try:
        import pacmap
    except ModuleNotFoundError as error:
        raise ImportError(f"{error}: pip install 'nldr[modern]'") from error
    logging.getLogger("pacmap").setLevel(logging.ERROR)
    return pacmap
