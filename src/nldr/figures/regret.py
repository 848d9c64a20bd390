"""Regret of scores: how far the maps that they pick fall short of the best ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from nldr.figures import style
from nldr.figures.differences import interval
from nldr.figures.results import StudyResults
from nldr.statistics.picking import Maps, Score

# Distance of rows, room above and below a panel, right margin, and room for counts, mm
PITCH, ABOVE, BELOW, MARGIN, COUNTS = 3.6, 10.0, 9.0, 3.0, 14.0
WITHIN = 0.02  # regret that counts as nearly the best
COMBINED, METHOD, RANDOM = "best pair of scores", "best single method", "map at random"
REFERENCES = (METHOD, RANDOM)


@style.journal()
def regret(
    results: StudyResults,
    *,
    truths: Sequence[str],
    families: Mapping[str, Sequence[str]],
    means: Mapping[str, Sequence[str]] | None = None,
) -> Figure:
    """Draw how far the map that each score picks falls short of the best, by several truths.

    Dots are means over datasets, bars are 95 % confidence intervals by Student's t. Numbers count
    the datasets on which the mean over trials is at most 0.02. The best pair of scores, and the
    best single method, are chosen on all other families of datasets.

    Parameters
    ----------
    truths : sequence of str
        Metrics of the study that say which map is the best; the others are scores.
    families : mapping of str to sequence of str
        Families with the names of their datasets.
    means : mapping of str to sequence of str, optional
        Further scores, the means of several metrics, by their titles. The first picks the setting
        of the best single method.

    Returns
    -------
    Figure
        One panel per truth, one row per score, ordered by the first truth.
    """
    means = means or {}
    directions = {name: str(facts["direction"]) for name, facts in results.metrics.items()}
    maps = Maps(results.table, directions)
    shown = [truth for truth in truths if truth in results.metrics]
    names = scores_of(results.metrics, truths)
    scores: dict[str, Score] = {**titles_of(results.metrics, names), **means}
    columns = {truth: rows_of(maps, scores, truth, families, means) for truth in shown}
    first = columns[shown[0]]
    order = np.argsort([regrets.mean() for regrets in first.values()], kind="stable")
    titles = [[*first][i] for i in order]
    # Size of the figure
    left = max(style.text_width(title, style.SMALL) for title in titles) + 5
    width = (style.DOUBLE - left - MARGIN) / len(shown) - COUNTS
    height = PITCH * len(titles)
    note = _note(maps, families)
    figure, head = style.titled_figure(style.DOUBLE, ABOVE + height + BELOW, results.title, note)
    for j, (truth, rows) in enumerate(columns.items()):
        x = left + j * (width + COUNTS)
        heading = style.wrap(str(results.metrics[truth]["label"]), style.TEXT, width)
        style.add_text(figure, x, head, heading, weight="bold")
        axes = style.add_axes(figure, x, head + ABOVE, width, height)
        _draw_panel(axes, {title: rows[title] for title in titles})
        axes.set_yticks(range(len(titles)), titles if j == 0 else [""] * len(titles))
        axes.set_xlabel("regret")
    return figure


def scores_of(metrics: Iterable[str], truths: Sequence[str]) -> list[str]:
    """Return the metrics that rate maps without the truth; those of doubt rate single points."""
    return [name for name in metrics if name not in truths and not name.startswith("doubt")]


def titles_of(metrics: Mapping[str, Mapping[str, object]], names: Sequence[str]) -> dict[str, str]:
    """Return metrics by their labels, or by their titles where several have the same label.

    Examples
    --------
    >>> facts = {"a": ("k", "k of 1"), "b": ("k", "k of 2"), "c": ("r", "rho")}
    >>> metrics = {name: {"label": label, "title": title} for name, (label, title) in facts.items()}
    >>> titles_of(metrics, ["a", "b", "c"])
    {'k of 1': 'a', 'k of 2': 'b', 'r': 'c'}
    """
    labels = [str(metrics[name]["label"]) for name in names]
    return {
        label if labels.count(label) == 1 else str(metrics[name]["title"]): name
        for name, label in zip(names, labels, strict=True)
    }


def rows_of(
    maps: Maps,
    scores: Mapping[str, Score],
    truth: str,
    families: Mapping[str, Sequence[str]],
    means: Mapping[str, Sequence[str]],
) -> dict[str, NDArray]:
    """Return the mean regrets on each dataset, of all scores and references by one truth."""
    regrets = {title: maps.regrets(score, truth) for title, score in scores.items()}
    combined, _ = maps.combined([*scores.values()], truth, families)
    chooser = next(iter(means.values()), next(iter(scores.values())))
    method, _ = maps.best_method(chooser, truth, families)
    regrets |= {COMBINED: combined, METHOD: method, RANDOM: maps.mean_regrets(truth)}
    return {title: maps.per_dataset(values) for title, values in regrets.items()}


def _draw_panel(axes: Axes, rows: Mapping[str, NDArray]) -> None:
    """Draw one truth: dots with intervals, and the datasets on which a pick is nearly the best."""
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    text: dict[str, Any] = {"textcoords": "offset points", "size": style.SMALL, "color": style.GRAY}
    text |= {"xycoords": axes.get_yaxis_transform(), "xytext": (3, 0), "va": "center"}
    for y, (title, regrets) in enumerate(rows.items()):
        center, low, high = interval(regrets.tolist())
        color = style.GRAY if title in REFERENCES else style.COLORS[0]
        axes.plot([max(low, 0.0), high], [y, y], color=color, linewidth=0.9)
        axes.plot(center, y, "o", color=color, markersize=3, gid="regret")
        count = f"{int((regrets <= WITHIN).sum())} of {len(regrets)}"
        axes.annotate(count, (1.0, y), **text)
    axes.axvline(WITHIN, color=style.LIGHT, linewidth=0.8, zorder=0)
    axes.set_xlim(left=0.0)


def _note(maps: Maps, families: Mapping[str, Sequence[str]]) -> str:
    """Return the sentences below the panels."""
    n_maps = len(maps.methods)
    cells = maps.units.get_level_values("data_cell").nunique()
    chosen = len({*maps.families(families)})
    return (
        "Regret: how far the map that a score rates highest falls short of the best of "
        f"{n_maps} maps (methods and settings), on {cells} datasets of {chosen} families. "
        "Dots: mean over datasets; bars: 95 % confidence interval; line: regret 0.02, with the "
        f"number of datasets below it. The {COMBINED} and the {METHOD} were chosen on all other "
        "families."
    )
