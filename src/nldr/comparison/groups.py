"""A test of groups in a map: the same method on data of the same covariance without groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nldr.comparison.draws import Fit, fit
from nldr.comparison.methods import Method

N_NULLS = 3  # data sets without groups
COUNTS = range(2, 9)  # numbers of groups that are tried
MOST_POINTS = 1000  # of which silhouettes are computed


@dataclass(frozen=True)
class Groups:
    """Clearness of groups in maps of the data, and of data without groups.

    Attributes
    ----------
    data, null : list of float
        Largest silhouette of a grouping, of maps of the data and of data without groups.
    method : str
        Title of the method.
    """

    data: list[float]
    null: list[float]
    method: str

    @property
    def are_real(self) -> bool:
        """True if each map of the data falls into groups more clearly than each without."""
        return min(self.data) > max(self.null)

    @property
    def words(self) -> str:
        """The result as a sentence."""
        numbers = (
            f"silhouette {np.mean(self.data):.2f} in {self.method} maps of the data, "
            f"{min(self.null):.2f} to {max(self.null):.2f} in maps of normal data with the same "
            "covariance"
        )
        if self.are_real:
            return f"The data fall into groups more than data without groups would ({numbers})."
        return f"Do not read groups into the map: data without groups look as grouped ({numbers})."


def clearest_grouping(Z: NDArray) -> float:
    """Return the largest mean silhouette of groupings by k-means into 2 to 8 groups.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> two = np.concatenate([rng.normal(size=(30, 2)), rng.normal(20, 1, size=(30, 2))])
    >>> bool(clearest_grouping(two) > 0.8 > clearest_grouping(rng.normal(size=(60, 2))))
    True
    """
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    Z = Z[:MOST_POINTS]
    scores = []
    for count in COUNTS:
        labels = KMeans(count, n_init=3, random_state=0).fit_predict(Z)
        if 1 < len(np.unique(labels)) < len(Z):
            scores.append(float(silhouette_score(Z, labels)))
    return max(scores, default=0.0)


def look_for_groups(points: NDArray, method: Method, setting: int, fits: list[Fit]) -> Groups:
    """Compare maps of draws with maps of normal data of the same covariance.

    Parameters
    ----------
    points : ndarray of shape (n, n_features)
        Prepared rows.
    method, setting : Method, int
        The method, and its setting.
    fits : list of Fit
        Its fits on draws of the rows.

    Returns
    -------
    Groups
        Silhouettes of both.
    """
    size = len(fits[0].rows)
    centered = points - points.mean(axis=0)
    _, scales, axes = np.linalg.svd(centered, full_matrices=False)
    root = scales[:, None] * axes / np.sqrt(len(points) - 1)
    null = []
    for number in range(N_NULLS):
        rng = np.random.default_rng([7, number])
        sample = rng.standard_normal((size, len(root))) @ root
        result = fit(method, setting, sample, np.arange(size), number)
        if result.Z is not None:
            null.append(clearest_grouping(result.Z))
    data = [clearest_grouping(r.Z) for r in fits[:N_NULLS] if r.Z is not None]
    return Groups(data, null or [float("nan")], method.title)
