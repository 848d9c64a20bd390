"""The page of a comparison: one HTML file in the style of the report, which needs no network."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from nldr.comparison.draws import DRAWS, draw_size
from nldr.comparison.ranking import MARGIN, RANDOM
from nldr.comparison.trust import neighborhood_of
from nldr.comparison.words import cpu_seconds, percent
from nldr.inputs.categories import indicator
from nldr.metrics.recovery import DOUBT
from nldr.report import explorer
from nldr.report.clouds import Cloud, Embedding
from nldr.report.content import Look, Report
from nldr.report.page import FIRST, SCRIPTS, STYLES, asset, pack, pack_pages, rules_of
from nldr.report.templating import MINUS, environment, number

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from nldr.comparison.evidence import ComparedMethods
    from nldr.inputs import Matrix

MOST_COLUMNS = 30  # features that points can be colored by
RANDOM_COLOR = "#B4B4A5"
COLUMNS = (
    ("distances", "Distances", "Rank correlation of distances in the map with those in the data"),
    ("labels", "Labels", "Share of the 7 nearest neighbors in the map with the same label"),
    ("new_points", "New points", "Share of a new point's neighbors that stay its neighbors"),
    (
        "stability",
        "Stable",
        "Share of a point's neighbors that stay the same between maps of two draws",
    ),
    ("untrusted", "Not to trust", "Share of points that should not be trusted"),
    ("seconds", "Seconds", "CPU time per fit to one draw"),
)
SECTIONS = (
    ("ranking", "Ranking"),
    ("maps", "Maps"),
    ("aims", "Other aims"),
    ("stability", "Stability"),
    ("data", "Data"),
    ("code", "Code"),
)


def render(comparison: ComparedMethods) -> str:
    """Return the page of a comparison as HTML."""
    from markupsafe import Markup

    import nldr

    templates = environment()
    report = _report(comparison)
    title = f"Which map for {comparison.data.name}?"
    (cloud,) = report.clouds
    maps = templates.get_template("explorer.html").render(
        report=report,
        shown=len(cloud.embeddings),
        left_out=0,
        alone=True,
        k=neighborhood_of(cloud.n_points),
    )
    content = templates.get_template("comparison_content.html").render(
        title=title, explorer=Markup(maps), **_content(comparison)
    )
    return templates.get_template("comparison.html").render(
        title=title,
        version=nldr.__version__,
        day=date.today().isoformat(),
        sections=SECTIONS,
        content=Markup(content),
        # The maps put their choices into the address, which leads back to the same content
        pages=pack_pages({"explorer": content}),
        blocks={name: pack(data) for name, data in explorer.blocks(report)},
        styles=[*map(asset, (*STYLES, "comparison.css")), rules_of([content])],
        first=asset(FIRST),
        scripts=[asset(name) for name in SCRIPTS],
    )


def _content(comparison: ComparedMethods) -> dict[str, Any]:
    """Return what the template shows, besides the maps."""
    table = comparison.table
    columns = [column for column in COLUMNS if column[0] in table]
    real, pca = table.drop(index=RANDOM), table.loc["PCA", "neighborhoods"]
    # The axis begins a little below the lowest method; random coordinates lie at its end
    lowest = float((real["neighborhoods"].iloc[0] - real["behind_high"]).min())
    low = max(np.floor(20 * lowest) / 20 - 0.05, table.loc[RANDOM, "neighborhoods"])
    aims, n_rows = comparison.recommendations, comparison.doctor.n_rows
    return {
        "recommendation": comparison.recommendation,
        "groups": comparison.groups,
        "facts": _facts(comparison),
        "n_draws": DRAWS,
        "margin": MARGIN,
        "doubt": DOUBT,
        "share": f"about {percent(draw_size(n_rows) / n_rows)}",
        "columns": [{"title": title, "help": words} for _, title, words in columns],
        "rows": [_row(comparison, name, [c[0] for c in columns], low) for name in table.index],
        "axis_low": f"{low:.2f}",
        "pca": _position(pca, low),
        "other_aims": [text for aim, text in aims.items() if aim != "neighborhoods"],
        "n_shown": len(next(iter(comparison.draws.final.values())).rows),
        "colors": _words_on_colors(comparison.data.matrix),
        "findings": comparison.doctor.findings,
        "prepared": comparison.doctor.preparation.words,
        "notes": comparison.notes,
        "failures": comparison.failures,
        "code": comparison.code(),
    }


def _facts(comparison: ComparedMethods) -> dict[str, str]:
    labels = comparison.data.labels
    facts = {
        "Rows": number(comparison.doctor.n_rows),
        "Columns": number(comparison.doctor.n_columns),
        "Methods": str(len(comparison.methods)),
    }
    if labels is not None:
        values = np.unique(labels.values)
        kind = "numbers" if labels.is_numeric else f"{len(values)} classes"
        facts["Labels"] = f"{labels.name}, {kind}"
    return facts


def _position(value: float, low: float) -> float:
    """Return the place of a score on an axis from ``low`` to 1, in percent."""
    return round(2 + 96 * min(max((value - low) / (1 - low), 0.0), 1.0), 2)


def _row(comparison: ComparedMethods, name: str, columns: list[str], low: float) -> dict[str, Any]:
    """Return a row of the ranking."""
    table = comparison.table
    row = table.loc[name]
    best = table["neighborhoods"].iloc[0]
    method = comparison.methods.get(row["key"])
    outcome = "" if method is None else str(row["outcome"])
    half = (row["behind_high"] - row["behind_low"]) / 2
    return {
        "title": name,
        "setting": row["setting"],
        "color": RANDOM_COLOR if method is None else method.color,
        "is_reference": method is None,
        "outcome": outcome,
        "tone": "worse" if "worse" in outcome else outcome,
        "at": _position(row["neighborhoods"], low),
        "low": _position(best - row["behind_high"], low),
        "high": _position(best - row["behind_low"], low),
        "score": f"{row['neighborhoods']:.3f}",
        "behind": "" if outcome == "best" else f"{row['behind']:.3f} ± {half:.3f}",
        "cells": [_cell(table, row, column) for column in columns],
        "stability": float(row["stability"]) if np.isfinite(row["stability"]) else None,
    }


def _cell(table: pd.DataFrame, row: pd.Series, column: str) -> dict[str, Any]:
    """Return the text of a score, and whether it is the best of its column."""
    value, values = row[column], table.drop(index=RANDOM)[column]
    if not np.isfinite(value):
        return {"text": "–", "best": False}
    shown = {"untrusted": percent, "seconds": cpu_seconds}.get(column, "{:.2f}".format)
    lower = column in ("untrusted", "seconds")
    best = values.min() if lower else values.max()
    is_best = bool(value == best and column != "seconds")
    return {"text": shown(value).replace("-", MINUS), "best": is_best}


def _report(comparison: ComparedMethods) -> Report:
    """Return a report with nothing but the maps, for the explorer."""
    rows = next(iter(comparison.draws.final.values())).rows
    labels = comparison.data.labels
    columns = _columns(comparison, rows)
    classes: NDArray | None = None
    if labels is not None and labels.is_numeric:
        columns = {labels.name: labels.values[rows], **columns}
    elif labels is not None:
        classes = labels.values[rows]
    cloud = Cloud(
        name="data",
        cell="data",
        title=comparison.data.name,
        trial=0,
        n_points=len(rows),
        n_features=comparison.doctor.n_columns,
        X=None,
        latent=None,
        labels=classes,
        images=None,
        embeddings=[
            _embedding(comparison, key)
            for key in comparison.table["key"]
            if key in comparison.draws.final
        ],
        columns=columns,
        names=_names(comparison, rows),
    )
    looks = {key: Look(m.color, m.marker, True) for key, m in comparison.methods.items()}
    return Report("", "", "", {}, [], [], [], [cloud], looks)


def _names(comparison: ComparedMethods, rows: NDArray) -> list[str]:
    """Return the names of points, with a word before numbers."""
    index = comparison.data.matrix.index
    names = rows if index is None else [index[row] for row in rows]
    return [name if isinstance(name, str) else f"Row {name}" for name in names]


def _embedding(comparison: ComparedMethods, key: str) -> Embedding:
    """Return the map of a method with the errors of its points."""
    row = comparison.table[comparison.table["key"] == key].iloc[0]
    trust = comparison.trusts[key]
    title = f"{row.name}, {row['setting']}" if row["setting"] else str(row.name)
    scores = ("neighborhoods", "trustworthiness", "continuity", "distances", "labels")
    return Embedding(
        method=key,
        method_cell=key,
        title=title,
        trial=0,
        status="ok",
        message="",
        Z=np.asarray(comparison.draws.final[key].Z),
        scores={name: float(row[name]) for name in scores if name in row},
        errors={**trust.errors, "instability": 1 - trust.stability},
    )


def _columns(comparison: ComparedMethods, rows: NDArray) -> dict[str, NDArray]:
    """Return columns to color points by: categories, and the numbers that vary most if scaled."""
    matrix = comparison.data.matrix
    if matrix.is_sparse:
        return {}
    values = matrix.values[rows]
    filled = np.flatnonzero(~np.isnan(values).all(axis=0) & ~matrix.indicators)
    some = [*matrix.categories][:MOST_COLUMNS]
    categories = {name: _texts_of(matrix, name)[rows] for name in some}
    values, names = values[:, filled], [matrix.columns[j] for j in filled]
    extent = np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    spread = np.nanstd(values, axis=0) / np.where(extent > 0, extent, 1.0)
    chosen = np.sort(np.argsort(-spread)[:MOST_COLUMNS])
    return categories | {names[j]: values[:, j] for j in chosen if extent[j] > 0}


def _words_on_colors(matrix: Matrix) -> str:
    """Return which columns points can be colored by, if not by all."""
    if matrix.is_sparse:
        return "Columns of sparse data are not among the colors."
    if max((~matrix.indicators).sum(), len(matrix.categories)) <= MOST_COLUMNS:
        return ""
    return (
        f"Among the colors are at most {MOST_COLUMNS} columns of numbers, those that vary most "
        f"relative to their range, and at most {MOST_COLUMNS} of categories."
    )


def _texts_of(matrix: Matrix, column: str) -> NDArray:
    """Return the categories of the rows, ``missing`` where there is none."""
    names = [indicator(column, value) for value in matrix.categories[column]]
    values = matrix.values[:, [matrix.columns.index(name) for name in names]]
    texts = np.array([*matrix.categories[column], "missing"])
    # A last column, which counts if no other does
    return texts[np.column_stack([values == 1, np.ones(len(matrix))]).argmax(axis=1)]
