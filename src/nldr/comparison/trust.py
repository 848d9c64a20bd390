"""Trust in single points of a map: false neighbors, missing neighbors, and unstable places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nldr.comparison.stability import neighbors_of
from nldr.metrics.pointwise import pointwise_errors
from nldr.metrics.recovery import DOUBT

if TYPE_CHECKING:
    import pandas as pd


def errors_of_points(points: NDArray, maps: list[NDArray]) -> list[dict[str, NDArray]]:
    """Return the errors of each point in several maps, and which points should not be trusted.

    Returns
    -------
    list of dict of str to ndarray of shape (n,)
        ``trustworthiness`` and ``continuity``: errors by intruders and by missing neighbors;
        ``distortion``; and ``doubt``, 1 where one of the first two exceeds 0.1, else 0.
    """
    errors = pointwise_errors(points, maps, k=neighbors_of(len(points)))
    for values in errors:
        worst = np.fmax(values["trustworthiness"], values["continuity"])
        values["doubt"] = np.where(np.isnan(worst), np.nan, worst > DOUBT).astype(float)
    return errors


@dataclass(frozen=True)
class Trust:
    """Errors of the points of one map, and how stable their places are.

    Attributes
    ----------
    errors : dict of str to ndarray of shape (n,)
        ``trustworthiness``, ``continuity``, ``distortion`` and ``doubt``.
    stability : ndarray of shape (n,)
        Share of a point's neighbors that two draws have in common.
    """

    errors: Mapping[str, NDArray]
    stability: NDArray

    @property
    def share(self) -> float:
        """Share of points that should not be trusted."""
        return float(np.nanmean(self.errors["doubt"]))

    def frame(self, rows: NDArray) -> pd.DataFrame:
        """Return one row per point."""
        import pandas as pd

        return pd.DataFrame(
            {
                "trusted": self.errors["doubt"] == 0,
                "intruders": self.errors["trustworthiness"],
                "missing_neighbors": self.errors["continuity"],
                "stretch": self.errors["distortion"],
                "stability": self.stability,
            },
            index=pd.Index(rows, name="row"),
        )
