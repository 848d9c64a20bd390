"""Data passed to a figure function: a study's tables, looks and first embeddings."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nldr.costs import COSTS
from nldr.dataset import Dataset
from nldr.figures.style import MethodStyle

CELL = ["data_cell", "method", "method_cell"]
# Values of parameters that headings spell with letters that names in a catalog do not have
VALUES = {
    "gamma_exponential": "γ-exponential",
    "matern": "Matérn",
    "ornstein_uhlenbeck": "Ornstein–Uhlenbeck",
}
NO_BREAK = "\N{NO-BREAK SPACE}"
CLOCKS = {
    "cpu_seconds": "Times: CPU seconds.",
    "seconds": "Times: wall clock, without other jobs of the build beside a run.",
    "": "Times: wall clock, while other jobs ran.",
}


@dataclass(frozen=True, kw_only=True)
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
    looks : mapping of str to MethodStyle
        Method name to its look, from :func:`nldr.figures.style.look`.
    datasets : mapping of str to str
        Dataset name to display title, in the study's order.
    metrics : mapping of str to mapping
        Metric name to its ``label``, ``title``, ``range`` (lowest and highest value) and
        ``direction`` (``"higher"`` or ``"lower"`` is better).
    table : DataFrame
        One row per trial: ``dataset``, ``data_cell``, ``method``, ``method_cell``, ``trial``,
        ``ok`` (bool), ``status`` and ``message`` (text), parameters as ``data.<name>`` and
        ``method.<name>``, and one column per metric, NaN where there is no score.
    timings : DataFrame
        The same keys with ``seconds`` (wall time of the fit), ``cpu_seconds`` and ``peak_mb``.
    published : DataFrame or None
        One row per published number and metric: ``dataset`` and ``method`` (names as in
        ``table``; a missing dataset means any), parameters as in ``table``, ``metric`` (a metric
        of the study or ``seconds``), ``value``, ``sd`` (NaN where none is published), and the
        cell of ours that it corresponds to as ``data_cell`` and ``method_cell`` (NaN where we
        have none). A number that corresponds to several cells has one row for each.
    panel : callable
        ``panel(data_cell, method_cell)`` returns the dataset and the embedding of the first
        trial, an array of shape (n_samples, n_components), or None where the method failed.
    history : callable
        ``history(data_cell, method_cell, name)`` returns an array that the first trial's fit
        recorded, with one value per epoch, or None where there is none.
    selected : collection of str
        Names in ``table`` of the best of several settings or methods.
    scale : str
        Scale at which the study was run.
    unpublished : bool
        Whether the study has published numbers, but none that correspond to rows of ``table``.
    """

    title: str
    methods: Mapping[str, str]
    roles: Mapping[str, str]
    looks: Mapping[str, MethodStyle]
    datasets: Mapping[str, str]
    metrics: Mapping[str, Mapping[str, Any]]
    table: pd.DataFrame
    timings: pd.DataFrame
    published: pd.DataFrame | None
    panel: Callable[[str, str], tuple[Dataset, NDArray | None]]
    history: Callable[[str, str, str], NDArray | None] = lambda data_cell, method_cell, name: None
    selected: Collection[str] = ()
    scale: str = ""
    unpublished: bool = False

    def facts(self) -> str:
        """Return the scale and the numbers of points and of trials, in words.

        Examples
        --------
        >>> table = pd.DataFrame({
        ...     "data_cell": "d", "method_cell": ["a", "b", "b"], "trial": [0, 0, 1]})
        >>> StudyResults(
        ...     title="", methods={}, roles={}, looks={}, datasets={}, metrics={}, table=table,
        ...     timings=table.assign(fitted_rows=50.0), published=None, panel=None, scale="quick",
        ... ).facts().replace(NO_BREAK, " ")
        'Scale quick; n = 50 fitted points; 1 to 2 trials.'
        """
        # Points that methods were fitted on; a fit that failed has none.
        fitted = self.timings.get("fitted_rows", pd.Series(dtype=float)).dropna()
        words = [f"scale {self.scale}"] if self.scale else []
        if len(fitted):
            words.append(f"n = {span(fitted)} fitted points")
        elif "data.n_samples" in self.table:
            words.append(f"n = {span(self.table['data.n_samples'].dropna())} points")
        # Line breaks at semicolons only
        text = "; ".join(word.replace(" ", NO_BREAK) for word in [*words, self.trials()])
        return f"{text[:1].upper()}{text[1:]}."

    def trials(self) -> str:
        """Return the number of trials per cell, in words: ``1 trial`` or ``2 to 5 trials``."""
        if "trial" not in self.table:
            return "1 trial"
        counts = self.table.groupby(["data_cell", "method_cell"])["trial"].nunique()
        return f"{span(counts)} trial{'s' * bool(counts.max() > 1)}"

    @property
    def repeated(self) -> bool:
        """True if some cell has more than one trial, so that there can be bars."""
        return self.trials() != "1 trial"

    def clock(self, cost: str = "seconds") -> str:
        """Return the column of the timings to draw for a cost.

        Wall times are comparable only if each run had the machine to itself. Otherwise, figures of
        ``seconds`` draw ``cpu_seconds``.
        """
        has_cpu = "cpu_seconds" in self.timings and self.timings["cpu_seconds"].notna().any()
        return "cpu_seconds" if cost == "seconds" and has_cpu and not self._alone() else cost

    def clock_note(self, costs: Iterable[str]) -> str:
        """Return a sentence that names the clock of the times among some costs; empty if none."""
        columns = [self.clock(cost) for cost in costs if cost in COSTS and "seconds" in cost]
        waited = any(cost != "cpu_seconds" for cost in columns)
        notes = [CLOCKS["cpu_seconds"]] if "cpu_seconds" in columns else []
        notes += [CLOCKS["seconds" if self._alone() else ""]] if waited else []
        return " ".join(notes)

    def cost_label(self, cost: str) -> str:
        """Return the label of a cost, with the clock that figures draw."""
        return COSTS[cost].replace("(s)", "(CPU s)") if self.clock(cost) != cost else COSTS[cost]

    def _alone(self) -> bool:
        """Return whether no run had other jobs of the build beside it."""
        exclusive = self.timings.get("exclusive", pd.Series(dtype=bool))
        return len(exclusive) > 0 and bool((exclusive.astype(str) == "True").all())

    def published_values(self, metric: str) -> dict[tuple[str, str, str], float]:
        """Return the published values of a metric that correspond to cells of ours.

        Parameters
        ----------
        metric : str
            A metric of the study, or ``seconds``.

        Returns
        -------
        dict of (str, str, str) to float
            Value by ``data_cell``, ``method`` and ``method_cell``.
        """
        if self.published is None:
            return {}
        rows = self.published[self.published["metric"] == metric].dropna(subset=[*CELL, "value"])
        return dict(zip(rows[CELL].itertuples(index=False, name=None), rows["value"], strict=True))

    def published_curves(
        self, metric: str, x: str, fixed: Mapping[str, Any], methods: Iterable[str]
    ) -> dict[str, pd.DataFrame]:
        """Return the published curves to draw in a panel.

        Parameters
        ----------
        metric : str
            The metric or cost that the panel shows.
        x : str
            Column of the parameter on the horizontal axis.
        fixed : mapping of str to value
            The panel's ``"dataset"``, and the values of parameters that all its points share.
        methods : iterable of str
            Names of the methods in the panel.

        Returns
        -------
        dict of str to DataFrame
            Method name to ``x``, ``center`` and ``sd`` (NaN where none is published). Empty where
            nothing is published, or only for other values of a parameter.
        """
        if self.published is None or x not in self.published:
            return {}
        # Rows for the panel's metric and dataset
        rows = self.published[self.published["metric"] == metric].dropna(subset=["value"])
        rows = rows[rows["dataset"].isna() | (rows["dataset"] == fixed["dataset"])]
        ours = self.table[self.table["dataset"] == fixed["dataset"]]
        # Rows for its parameters: those it fixes, and those with a single value in our table
        for column in rows.columns[rows.columns.str.startswith(("data.", "method."))]:
            values = [fixed[column]] if column in fixed else ours[column].unique()
            if column == x:
                continue
            if len(values) > 1:
                return {}
            rows = rows[_equal(rows[column], values[0])]
        # One curve per method
        curves = rows[["value", "sd", "method"]].rename(columns={"value": "center"})
        curves.insert(0, "x", pd.to_numeric(rows[x]))
        curves = curves.drop_duplicates(["method", "x"]).sort_values("x")
        by_method = {name: curves[curves["method"] == name] for name in dict.fromkeys(methods)}
        return {name: c.drop(columns="method") for name, c in by_method.items() if len(c)}

    def data_titles(self, ignore: Collection[str] = ()) -> pd.Series:
        """Return the title of each row's dataset, with the parameters in which its cells differ.

        Parameters
        ----------
        ignore : collection of str
            Columns to leave out of the titles, such as the parameter on an axis of the figure.

        Returns
        -------
        Series of str
            One title per row of ``table``.
        """
        return cell_titles(self.table, "data.", self.datasets, ["dataset"], ignore)

    def method_titles(self, ignore: Collection[str] = ()) -> pd.Series:
        """Return the title of each row's method, with the parameters in which its cells differ.

        Only cells on the same dataset are compared: a method whose number of components equals
        the latent dimension of each dataset has one title. The best of several settings is one
        line whatever its setting, so only its number of components is in the title.

        Parameters
        ----------
        ignore : collection of str
            Columns to leave out of the titles, such as the parameter on an axis of the figure.

        Returns
        -------
        Series of str
            One title per row of ``table``.
        """
        best = self.table["method"].isin(self.selected)
        settings = self.table.filter(regex="^method[.](?!n_components$)").columns
        texts = self.table[settings].astype("string").mask(best)
        table = self.table.assign(**{column: texts[column] for column in settings})
        return cell_titles(table, "method.", self.methods, ["method", "data_cell"], ignore)


