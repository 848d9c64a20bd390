"""The evidence of a comparison: table, recommendations, trust, stability, the best map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nldr.comparison.draws import Draws
from nldr.comparison.examination import Findings
from nldr.comparison.groups import Groups
from nldr.comparison.maps import Map
from nldr.comparison.methods import Method
from nldr.comparison.tables import Table
from nldr.comparison.trust import Trust
from nldr.comparison.words import shown_table, wrapped

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Evidence:
    """Methods compared on some data.

    See :class:`nldr.comparison.Comparison`, which adds a page and a drawing.
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
    best_trust: Trust
    request: dict[str, Any]

    @property
    def recommendation(self) -> str:
        """The method for local neighborhoods, with references, a rival, and points not to trust."""
        return self.recommendations["neighborhoods"]

    @property
    def trust(self) -> pd.DataFrame:
        """Errors of each point of the recommended map.

        Rows are those of the data that the method was fitted to; ``trusted`` is False where
        intruders or missing neighbors exceed twice the mean of the map, or 0.1 if that is less
        (random coordinates have about 0.5).
        """
        return self.best_trust.frame(self.best.fitted_)

    @property
    def stability(self) -> pd.Series:
        """Share of a point's neighbors that maps of two draws have in common, by method."""
        return self.table["stability"]

    @property
    def maps(self) -> dict[str, NDArray]:
        """Coordinates of all rows, at most 2000, by title of the method."""
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

    def code(self) -> str:
        """Return lines of Python that make the recommended map."""
        from nldr.comparison.code import lines

        return lines(self.best, self.request)
