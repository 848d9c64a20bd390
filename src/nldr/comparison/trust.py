"""Trust in single points of a map: false neighbors, missing neighbors, and unstable places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nldr.comparison.stability import neighbors_of
from nldr.metrics.pointwise import pointwise_errors
from nldr.metrics.recovery import DOUBT

if TYPE_CHECKING:
    import pandas as pd

PARTS = 50  # a neighborhood is a fiftieth of the points
MOST = 100  # points of a neighborhood
TIMES = 2.0  # the mean error of the map, from which a point should not be trusted
LEAST = 0.01  # error that is never too large


def neighborhood_of(n_points: int) -> int:
    """Return the number of neighbors by which the points of a map are judged.

    Examples
    --------
    >>> neighborhood_of(2000), neighborhood_of(150)
    (40, 12)
    """
    return max(neighbors_of(n_points), min(n_points // PARTS, MOST))


def errors_of_points(points: NDArray, maps: list[NDArray]) -> list[dict[str, NDArray]]:
    """Return the errors of each point in several maps, and which points should not be trusted.

    All maps have the bound of the first, so that the shares of such points can be compared. Errors
    are those of the nearest 2 % of the points, so that they do not depend on how densely the same
    data are sampled; of few points, those of the 12 neighbors that other scores use.

    Returns
    -------
    list of dict of str to ndarray of shape (n,)
        ``trustworthiness`` and ``continuity``: errors by intruders and by missing neighbors;
        ``distortion``; and ``doubt``, 1 where one of the first two exceeds :func:`bound_of`,
        else 0.
    """
    errors = pointwise_errors(points, maps, k=neighborhood_of(len(points)))
    bound = bound_of(errors[0])
    for values in errors:
        worst = np.fmax(values["trustworthiness"], values["continuity"])
        doubt = worst > bound
        values["doubt"] = np.where(np.isnan(worst), np.nan, doubt).astype(float)
    return errors


def bound_of(errors: Mapping[str, NDArray]) -> float:
    """Return the error from which points of a map should not be trusted.

    It is twice the mean error of the map, so that the worst points of a good map are seen, but at
    most 0.1, so that a bad map has many of them, and at least 0.01.

    Examples
    --------
    >>> good, bad = np.array([0.01, 0.01, 0.04]), np.array([0.2, 0.3, 0.1])
    >>> for errors in (good, bad):
    ...     print(round(bound_of({"trustworthiness": errors, "continuity": errors}), 3))
    0.04
    0.1
    """
    worst = np.fmax(errors["trustworthiness"], errors["continuity"])
    if np.isnan(worst).all():
        return DOUBT
    return float(min(DOUBT, max(TIMES * np.nanmean(worst), LEAST)))


@dataclass(frozen=True)
class Trust:
    """Errors of the points of one map, and how stable their places are."""

    errors: Mapping[str, NDArray]  # as :func:`errors_of_points` returns them
    stability: NDArray  # share of a point's neighbors that two draws have in common

    @property
    def share(self) -> float:
        """Share of points that should not be trusted."""
        return float(np.nanmean(self.errors["doubt"]))

    def frame(self, rows: NDArray, names: list[Any] | None = None) -> pd.DataFrame:
        """Return one row per point, with its name if the rows of the data have names."""
        import pandas as pd

        frame = pd.DataFrame(
            {
                "trusted": self.errors["doubt"] == 0,
                "intruders": self.errors["trustworthiness"],
                "missing_neighbors": self.errors["continuity"],
                "stretch": self.errors["distortion"],
                "stability": self.stability,
            },
            index=pd.Index(rows, name="row"),
        )
        return with_names(frame, None if names is None else [names[row] for row in rows])


def with_names(points: pd.DataFrame, names: list[Any] | None) -> pd.DataFrame:
    """Return a table of points with their names first, unless these are None or count the rows.

    Examples
    --------
    >>> import pandas as pd
    >>> list(with_names(pd.DataFrame({"shift": [0.1, 0.2]}), ["a", "b"]))
    ['name', 'shift']
    """
    if names is not None and names != list(points.index):
        points.insert(0, "name", names)
    return points