def left_out(names: Iterable[str], reason: str) -> str:
    """Return a sentence that names the items a figure does not show; empty if there is none.

    Examples
    --------
    >>> left_out(["A", "B", "A"], "failed"), left_out([], "failed")
    ('Left out (failed): A, B.', '')
    """
    distinct = list(dict.fromkeys(names))
    return f"Left out ({reason}): {', '.join(distinct)}." if distinct else ""


def span(values: pd.Series) -> str:
    """Return the range of whole numbers in words.

    Examples
    --------
    >>> span(pd.Series([3, 5])), span(pd.Series([3, 3]))
    ('3 to 5', '3')
    """
    low, high = int(values.min()), int(values.max())
    return f"{low}" if low == high else f"{low} to {high}"


def _equal(column: pd.Series, value: Any) -> NDArray:
    """Compare a column with a value: as numbers if it is one, else by letters and digits."""
    number = pd.to_numeric(value, errors="coerce")
    if pd.isna(number):
        return (column.map(_letters) == _letters(value)).to_numpy()
    return np.isclose(pd.to_numeric(column, errors="coerce"), number, rtol=1e-12, atol=0)


def _letters(value: Any) -> str:
    """Return the letters and digits of a text, in which a paper's spelling agrees with ours."""
    return re.sub(r"[\W_]", "", str(value)).lower()


def cell_titles(
    table: pd.DataFrame,
    prefix: str,
    titles: Mapping[str, str],
    within: list[str],
    ignore: Collection[str],
) -> pd.Series:
    """Return one title per row: the name's title and the parameters that vary for this name."""
    name = within[0]
    result = table[name].map(titles)
    for column in table.columns:
        if not column.startswith(prefix) or column in ignore:
            continue
        # Names for which the parameter has several values
        text = table[column].astype("string").fillna("")
        counts = text.groupby([table[key] for key in within]).nunique()
        varying = counts.groupby(level=name).max() > 1
        is_varying = table[name].map(varying) & (text != "")
        result = result.where(~is_varying, result + f", {column.removeprefix(prefix)} = " + text)
    return result
