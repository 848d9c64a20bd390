"""UMAP as a scikit-learn estimator that checks whether its graph is connected."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags, check_random_state

from nldr.methods._base import OutOfSampleEmbedder
from nldr.methods._rows import TrainingRows
from nldr.neighborhoods.graphs import check_connected, component_labels
from nldr.validation import Interval, StrOptions


class UMAP(OutOfSampleEmbedder):
    """Uniform manifold approximation and projection by umap-learn, on one thread.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    n_neighbors : int, default=15
        Number of neighbors of a point, counting the point itself as in umap-learn; less than
        ``n_samples``.
    min_dist : float, default=0.1
        Distance in the embedding below which attraction does not increase further, at most 1.
    n_epochs : int or None, default=None
        Number of passes over the edges; None for 500 up to 10 000 points and 200 for more. New
        rows take a third of it; None for 100 up to 10 000 new rows and 30 for more.
    disconnected : {"warn", "error"}, default="warn"
        Warn or raise an error if the graph is disconnected. umap-learn then initializes each
        connected component separately; their relative positions carry little information.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialization and of the negative samples. Repeated fits with the same
        integer return the same embedding.
    verbose : bool, default=False
        Whether a line shows the epochs and the remaining time.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows.
    n_connected_components_ : int
        Number of connected components of the fuzzy graph.
    umap_ : umap.UMAP
        The fitted object of umap-learn.

    Raises
    ------
    ValueError
        If there are too few rows, or the graph is disconnected and `disconnected` is
        ``"error"``.

    Warns
    -----
    DisconnectedGraphWarning
        If the graph is disconnected and `disconnected` is ``"warn"``.

    Notes
    -----
    The first fit in a process compiles code for some seconds, and so does the first fit of 4096 or
    more rows, for which umap-learn searches neighbors approximately.

    New rows are placed by umap-learn's ``transform``: each starts at the mean of its neighbors
    among the training rows, weighted by the graph, and is optimized with the training rows fixed.
    The number of steps along an edge depends on the largest weight among all edges of the new rows,
    so that the coordinates of a row change a little with the rows passed with it. A row that equals
    a training row gets its coordinates.

    References
    ----------
    L. McInnes, J. Healy and J. Melville, "UMAP: Uniform manifold approximation and projection for
    dimension reduction", arXiv 1802.03426, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((40, 5))
    >>> UMAP(n_epochs=20, random_state=0).fit_transform(X).shape
    (40, 2)
    """

    _dtype = np.float32  # as umap-learn

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 2, None, closed="left")],
        "min_dist": [Interval(Real, 0, 1, closed="both")],
        "n_epochs": [Interval(Integral, 1, None, closed="left"), None],
        "disconnected": [StrOptions({"warn", "error"})],
        "random_state": ["random_state"],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 15,
        min_dist: float = 0.1,
        n_epochs: int | None = None,
        disconnected: str = "warn",
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.min_dist = min_dist
        self.n_epochs = n_epochs
        self.disconnected = disconnected
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, data: NDArray) -> None:
        if self.n_neighbors >= len(data):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is too high for {len(data)} samples (n_samples = "
                f"{len(data)}): it must be less"
            )
        with warnings.catch_warnings():
            # umap-learn warns that its networks need TensorFlow; they are not used here.
            warnings.simplefilter("ignore", ImportWarning)
            try:
                import umap  # compiles for seconds when it is imported for the first time
            except ModuleNotFoundError as error:
                raise ImportError(f"{error}: pip install 'nldr[umap]'") from error

        self.umap_ = umap.UMAP(
            n_components=self.n_components,
            n_neighbors=self.n_neighbors,
            min_dist=self.min_dist,
            n_epochs=self.n_epochs,
            n_jobs=1,
            random_state=check_random_state(self.random_state).randint(np.iinfo(np.int32).max),
            tqdm_kwds=progress_bar("UMAP") if self.verbose else None,
        ).fit(data)

        self.n_connected_components_ = check_connected(
            component_labels(self.umap_.graph_),
            self.disconnected,
            "UMAP arranges them by their means and pushes them apart, so their relative positions "
            "carry little information",
        )

        self.embedding_ = np.asarray(self.umap_.embedding_, dtype=np.float64)

        # For transform: the training rows, and at least one pass after umap-learn's division by 3
        self._training_rows = TrainingRows(data)
        if self.n_epochs is not None:
            self.umap_.n_epochs = max(self.n_epochs, 3)

    def _transform(self, data: NDArray) -> NDArray:
        # Training rows keep their coordinates; compare in the precision of the fit
        data = data.astype(self._dtype)
        rows = self._training_rows.positions(data)
        coordinates = self.embedding_[rows]

        new = rows < 0
        if new.any():
            coordinates[new] = self.umap_.transform(data[new])
        return coordinates

    def __sklearn_tags__(self) -> Tags:
        """Declare that coordinates of new rows depend on the other new rows."""
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags


def progress_bar(label: str) -> dict[str, Any]:
    """Return options of umap-learn for a line with the epochs and the time left."""
    return {
        "disable": False,
        "desc": label,
        "bar_format": "{desc}: epoch {n_fmt} of {total_fmt}, {remaining} left",
        "mininterval": 1.0,
    }
