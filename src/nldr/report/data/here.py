"""Comparison of what this machine has computed with the record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nldr.claims.jobs import FULL, PART, REDUCED
from nldr.report.content import StudyContent
from nldr.statistics.repeats import Match, match_values
from nldr.tables import read_csv

Row = Mapping[str, Any]
Agreement = dict[str, bool]  # cell → whether its scores are those of the record
CONTRADICTED = "contradicted here"


def compare_cells(study: StudyContent, record: str, here: str) -> Agreement:
    """Return for each cell of both tables whether all trials of both agree.

    Scores agree within the tolerances of ``nldr recompute``. ``record`` and ``here`` are tables
    with one row per trial.
    """
    metrics, before = study.metrics, _scores_of(record, study.metrics)
    agreement: Agreement = {}
    for cell, trials in _scores_of(here, metrics).items():
        both = before.get(cell, {}).keys() & trials.keys()
        pairs = [
            (before[cell][trial][name], value, name)
            for trial in both
            for name, value in trials[trial].items()
            if name in before[cell][trial]
        ]
        if pairs:
            spread = {
                name: [scores[name] for scores in before[cell].values() if name in scores]
                for name in metrics
            }
            agreement[cell] = all(
                match_values(old, new, spread[name])[0] is not Match.DIFFERENT
                for old, new, name in pairs
            )
    return agreement


def _scores_of(table: str, metrics: Iterable[str]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the scores of each cell, trial by trial."""
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for row in read_csv(table):
        cell = f"{row['data_cell']}/{row['method_cell']}"
        values = {name: float(row[name]) for name in metrics if row.get(name)}
        scores.setdefault(cell, {})[row["trial"]] = values
    return scores


def describe_agreement(agreement: Agreement, cells: Sequence[str] | None = None) -> str:
    """Return how many cells agree; empty where none is in both.

    Examples
    --------
    >>> describe_agreement({"gp/pca": True, "gp/ikd": True})
    'confirmed here: 2 of 2 cells within tolerance'
    >>> describe_agreement({"gp/pca": True, "gp/ikd": False})
    'contradicted here: 1 of 2 cells beyond tolerance'
    """
    judged = [ok for cell, ok in agreement.items() if cells is None or cell in cells]
    if not judged:
        return ""
    n_wrong = judged.count(False)
    if n_wrong:
        return f"{CONTRADICTED}: {n_wrong} of {len(judged)} cells beyond tolerance"
    return f"confirmed here: {len(judged)} of {len(judged)} cells within tolerance"


def describe_here(record: Row, here: Row | None, agreement: Agreement) -> str:
    """Return what this machine says beside the record's verdict on an evaluation of a claim.

    ``record`` and ``here`` are the evaluation by both, None if it was not decided here;
    ``agreement`` is that of the cells that both have.

    Examples
    --------
    >>> record = {"better": 4, "worse": 0, "cells": ["gp/pca"], "decision": "holds"}
    >>> describe_here(record, None, {"gp/pca": True})
    'confirmed here: 1 of 1 cells within tolerance'
    >>> describe_here(record, {**record, "better": 1, "size": "at reduced size"}, {})
    'here, at reduced size: same sign'
    """
    cells = describe_agreement(agreement, record["cells"] or [])
    sign = _describe_sign(record, here)
    return "; ".join(part for part in (cells, sign) if part) or "not run here"


def _describe_sign(record: Row, here: Row | None) -> str:
    """Return whether settings at another size point into the same direction."""
    if here is None or here["better"] is None or here["size"] in (FULL, PART):
        return ""
    size = "at reduced size" if here["size"] == REDUCED else "on other data"
    sign, ours = _sign(record), _sign(here)
    if ours == 0:
        return f"here, {size}: unclear"
    if sign == 0:
        return f"here, {size}: {'for' if ours > 0 else 'against'} the claim"
    return f"here, {size}: {'same sign' if ours == sign else 'opposite sign'}"


def _sign(row: Row) -> int:
    """Return 1 if most decided settings support a claim, −1 if most contradict it, else 0."""
    difference = (row["better"] or 0) - (row["worse"] or 0)
    return (difference > 0) - (difference < 0)
