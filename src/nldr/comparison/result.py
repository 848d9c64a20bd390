"""What a comparison returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nldr.comparison.draws import Draws
from nldr.comparison.examination import Findings
from nldr.comparison.groups import Groups
from nldr.comparison.maps import Map
from nldr.comparison.methods import Method
from nldr.comparison.tables import FILE_TYPES, Table
from nldr.comparison.words import shown_table, wrapped

if TYPE_CHECKING:
    import pandas as pd


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


@dataclass(frozen=True, repr=False)
class Comparison:
    """Methods compared on some data.

    Attributes
    ----------
    table : DataFrame
        One row per method, best first, and one of random coordinates, as a reference. Scores are
        means over draws: ``neighborhoods`` (mean of ``trustworthiness`` and ``continuity``),
        ``distances``, ``labels``, ``new_points``, ``stability``, all 1 at best; ``behind`` is the
        difference from the best with its 95 % interval, ``outcome`` what it means, ``untrusted``
        the share of points that should not be trusted, ``seconds`` the CPU time of a fit.
    recommendations : dict of str to str
        A recommendation for each aim.
    best : Map
        The recommended method, fitted to all rows.
    groups : Groups
        Whether groups are clearer than in data without groups.
    doctor : Findings
        What is to know about the data, and what was done about it.
    notes : list of str
        Methods that were left out, and why.
    failures : list of (str, str)
        Methods that failed, and their messages.

    Examples
    --------
    >>> import nldr
    >>> from sklearn.datasets import load_iris
    >>> result = nldr.compare(load_iris().data, methods=["isomap"])
    >>> result.recommendation.split(":")[0]
    'For local neighborhoods take PCA'
    """

    table: pd.DataFrame
    recommendations: dict[str, str]
    best: Map
    groups: Groups
    doctor: Findings
    notes: list[str]
    failures: list[tuple[str, str]]
    data: Table
    methods: dict[str, Method]
    draws: Draws
    trusts: dict[str, Trust]
    request: dict[str, Any]

    @property
    def recommendation(self) -> str:
        """What to take for local neighborhoods, with references, a rival, and what not to trust."""
        return self.recommendations["neighborhoods"]

    @property
    def trust(self) -> pd.DataFrame:
        """Errors of each point of the recommended map.

        Rows are those of the data that the method was fitted to; ``trusted`` is False where
        intruders or missing neighbors exceed 0.1 (random coordinates have about 0.5).
        """
        key = self.table["key"].iloc[0]
        return self.trusts[key].frame(self.draws.final[key].rows)

    @property
    def stability(self) -> pd.Series:
        """Share of a point's neighbors that maps of two draws have in common, by method."""
        return self.table["stability"]

    @property
    def maps(self) -> dict[str, NDArray]:
        """Coordinates of the rows in each map, by title of the method."""
        titles = {method.key: method.title for method in self.methods.values()}
        return {titles[key]: np.asarray(one.Z) for key, one in self.draws.final.items()}

    def __str__(self) -> str:
        lines = [
            shown_table(self.table),
            "",
            wrapped(self.recommendation),
            "",
            wrapped(self.groups.words),
            *(f"note: {note}" for note in self.notes),
            *(f"failed: {title}: {message}" for title, message in self.failures),
        ]
        return "\n".join(lines)

    __repr__ = __str__

    def report(self, file: str | PathLike) -> Path:
        """Write everything to one HTML file, which needs no network.

        Parameters
        ----------
        file : path-like
            The file.

        Returns
        -------
        Path
            The file.
        """
        from nldr.comparison.page import write

        return write(self, Path(file))

    def plot(self, columns: int = 4) -> Any:
        """Draw all maps, the best first, with untrusted points as crosses.

        Parameters
        ----------
        columns : int, default=4
            Maps in a row.

        Returns
        -------
        matplotlib Figure
            The drawing.
        """
        from nldr.comparison.plotting import draw

        return draw(self, columns)

    def code(self) -> str:
        """Return lines of Python that make the recommended map."""
        from nldr.comparison.code import lines

        source = self.request["X"] if isinstance(self.request["X"], FILE_TYPES) else None
        named = self.data.matrix.index is not None
        return lines(self.best, source, self.request["label"], self.request["drop"], named)
