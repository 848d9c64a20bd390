"""Descriptions of figures for readers who do not see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from matplotlib.figure import Figure

from nldr.costs import COSTS
from nldr.figures.results import StudyResults
from nldr.figures.style import find_note

MOST = 6  # names or results that are listed, others are counted


def describe(results: StudyResults, figure: Figure, purpose: str, params: Mapping[str, Any]) -> str:
    """Return a description of a figure: kind, metrics, methods, datasets, best methods and note.

    Parameters
    ----------
    figure : Figure
        The figure, whose note is taken.
    purpose : str
        Docstring of the function that drew it, whose first sentence says what it draws.
    params : mapping of str to Any
        Parameters of that function; ``metrics``, ``metric`` or ``columns`` name what is drawn.

    Returns
    -------
    str
        The sentences.
    """
    columns = _shown(results, params)
    titles = [
        results.cost_label(name) if name in COSTS else results.metrics[name]["title"]
        for name in columns
        if name in COSTS or name in results.metrics
    ]
    sentences = [_sentence(results.title), _purpose(purpose)]
    for word, names in (
        ("Metrics", titles),
        ("Methods", results.methods.values()),
        ("Datasets", results.datasets.values()),
    ):
        sentences += [f"{word}: {_listed(names)}."] if names else []
    metrics = [name for name in columns if name in results.metrics]
    sentences += [_best(results, metrics[0])] if metrics else []
    return " ".join(filter(None, [*sentences, " ".join(find_note(figure).split())]))


def _shown(results: StudyResults, params: Mapping[str, Any]) -> list[str]:
    """Return the metrics and costs that a figure draws: all of the study if it does not say."""
    for key in ("metrics", "columns", "metric"):
        value = params.get(key)
        names = [value] if isinstance(value, str) else value or []
        if names and all(name in results.metrics or name in COSTS for name in names):
            return list(names)
    return list(results.metrics)


def _purpose(docstring: str) -> str:
    """Return the first sentence of a function's docstring, without "Draw"."""
    first = " ".join(docstring.strip().split("\n\n")[0].split()).removeprefix("Draw ")
    return _sentence(first[:1].upper() + first[1:])


def _sentence(text: str) -> str:
    """Return a text that ends like a sentence."""
    return text if not text or text[-1] in ".?!" else f"{text}."


def _listed(names: Iterable[str]) -> str:
    """Return distinct names, the first of them in words and the others counted."""
    distinct = list(dict.fromkeys(names))
    n_others = len(distinct) - MOST
    return "; ".join(distinct[:MOST]) + (f" and {n_others} more" if n_others > 0 else "")


def _best(results: StudyResults, metric: str) -> str:
    """Return the best method by a metric on each dataset that has scores of several."""
    facts = results.metrics[metric]
    table = results.table[results.table["ok"]].assign(row=results.data_titles())
    table = table.assign(line=results.method_titles()).dropna(subset=[metric])
    controls = [name for name, role in results.roles.items() if role == "control"]
    table = table[~table["method"].isin(controls)]
    if table["line"].nunique() < 2:
        return ""
    winners = []
    for row, cells in table.groupby("row", sort=False):
        means = cells.groupby("line", sort=False)[metric].mean()
        best = means.idxmax() if facts["direction"] == "higher" else means.idxmin()
        where = f" on {row}" if table["row"].nunique() > 1 else ""
        if len(means) > 1:
            winners.append(f"{best}{where} ({means[best]:.3f})")
    return f"Best by {facts['title']}: {_listed(winners)}." if winners else ""
