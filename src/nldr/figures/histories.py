"""Quantities recorded during a fit, drawn against one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_lowercase

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from nldr.figures import style
from nldr.figures.panels import draw_panel, line_looks
from nldr.figures.results import StudyResults, left_out

LEFT, ABOVE, PLOT, PITCH = 14.0, 5.0, 42.0, 57.0  # mm


@style.journal()
def histories(
    results: StudyResults,
    *,
    x: str,
    x_label: str,
    labels: Mapping[str, str],
    log: Sequence[str] = (),
    note: str = "",
) -> Figure:
    """Draw histories of each method's first trial against one of them.

    Parameters
    ----------
    x : str
        The history on the horizontal axis.
    x_label : str
        Label of the horizontal axis.
    labels : mapping of str to str
        Histories to draw, one column each, and the labels of their axes.
    log : sequence of str
        Histories with a logarithmic axis.
    note : str
        Explanation to write below the panels.

    Returns
    -------
    Figure
        One row of panels per dataset; lines are named in the last column. A method that failed
        has no line.
    """
    # Sizes, with room for the names of the lines
    points = _points(results, x, list(labels))
    rows = list(points.groupby("row", sort=False))
    margin = max((style.text_width(line, style.TEXT) for line in points["line"]), default=0) + 4
    width = (style.DOUBLE - margin) / len(labels)
    height = PITCH * len(rows)
    # Times recorded during a fit are those of a clock on the wall
    waited = ["transform_seconds"] if any("second" in name for name in labels) else []
    unrecorded = [line for line in results.method_titles() if line not in set(points["line"])]
    parts = [note, left_out(unrecorded, "no history"), results.clock_note(waited)]
    explained = " ".join(filter(None, ["Lines: first trial of each, no bars.", *parts]))
    figure, head = style.titled_figure(style.DOUBLE, height, results.title, explained)
    looks = line_looks(points, results.looks)
    # One row of panels per dataset
    letters = iter(ascii_lowercase)
    for i, (title, row) in enumerate(rows):
        for j, (name, label) in enumerate(labels.items()):
            top, left = head + i * PITCH, j * width
            style.add_text(figure, left + 2, top, next(letters), size=style.TITLE, weight="bold")
            if j == 0:
                style.add_text(figure, left + LEFT, top, str(title))
            draw_panel(
                figure,
                (left + LEFT, top + ABOVE, width - LEFT - 3, PLOT),
                row.assign(center=row[name], low=np.nan, high=np.nan, n_ok=1, n_trials=1),
                {},
                looks,
                labels=(x_label, label),
                log=name in log,
                bounds=(0, None),
                named=j == len(labels) - 1,
            )
    return figure


def _points(results: StudyResults, x: str, names: list[str]) -> pd.DataFrame:
    """Return one row per point: ``row``, ``line``, ``method``, ``x`` and the histories."""
    table = results.table.assign(row=results.data_titles(), line=results.method_titles())
    frames = []
    for cell in table[table["trial"] == table["trial"].min()].to_dict("records"):
        values = {
            name: results.history(cell["data_cell"], cell["method_cell"], name)
            for name in (x, *names)
        }
        if values[x] is not None:
            frame = pd.DataFrame(values).rename(columns={x: "x"})
            frames.append(frame.assign(**{key: cell[key] for key in ("row", "line", "method")}))
    columns = ["x", *names, "row", "line", "method"]
    return pd.concat(frames) if frames else pd.DataFrame(columns=columns)
