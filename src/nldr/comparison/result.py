"""The result of a comparison: its evidence, drawn, and written to a page."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from nldr.comparison.evidence import ComparedMethods
from nldr.inputs.errors import refuse_missing_folder


class Comparison(ComparedMethods):
    """Methods compared on some data, as :func:`nldr.comparison.compare` returns it.

    Attributes
    ----------
    table : DataFrame
        One row per method, best first, and one of random coordinates, as a reference. Scores are
        means over draws: ``neighborhoods`` (mean of ``trustworthiness`` and ``continuity``),
        ``distances``, ``labels``, ``new_points``, ``stability``, all 1 at best; ``behind`` is the
        difference from the best with its 95 % interval, ``outcome`` what it means, ``untrusted``
        the share of points that should not be trusted, by the bound of the best map, ``seconds``
        the CPU time of a fit.
    recommendations : dict of str to str
        A recommendation for each aim.
    best : Map
        The recommended method, fitted to all rows.
    trust, points : DataFrame
        Errors of each fitted point of its map, and with the coordinates of all points.
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

    def report(self, file: str | PathLike) -> Path:
        """Write everything to one HTML file, which needs no network.

        Parameters
        ----------
        file : path-like
            The file, in a folder that exists.

        Returns
        -------
        Path
            The file.
        """
        from nldr.comparison.page import render

        refuse_missing_folder(file)
        Path(file).write_text(render(self), encoding="utf-8")
        return Path(file)

    def plot(self, columns: int = 4) -> Any:
        """Draw all maps, the best first, with untrusted points as crosses, titled by their score.

        Parameters
        ----------
        columns : int, default=4
            Maps in a row.

        Returns
        -------
        matplotlib Figure
            The drawing.
        """
        from nldr.comparison.picture import draw

        return draw(self, columns)
