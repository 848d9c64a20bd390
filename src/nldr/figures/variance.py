"""Shares of data, method and machine in the variance of a study: one bar per method."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from nldr.costs import COSTS
from nldr.figures import style
from nldr.figures.results import StudyResults, left_out
from nldr.statistics.variance import variance_table

PARTS = {"data": "draw of the data", "method_seed": "seed of the method", "machine": "machine"}
FILLS = {"data": "#0072B2", "method_seed": "#E69F00", "machine": "#B4B4A5"}
# Distance of rows, gap between blocks, room above, below and for the key, margin, mm
PITCH, GAP, ABOVE, BELOW, KEY, MARGIN = 3.4, 6.5, 12.0, 5.5, 5.0, 2.0
# Room for numbers right of the bars, and how far right of them each number begins, mm
NUMBERS, HEADS = 34.5, {"shares, %": 1.0, "mean": 14.5, "s.d.": 25.0}
KEYS = ["dataset", "data_cell", "method", "method_cell", "trial"]


@style.journal()
def variance(results: StudyResults, *, columns: Sequence[str] | None = None) -> Figure:
    """Draw the shares of data, method and machine in the variance of scores and costs.

    The study's datasets have ``draw``, and some ``repeat``. The numbers beside a bar are the shares
    in percent, the mean, and the standard deviation of a single run; that of a cost is relative.

    Parameters
    ----------
    results : StudyResults
        The study's results, with one setting of each method.
    columns : sequence of str, optional
        Metrics of the study, or costs; by default all metrics and ``seconds``, which are CPU
        seconds unless each run had no other job of the build beside it.

    Returns
    -------
    Figure
        One column per metric, one block of bars per dataset.

    Raises
    ------
    ValueError
        If no method has two complete draws with two seeds each.
    """
    names = [results.clock(name) for name in columns or [*results.metrics, "seconds"]]
    clocks = results.timings[[*KEYS, *(name for name in names if name in COSTS)]]
    costs = clocks[[name for name in clocks if name not in results.table]]
    rows = pd.concat([results.table, costs], axis=1)
    frame = variance_table(rows, names, COSTS)
    if frame.empty:
        raise ValueError(
            "no method has two complete draws with two seeds each: give the datasets "
            "more values of draw, and the study more trials"
        )
    blocks = frame.groupby("dataset", sort=False)["method"].unique()
    titles = [results.methods[method] for block in blocks for method in block]
    left = max(style.text_width(title, style.TEXT) for title in titles) + 5
    width = (style.DOUBLE - left - MARGIN) / len(names) - NUMBERS
    heights = [PITCH * len(block) for block in blocks]
    total = ABOVE + sum(heights) + GAP * (len(blocks) - 1) + BELOW + KEY
    omitted = [title for name, title in results.methods.items() if name not in set(frame["method"])]
    parts = [left_out(omitted, "too few complete draws"), results.clock_note(names)]
    note = " ".join(filter(None, [_note(frame), *parts]))
    figure, head = style.titled_figure(style.DOUBLE, total, results.title, note)
    for j, name in enumerate(names):
        x, top = left + j * (width + NUMBERS), head + ABOVE
        label = f"{COSTS[name].partition(' (')[0]}, log" if name in COSTS else None
        style.add_text(figure, x, head, label or results.metrics[name]["label"])
        for text, place in HEADS.items():
            style.add_text(figure, x + width + place, head + PITCH, text)
        for (dataset, block), height in zip(blocks.items(), heights, strict=True):
            axes = style.add_axes(figure, x, top, width, height)
            part = frame[(frame["dataset"] == dataset) & (frame["column"] == name)]
            _draw_block(axes, part.set_index("method").reindex(block), width)
            if j == 0:
                axes.set_yticks(range(len(block)), [results.methods[method] for method in block])
                style.add_text(figure, 2, top - 4, results.datasets[dataset], weight="bold")
            axes.tick_params(labelbottom=top + height + GAP > head + total - BELOW - KEY)
            top += height + GAP
    key = [Patch(color=FILLS[part], label=f"share of the {name}") for part, name in PARTS.items()]
    style.add_key(figure, key)
    return figure


def _note(frame: pd.DataFrame) -> str:
    """Return the numbers of draws, seeds and repeated runs, and the meaning of the numbers."""
    draws, seeds, repeated = (
        f"{counts.min()} to {counts.max()}" if counts.min() < counts.max() else f"{counts.min()}"
        for counts in (frame["n_draws"], frame["n_seeds"], frame["n_repeated"])
    )
    return (
        f"Bars: shares of the variance over {draws} draws of the data × {seeds} seeds of the "
        f"method, {repeated} runs repeated. Shares, %: data/seed/machine; mean: geometric for a "
        "time; s.d.: of a single run, relative for a time."
    )


def _draw_block(axes: Axes, shares: pd.DataFrame, width: float) -> None:
    """Draw the bars of one dataset and column, ``width`` mm wide, with numbers beside them."""
    axes.set_ylim(len(shares) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
    axes.set_yticks(range(len(shares)), [""] * len(shares))
    axes.tick_params(axis="y", length=0)
    start = pd.Series(0.0, shares.index)
    for part in PARTS:
        axes.barh(range(len(shares)), shares[part], left=start, height=0.7, color=FILLS[part])
        start += shares[part]
    for y, row in enumerate(shares.to_dict("records")):
        if pd.notna(row["sd"]):
            percents = "/".join(f"{100 * row[part]:.0f}" for part in PARTS)
            numbers = (percents, f"{row['mean']:.3g}", f"{row['sd']:.2g}")
            for place, text in zip(HEADS.values(), numbers, strict=True):
                axes.text(1 + place / width, y, text, va="center", fontsize=style.TEXT)
