"""densMAP: UMAP that keeps densities, by umap-learn, as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from nldr.methods._base import Embedder
from nldr.methods._docs import inherit_docs
from nldr.methods.umap import UMAP, progress_bar
from nldr.neighborhoods.graphs import check_connected, component_labels
from nldr.validation import Interval


@inherit_docs(UMAP)
class DensMAP(Embedder):
    """Density-preserving UMAP by umap-learn, on one thread.

    A term is added to the loss of UMAP during the last epochs: the correlation between the
    logarithms of the local radius of each point in the data and in the embedding.

    Parameters
    ----------
    n_components, n_neighbors, min_dist
    n_epochs : int or None, default=None
        Number of passes over the edges; None for 700 up to 10 000 points and 400 for more.
    density_weight : float, default=2.0
        Weight of the term, at least 0; more preserves densities better, and neighborhoods less.
    disconnected, random_state, verbose

    Attributes
    ----------
    embedding_, n_connected_components_, umap_

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
    umap-learn does not embed new rows with this term.

    References
    ----------
    A. Narayan, B. Berger and H. Cho, "Assessing single-cell transcriptomic variability through
    density-preserving data visualization", Nature Biotechnology 39, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((40, 5))
    >>> DensMAP(n_epochs=20, random_state=0).fit_transform(X).shape
    (40, 2)
    """

    _dtype = np.float32  # as umap-learn

    _parameter_constraints: dict = {
        **UMAP._parameter_constraints,
        "density_weight": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 15,
        min_dist: float = 0.1,
        n_epochs: int | None = None,
        density_weight: float = 2.0,
        disconnected: str = "warn",
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.min_dist = min_dist
        self.n_epochs = n_epochs
        self.density_weight = density_weight
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
            densmap=True,
            dens_lambda=self.density_weight,
            n_jobs=1,
            random_state=check_random_state(self.random_state).randint(np.iinfo(np.int32).max),
            tqdm_kwds=progress_bar("densMAP") if self.verbose else None,
        ).fit(data)

        self.n_connected_components_ = check_connected(
            component_labels(self.umap_.graph_),
            self.disconnected,
            "UMAP arranges them by their means and pushes them apart, so their relative positions "
            "carry little information",
        )

        self.embedding_ = np.asarray(self.umap_.embedding_, dtype=np.float64)
