"""Scores at the method's own number of neighbors, and their agreement with published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nldr.figures import style
from nldr.figures.axes import axis_limits
from nldr.figures.grid import grid
from nldr.figures.results import StudyResults

K = "method.n_neighbors"
CELL = ["data_cell", "method_cell"]
SIDE, ABOVE, LEFT, PITCH = 44.0, 6.0, 13.0, 60.0  # side, head, margin and pitch of panels, mm
LINE = 3.4  # height of a line of the legend, mm
MARGIN = 0.01  # largest difference of scores that agree


@style.journal()
def own_neighbors(results: StudyResults) -> Figure:
    """Draw all metrics against the number of neighbors, one row of panels per dataset.

    Metrics of several numbers of neighbors (``<name>_k<k>``) become one, in which each method is
    scored with as many neighbors as it had. A method without neighbors is drawn for each number.

    Returns
    -------
    Figure
        The panels of :func:`nldr.figures.grid.grid`, with published scores as pale curves.
    """
    return grid(at_own_neighbors(results), x=K, x_label="number of neighbors")


def at_own_neighbors(results: StudyResults) -> StudyResults:
    """Return results in which metrics of several numbers of neighbors have the method's number.

    Parameters
    ----------
    results : StudyResults
        Results with metrics ``<name>_k<k>`` and perhaps others.

    Returns
    -------
    StudyResults
        Metrics ``<name>``, and the others unchanged. Rows and published numbers of methods without
        neighbors are repeated for each k.
    """
    names = {m: m.rpartition("_k") for m in results.metrics if m.rpartition("_k")[2].isdecimal()}
    numbers = sorted({int(k) for _, _, k in names.values()})
    stems = list(dict.fromkeys(stem for stem, _, _ in names.values()))

    # Our scores: the column of each row's own number
    table = _for_each(results.table, numbers)
    for stem in stems:
        table[stem] = np.nan
        for k in numbers:
            row_k = table[K] == k
            table.loc[row_k, stem] = table.loc[row_k, f"{stem}_k{k}"]

    # Published scores: those of the row's own number, under the new name
    published = results.published
    if published is not None:
        parts = published["metric"].map(lambda m: names.get(m, (m, "", "")))
        k = pd.to_numeric(parts.str[2])
        row_k = pd.to_numeric(published[K]) if K in published else k
        matches = k.isna() | row_k.isna() | (k == row_k)
        renamed = published.assign(metric=parts.str[0], **{K: row_k.fillna(k)})[matches]
        published = _for_each(renamed, numbers)

    # Facts of the new metrics, from those of the first number
    metrics = {m: facts for m, facts in results.metrics.items() if m not in names}
    for stem in stems:
        facts = results.metrics[next(m for m, parts in names.items() if parts[0] == stem)]
        metrics[stem] = {**facts, "title": str(facts["title"]).rpartition(",")[0]}
    timings = _for_each(results.timings, numbers)
    return replace(results, table=table, timings=timings, published=published, metrics=metrics)


def _for_each(rows: pd.DataFrame, numbers: Sequence[int]) -> pd.DataFrame:
    """Return rows in which those without a number of neighbors are repeated for each number."""
    row_k = pd.to_numeric(rows[K], errors="coerce") if K in rows else pd.Series(np.nan, rows.index)
    numbered = rows.assign(**{K: row_k})
    repeated = [numbered[row_k.isna()].assign(**{K: float(k)}) for k in numbers]
    return pd.concat([numbered[row_k.notna()], *repeated], ignore_index=True)


@style.journal()
def agreement(results: StudyResults) -> Figure:
    """Draw our scores against the published ones, one panel per metric and one point per run.

    Metrics without published numbers have no panel.

    A line below each panel gives the share of runs that differ by at most 0.01, and the legend that
    of each method over all metrics. Where there is one method, the note gives it.

    Parameters
    ----------
    results : StudyResults
        The study's results. Without published numbers there are no panels.

    Returns
    -------
    Figure
        The panels.
    """
    rescored = at_own_neighbors(results)
    frames = {metric: paired(rescored, metric) for metric in rescored.metrics}
    pairs = {metric: frame for metric, frame in frames.items() if len(frame)}
    note = "Points: means of the trials of a run; diagonal: equal to the published score."
    if not pairs:
        nothing = "No runs of this size are published: there is nothing to compare."
        return style.titled_figure(style.DOUBLE, 0, results.title, nothing)[0]
    of_method = dict(list(pd.concat(pairs.values()).groupby("method")))
    shares = {m: _share(of_method[m]) for m in results.methods if m in of_method}
    lines = [f"{results.methods[method]}: {share}" for method, share in shares.items()]
    if len(shares) == 1:
        note, shares = f"{note} {lines[0]}.", {}
    height = ABOVE + SIDE + 13 + LINE * len(shares)
    figure, head = style.titled_figure(style.DOUBLE, height, results.title, note)
    for j, (metric, frame) in enumerate(pairs.items()):
        facts = rescored.metrics[metric]
        corner = (LEFT + j * PITCH, head + ABOVE)
        axes = style.add_axes(figure, *corner, SIDE, SIDE)
        _draw_pairs(axes, frame, results, facts)
        middle, label = corner[0] + SIDE / 2, facts["label"]
        style.add_text(figure, middle, head + ABOVE - 1.5, label, ha="center", va="bottom")
        share = _share(frame)
        style.add_text(figure, middle, head + ABOVE + SIDE + 8, share, ha="center")
    # Legend with the shares of the methods
    dots = [
        Line2D([], [], **{**results.looks[method].line(), "linestyle": ""}, label=line)
        for method, line in zip(shares, lines, strict=False)
    ]
    if dots:
        place: dict[str, Any] = {
            "loc": "lower left",
            "bbox_to_anchor": (0, 0),
            "borderaxespad": 0.3,
        }
        figure.legend(handles=dots, frameon=False, handlelength=1, labelspacing=0.35, **place)
    return figure


def paired(results: StudyResults, metric: str) -> pd.DataFrame:
    """Return our mean score and the published one of each cell that has both.

    Parameters
    ----------
    results : StudyResults
        Results of :func:`at_own_neighbors`.
    metric : str
        One of its metrics.

    Returns
    -------
    DataFrame
        ``dataset``, ``method``, ``ours`` and ``theirs``, one row per cell and number of neighbors.
    """
    if results.published is None:
        return pd.DataFrame(columns=["dataset", "method", "ours", "theirs"])
    by = [*CELL, K]
    ours = results.table[results.table["ok"]].dropna(subset=[metric])
    means = ours.groupby([*by, "dataset", "method"], as_index=False)[metric].mean()
    published = results.published[results.published["metric"] == metric].dropna(subset=CELL)
    published = published.drop_duplicates(by)[[*by, "value"]].dropna()
    pairs = means.merge(published, on=by).rename(columns={metric: "ours", "value": "theirs"})
    return pairs[["dataset", "method", "ours", "theirs"]]


def _draw_pairs(
    axes: Any, pairs: pd.DataFrame, results: StudyResults, facts: Mapping[str, Any]
) -> None:
    """Draw the points of one panel, with the diagonal."""
    for method, points in pairs.groupby("method", sort=False):
        line = {**results.looks[method].line(), "linestyle": ""}
        axes.plot(points["theirs"], points["ours"], **line)
    values = pairs[["theirs", "ours"]].to_numpy(float).ravel()
    low, high = axis_limits(values, False, facts["range"])
    axes.plot([low, high], [low, high], color=style.GRAY, linewidth=0.5, zorder=0)
    axes.set(xlim=(low, high), ylim=(low, high), xlabel="published", ylabel="ours")


def _share(pairs: pd.DataFrame) -> str:
    """Return the number of pairs that agree, of how many."""
    # The margin is widened by half a unit of the last published digit
    close = (pairs["ours"] - pairs["theirs"]).abs() <= MARGIN + 5e-4
    return f"{int(close.sum())} of {len(pairs)} within {MARGIN:g}"
