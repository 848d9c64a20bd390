"""Table of our scores beside the published ones, with the differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from nldr.figures import style
from nldr.figures.results import CELL, StudyResults
from nldr.figures.table import add_rule

# Heights of a line of the table and of a heading, width of a number, gap between columns, mm
LINE, HEAD, NUMBER, GAP = 3.6, 2.7, 11.0, 4.0
CLOSEST = 2.0  # smallest gap between the columns of two metrics, mm
BOLD = 1.15  # width of bold letters, relative to others
FAR = style.COLORS[0]  # color of a difference beyond the tolerance


class ScorePair(NamedTuple):
    """Our mean and the published one, NaN where there is none.

    ``spread``: whether a standard deviation is published; ``far``: whether the two disagree.
    """

    ours: float
    published: float
    spread: bool
    far: bool


@style.journal()
def comparison(
    results: StudyResults,
    *,
    metrics: Sequence[str] | None = None,
    tolerance: float = 0.01,
    published_trials: int = 1,
) -> Figure:
    """Draw a table of our mean scores, the published ones, and ours minus the published.

    Parameters
    ----------
    metrics : sequence of str, optional
        Metrics of the study, all of them by default.
    tolerance : float, default=0.01
        Differences of more are in color. Where a standard deviation is published, only those that
        also exceed twice the standard error that the difference has if ours has the same one.
    published_trials : int, default=1
        Number of trials behind each published mean with a standard deviation.

    Returns
    -------
    Figure
        The table: one row per dataset and method, three columns per metric.
    """
    table = results.table.assign(row=results.data_titles(), line=results.method_titles())
    cells = list(table.groupby(CELL, sort=False))
    metrics = list(metrics or results.metrics)
    entries = [_compare(results, cells, m, tolerance, published_trials) for m in metrics]
    lines = _lines([(rows["row"].iloc[0], rows["line"].iloc[0]) for _, rows in cells])
    # Titles of metrics and the note, broken into lines
    size = BOLD * style.SMALL
    titles = [style.wrap(results.metrics[m]["title"], size, 3 * NUMBER) for m in metrics]
    head = HEAD * (max(title.count("\n") for title in titles) + 1) + 5
    note = _note(results, [e for column in entries for e in column], tolerance)
    names = max(style.text_width(name, style.TEXT) for name, _ in lines) + 2 + GAP
    room = (style.DOUBLE - 2 - names) / len(titles)
    pitch = float(np.clip(room, 3 * NUMBER + CLOSEST, 3 * NUMBER + 2 * GAP))
    width = max(style.SINGLE, names + pitch * len(titles) + 2)
    figure, top = style.titled_figure(width, head + LINE * len(lines), results.title, note)
    # Names on the left, three columns per metric
    _draw_names(figure, lines, top + head)
    for j, (title, column) in enumerate(zip(titles, entries, strict=True)):
        rights = [names + j * pitch + (i + 1) * NUMBER for i in range(3)]
        _draw_headings(figure, title, rights, top + head)
        for i, (_, cell) in enumerate(lines):
            if cell is not None:
                _draw_entry(figure, column[cell], rights, top + head + i * LINE)
    return figure


def _lines(names: Sequence[tuple[str, str]]) -> list[tuple[str, int | None]]:
    """Return the lines of the table: their texts, and the positions of their cells.

    If there is only one method, lines are datasets. Otherwise they are methods, below a line with
    the name of the dataset, which has no cell.
    """
    if len({line for _, line in names}) == 1:
        return [(row, i) for i, (row, _) in enumerate(names)]
    lines: list[tuple[str, int | None]] = []
    for i, (row, line) in enumerate(names):
        if i == 0 or row != names[i - 1][0]:
            lines.append((row, None))
        lines.append((line, i))
    return lines


def _compare(
    results: StudyResults,
    cells: Sequence[tuple[tuple[str, str, str], pd.DataFrame]],
    metric: str,
    tolerance: float,
    published_trials: int,
) -> list[ScorePair]:
    """Return our mean of a metric and the published one, for each cell."""
    published = {}
    if results.published is not None:
        rows_of_metric = results.published[results.published["metric"] == metric]
        rows_of_metric = rows_of_metric.dropna(subset=[*CELL, "value"])
        keys = rows_of_metric[CELL].itertuples(index=False, name=None)
        # The s.d. is None where none is published
        spreads = pd.to_numeric(rows_of_metric["sd"])
        published = dict(zip(keys, zip(rows_of_metric["value"], spreads, strict=True), strict=True))
    compared = []
    for cell, rows in cells:
        scores = rows.loc[rows["ok"], metric].dropna()
        value, sd = published.get(cell, (np.nan, np.nan))
        limit = tolerance
        if np.isfinite(sd):
            # The error if ours are random draws of the same spread
            error = sd * np.sqrt(1 / published_trials + 1 / max(len(scores), 1))
            limit = max(tolerance, 2 * error)
        ours = float(scores.mean())
        # As drawn: with three digits
        far = round(abs(ours - value), 3) > limit
        compared.append(ScorePair(ours, value, bool(np.isfinite(sd)), far))
    return compared


def _draw_names(figure: Figure, lines: Sequence[tuple[str, int | None]], top: float) -> None:
    """Draw a rule and below it the names; bold where the line is a heading."""
    add_rule(figure, 2, figure.get_figwidth() * 25.4 - 2, top - 0.6, style.LIGHT)
    for i, (name, cell) in enumerate(lines):
        weight = "bold" if cell is None else "normal"
        style.add_text(figure, 2, top + i * LINE, name, weight=weight)


def _draw_headings(figure: Figure, title: str, rights: Sequence[float], top: float) -> None:
    """Draw the title of a metric above those of its three columns."""
    corner: dict[str, Any] = {"ha": "right", "va": "bottom"}
    bold: dict[str, Any] = {"size": style.SMALL, "weight": "bold", "multialignment": "right"}
    style.add_text(figure, rights[-1], top - 4.2, title, **corner, **bold)
    gray: dict[str, Any] = {"size": style.SMALL, "color": style.GRAY}
    for right, word in zip(rights, ("ours", "published", "difference"), strict=True):
        style.add_text(figure, right, top - 1.2, word, **corner, **gray)


def _draw_entry(figure: Figure, entry: ScorePair, rights: Sequence[float], top: float) -> None:
    """Draw our mean, and if there is a published one, that and the difference."""
    numbers = [
        ("ours", f"{entry.ours:.3f}" if np.isfinite(entry.ours) else "✕", "black"),
        ("published", f"{entry.published:.3f}", style.GRAY),
        ("difference", _signed(entry.ours - entry.published), FAR if entry.far else "black"),
    ]
    visible = (True, np.isfinite(entry.published), np.isfinite(entry.ours - entry.published))
    for (gid, text, color), right, is_visible in zip(numbers, rights, visible, strict=True):
        if is_visible:
            look = {"color": color, "weight": "bold" if color == FAR else "normal"}
            style.add_text(figure, right, top, text, gid=gid, ha="right", **look)


def _signed(value: float) -> str:
    """Return a difference with its sign, without one if it rounds to zero.

    Examples
    --------
    >>> _signed(-0.0123), _signed(-0.0001)
    ('−0.012', '0.000')
    """
    text = f"{value:+.3f}".replace("-", "−")
    return text if text.strip("+−0.") else "0.000"


def _note(results: StudyResults, entries: Sequence[ScorePair], tolerance: float) -> str:
    """Return the sentences that explain the numbers and count those that agree."""
    ours = "mean of the trials" if results.repeated else "a single trial"
    sentences = [f"Ours: {ours}. Difference: ours minus published."]
    compared = [entry for entry in entries if np.isfinite(entry.published)]
    if compared:
        agree = sum(not entry.far and np.isfinite(entry.ours) for entry in compared)
        criterion = f"within {tolerance:g}"
        if any(entry.spread for entry in compared):
            criterion += " or twice the standard error of the difference"
        sentences += [
            f"{agree} of {len(compared)} published numbers are reproduced {criterion}; the others "
            "are in color."
        ]
    else:
        sentences.append("Nothing is published for these cells.")
    return " ".join(sentences)
