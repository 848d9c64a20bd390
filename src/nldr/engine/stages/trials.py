"""Rows of a study: one per trial, from scores and provenance, and those of the best of cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from statistics import fmean
from typing import TYPE_CHECKING, Any, TextIO

from nldr.costs import CLOCKS, COLUMNS
from nldr.engine.files.status import Status
from nldr.engine.jobs.specs import SELECTING, Cell, MethodGroup

if TYPE_CHECKING:
    from pandas import DataFrame

CELL = ("dataset", "data_cell", "method", "method_cell")
TRIAL = ("trial", "status", "message")
PARAMETERS = ("data.", "method.")
STAGE, SCORE_FAILURES = "stage of failure", "failures of scores"  # keys of rows, not columns
Row = dict[str, Any]


def cell_rows(cell: Cell, scored: Sequence[Row], embedded: Sequence[Row]) -> list[Row]:
    """Return one row per trial of a cell, from the trials of its scores and of its embeddings."""
    return [_trial_row(cell, n, scored[n], embedded[n]) for n in range(cell.first, cell.trials)]


def _trial_row(cell: Cell, trial: int, scored: Row, embedded: Row) -> Row:
    circumstances = embedded.get("circumstances", {})
    return {
        **{key: getattr(cell, key) for key in CELL},
        "trial": trial,
        "selecting": int(trial >= cell.scored),
        "status": embedded["status"],
        "message": embedded["message"],
        **{f"data.{k}": v for k, v in cell.data_params.items()},
        **{f"method.{k}": v for k, v in cell.method_params.items()},
        **scored["scores"],
        **{f"fit.{name}": value for name, value in embedded.get("fit", {}).items()},
        **{name: circumstances.get(name, embedded.get(name)) for name in COLUMNS},
        STAGE: embedded.get("stage", "embed"),
        SCORE_FAILURES: scored["failures"],
    }


def add_best(rows: Sequence[Row], groups: Mapping[str, MethodGroup]) -> list[Row]:
    """Return rows with those of candidates at the end, followed by those of the best among them."""
    rows = list(rows)
    for name, group in groups.items():
        members = [row | {"best_of": name} for row in rows if row["method"] in group.methods]
        rows = [row for row in rows if row["method"] not in group.methods] + members
        rows += _best_rows(name, members, group)
    return rows


def selecting_metrics(groups: Mapping[str, MethodGroup]) -> list[str]:
    """Return the metrics that select a setting on rows that are not scored."""
    chosen = {group.metric for group in groups.values() if group.selected_on == "rows"}
    return sorted(SELECTING + metric for metric in chosen)


def group_by(rows: Iterable[Row], *keys: str) -> list[list[Row]]:
    """Return the rows in groups that share the values of ``keys``, in order."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(key) for key in keys), []).append(row)
    return list(groups.values())


def _best_rows(name: str, members: Sequence[Row], group: MethodGroup) -> Iterable[Row]:
    """Yield, per number of components, the scored rows of the best candidates under a new name.

    Where each dataset has its own winner, its clocks are those of the whole search.
    """
    sign = 1 if group.direction == "higher" else -1
    metric = SELECTING + group.metric if group.selected_on == "rows" else group.metric
    aside = int(group.selected_on == "trials")

    def merit(cells: Iterable[Sequence[Row]]) -> float:
        judges = [[row for row in trials if row["selecting"] == aside] for trials in cells]
        means = [mean(trials, metric) for trials in judges]
        average = mean_of(m for m in means if m is not None)
        return float("-inf") if None in means or average is None else sign * average

    # Embeddings of different dimensions do not compete.
    for rivals in group_by(members, "method.n_components"):
        datasets = group_by(rivals, "data_cell")
        if group.one_setting:
            # Only settings that were run on every dataset compete.
            settings = [group_by(rows, "data_cell") for rows in group_by(rivals, "method_cell")]
            best = max((s for s in settings if len(s) == len(datasets)), key=merit, default=[])
            chosen = [(trials, [trials]) for trials in best]
        else:
            cells = [group_by(rows, "method_cell") for rows in datasets]
            chosen = [(max(c, key=lambda trials: merit([trials])), c) for c in cells]
        for trials, payers in chosen:
            scored = [row for row in trials if not row["selecting"]]
            for position, row in enumerate(scored):
                if aside:
                    peers = [row, *(r for payer in payers for r in payer if r["selecting"])]
                else:
                    # A cell without random numbers has one trial, which counts for each.
                    peers = [payer[min(position, len(payer) - 1)] for payer in payers]
                sums = {c: sum(peer[c] for peer in peers if peer[c]) or None for c in CLOCKS}
                yield row | {"method": name, "best_of": ""} | sums


def ok_values(trials: Iterable[Row], name: str) -> list[float]:
    """Return the numbers of the trials with status ``ok``."""
    return [r[name] for r in trials if Status(r["status"]).is_ok and r.get(name) is not None]


def mean(trials: Iterable[Row], name: str) -> float | None:
    """Return the mean of the trials with status ``ok``; None if there is none."""
    return mean_of(ok_values(trials, name))


def mean_of(values: Iterable[float]) -> float | None:
    """Return the mean; None if there are no values, or both ∞ and -∞ are among them."""
    with suppress(ValueError):
        return fmean(values)
    return None


def read_table(table: str | TextIO, metrics: Iterable[str]) -> DataFrame:
    """Return a study's table; only metrics and recorded numbers can be missing."""
    import pandas as pd

    # The text "NA" of a parameter stays a text.
    missing = dict.fromkeys(metrics, "")
    rows = pd.read_csv(table, keep_default_na=False, na_values=missing, low_memory=False)
    for column in rows.columns[rows.columns.str.startswith("fit.")]:
        rows[column] = pd.to_numeric(rows[column])  # an empty text is a missing number
    return rows


def select_rows(rows: DataFrame, cells: Iterable[tuple[str, str]], tuned: bool) -> DataFrame:
    """Return the scored rows of some cells, with a column ``ok``.

    If ``tuned``, the best of several cells that compete is kept, in place of every candidate.
    """
    import pandas as pd

    chosen = set(cells)
    pairs = zip(rows["data_cell"], rows["method_cell"], strict=True)
    shown = pd.Series([cell in chosen for cell in pairs], index=rows.index)
    if "best_of" in rows:
        candidate = rows["best_of"].fillna("") != ""
        best = ~candidate & rows["method"].isin(rows.loc[candidate, "best_of"].unique())
        shown &= ~candidate if tuned else ~best
    if "selecting" in rows:
        shown &= rows["selecting"] == 0
    ok = rows["status"].map({status.value: status.is_ok for status in Status})
    return rows.assign(ok=ok)[shown].reset_index(drop=True)
