"""What a figure function is given: a study's tables and its first trial's embeddings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.figures.style import canonical


@dataclass(frozen=True)
class Published:
    """Published numbers and what they speak of.

    Parameters
    ----------
    table : DataFrame
        The numbers as in their file.
    keys : mapping of str to str
        Its columns that say where a number belongs, to columns of the study's table.
    values : mapping of str to sequence of str
        Our metric or cost to the columns of its value and, where there is one, standard deviation.
    """

    table: pd.DataFrame
    keys: Mapping[str, str]
    values: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class StudyResults:
    """Everything that a study's figure is drawn from.

    A figure function is ``draw(results: StudyResults, **params) -> matplotlib.figure.Figure``; a
    study names it by its import path.

    Parameters
    ----------
    title : str
        The study's title.
    methods : mapping of str to str
        Method name to display title, in the study's order.
    roles : mapping of str to str
        Method name to ``"method"`` or ``"control"``.
    datasets : mapping of str to str
        Dataset name to display title, in the study's order.
    metrics : mapping of str to mapping
        Metric name to its ``label``, ``title``, ``range`` (lowest and highest value) and
        ``direction`` (``"higher"`` or ``"lower"`` is better).
    table : DataFrame
        One row a trial: ``dataset``, ``data_cell``, ``method``, ``method_cell``, ``trial``,
        ``status``, ``message``, parameters as ``data.<name>`` and ``method.<name>``, and a column
        a metric, NaN where there is no score.
    timings : DataFrame
        The same keys with ``seconds`` (wall time of the fit), ``cpu_seconds`` and ``peak_mb``.
    published : Published or None
        Published numbers.
    panel : callable
        ``panel(data_cell, method_cell)`` returns the dataset and the embedding of the first
        trial, an array of shape (n_samples, n_components), or None where the method failed.
    history : callable
        ``history(data_cell, method_cell, name)`` returns an array of the first trial's fit, a
        number an epoch, or None where there is none.
    """

    title: str
    methods: Mapping[str, str]
    roles: Mapping[str, str]
    datasets: Mapping[str, str]
    metrics: Mapping[str, Mapping[str, Any]]
    table: pd.DataFrame
    timings: pd.DataFrame
    published: Published | None
    panel: Callable[[str, str], tuple[Dataset, NDArray | None]]
    history: Callable[[str, str, str], NDArray | None] = lambda data, method, name: None

    def published_curves(
        self, metric: str, x: str, place: Mapping[str, Any], methods: Iterable[str]
    ) -> dict[str, pd.DataFrame]:
        """Return the published curves that belong into a panel.

        Parameters
        ----------
        metric : str
            The metric or cost that the panel shows.
        x : str
            Column of the parameter along its axis.
        place : mapping of str to value
            What else the panel stands for: its ``"dataset"``, and parameters by column.
        methods : iterable of str
            Names of the methods in the panel.

        Returns
        -------
        dict of str to DataFrame
            Method name to ``x``, ``center`` and ``sd`` (NaN where none is published). Empty where
            nothing is published, or for other values of a parameter.
        """
        if self.published is None or metric not in self.published.values:
            return {}
        table, along = self.published.table, ""
        for column, ours in self.published.keys.items():
            if ours == x:
                along = column
            elif ours != "method":
                here = self.table.loc[self.table["dataset"] == place["dataset"], ours].unique()
                value = place.get(ours, here[0])
                names = {canonical(value)}
                if ours == "dataset":
                    names |= {canonical(self.datasets[value])}
                if ours not in place and len(here) > 1:
                    return {}
                table = table[table[column].map(canonical).isin(names)]
        spelled = next((k for k, ours in self.published.keys.items() if ours == "method"), "")
        if not along or not spelled:
            return {}
        center, sd = [*self.published.values[metric], None][:2]
        curves = pd.DataFrame({
            "x": table[along], "center": table[center], "sd": table[sd] if sd else np.nan,
            "method": table[spelled].map(canonical),
        }).dropna(subset="center").sort_values("x")  # fmt: skip
        found = {}
        for name in dict.fromkeys(methods):
            known = {canonical(name), canonical(self.methods[name])}
            curve = curves[curves["method"].isin(known)].drop(columns="method")
            if len(curve):
                found[name] = curve
        return found

    def data_titles(self, ignore: Collection[str] = ()) -> pd.Series:
        """Title of each row's dataset, with the parameters in which its cells differ.

        Parameters
        ----------
        ignore : collection of str
            Columns that do not tell cells apart: those on an axis of the figure.

        Returns
        -------
        Series of str
            One title a row of ``table``.
        """
        return _titles(self.table, "data.", self.datasets, ["dataset"], ignore)

    def method_titles(self, ignore: Collection[str] = ()) -> pd.Series:
        """Title of each row's method, with the parameters in which its cells differ.

        Only cells on the same dataset are compared: a number of components that follows the dataset
        's latent does not make two methods of one.

        Parameters
        ----------
        ignore : collection of str
            Columns that do not tell cells apart: those on an axis of the figure.

        Returns
        -------
        Series of str
            One title a row of ``table``.
        """
        return _titles(self.table, "method.", self.methods, ["method", "data_cell"], ignore)


def _titles(
    table: pd.DataFrame,
    prefix: str,
    titles: Mapping[str, str],
    within: list[str],
    ignore: Collection[str],
) -> pd.Series:
    """Return a title a row: that of its name and the parameters that vary for this name."""
    name = within[0]
    result = table[name].map(titles)
    for column in table.columns:
        if not column.startswith(prefix) or column in ignore:
            continue
        text = table[column].astype("string").fillna("")
        counts = text.groupby([table[key] for key in within]).nunique()
        varying = counts.groupby(level=name).max() > 1
        shown = table[name].map(varying) & (text != "")
        result = result.where(~shown, result + f", {column.removeprefix(prefix)} = " + text)
    return result
