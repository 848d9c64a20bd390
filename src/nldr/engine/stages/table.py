"""Assemble one study's tables from scores and provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from nldr.costs import CLOCKS, COLUMNS
from nldr.engine.files.status import Status
from nldr.engine.files.store import read_manifest, write_csv
from nldr.engine.jobs.report_specs import TableJob
from nldr.engine.jobs.specs import SELECTING, Cell, Group
from nldr.engine.stages.costs import SUMMARY_COLUMNS, summarize_costs
from nldr.engine.stages.published import PublishedNumbers

CELL = ("dataset", "data_cell", "method", "method_cell")
TRIAL = ("trial", "status", "message")
PARAMETERS = ("data.", "method.")
FAILURE = ("stage", "data_cell", "method_cell", "scorer", "trial", "status", "message")
STAGE, SCORE_FAILURES = "stage of failure", "failures of scores"  # keys of rows, not columns
Row = dict[str, Any]


def make_tables(
    job: TableJob,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, str],
    begin: Callable[[], None],
) -> None:
    """Assemble one study's tables.

    Parameters
    ----------
    job : TableJob
        Cells, metrics, names for the best of several cells, and the published numbers.
    inputs : dict of str to sequence of str
        ``scores`` and ``embeddings``: manifests of each cell, in order; ``published``: the file of
        published numbers, if any.
    outputs : dict of str to str
        Files to write. ``table`` has one row per trial; ``summary`` one row per cell: mean and
        standard deviation over the trials with status ``ok``, and the published value with the
        difference in published standard deviations; ``timings`` the clocks, the only numbers that
        differ from run to run, and the circumstances under which they were measured; ``costs``
        their medians, see :func:`nldr.engine.stages.costs.summarize_costs`; ``failures`` one row
        for each trial that failed, at any stage.
    begin : callable
        Called when the work that is limited begins.

    Raises
    ------
    ValueError
        If there are more or fewer files than the cells ask for.
    """
    begin()
    metrics = list(job.metrics)
    selecting = sorted(
        {SELECTING + group.metric for group in job.groups.values() if group.selected_on == "rows"}
    )
    rows = list(_read_cells(job, inputs["scores"], inputs["embeddings"]))
    _write(outputs["failures"], FAILURE, _list_failures(rows))

    # The rows of candidates go to the end, followed by those of the best among them.
    for name, group in job.groups.items():
        members = [row | {"best_of": name} for row in rows if row["method"] in group.methods]
        rows = [row for row in rows if row["method"] not in group.methods] + members
        rows += _best_rows(name, members, group)

    # One row per trial; costs are kept apart.
    cell = (*CELL, "best_of") if job.groups else CELL
    # Trials that only select a setting have a mark where there are any.
    marks = ["selecting"] if any(row["selecting"] for row in rows) else []
    parameters = list(dict.fromkeys(k for r in rows for k in r if k.startswith(PARAMETERS)))
    numbers = metrics + selecting
    numbers += list(dict.fromkeys(k for r in rows for k in r if k.startswith("fit.")))
    _write(outputs["table"], [*cell, *TRIAL, *marks, *parameters, *numbers], rows)
    _write(outputs["timings"], [*cell, "trial", "status", *marks, *parameters, *COLUMNS], rows)

    # One row per cell, published numbers beside ours.
    scored = (row for row in rows if not row["selecting"])
    cells = _group_by(scored, "data_cell", "method", "method_cell", "best_of")
    summaries = [_summarize(trials, numbers, [*cell, *parameters]) for trials in cells]
    published = None
    if job.published:
        published = PublishedNumbers(job.published, Path(inputs["published"][0]))
        _add_published(summaries, metrics, published)
    _write(outputs["summary"], dict.fromkeys(k for row in summaries for k in row), summaries)
    seconds = [published.of(row).get("seconds") if published else None for row in summaries]
    costs = summarize_costs(cells, [number.value if number else None for number in seconds])
    _write(outputs["costs"], SUMMARY_COLUMNS, costs)


def _read_cells(job: TableJob, scores: Sequence[str], embeddings: Sequence[str]) -> Iterator[Row]:
    """Yield one row per trial of each cell, taking its manifests in order."""
    if not len(job.cells) == len(scores) == len(embeddings):
        raise ValueError(
            f"{len(job.cells)} cells need as many files, not {len(scores)} of scores "
            f"and {len(embeddings)} of embeddings"
        )
    for cell, *files in zip(job.cells, scores, embeddings, strict=True):
        scored, embedded = (read_manifest(file)["trials"] for file in files)
        for trial in range(cell.trials):
            yield _trial_row(cell, trial, scored[trial], embedded[trial])


def _trial_row(cell: Cell, trial: int, scored: Row, embedded: Row) -> Row:
    """Return the row of one trial from the rows of its scores and of its embedding."""
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


def _list_failures(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield one row per failed dataset, embedding or score."""
    for row in rows:
        if not Status(row["status"]).is_ok:
            yield row | {"stage": row[STAGE], "scorer": None}
        for failure in row[SCORE_FAILURES]:
            yield row | {"stage": "score", **failure}


def _group_by(rows: Iterable[Row], *keys: str) -> list[list[Row]]:
    """Return the rows in groups that share the values of ``keys``, in order."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(key) for key in keys), []).append(row)
    return list(groups.values())


def _best_rows(name: str, members: Sequence[Row], group: Group) -> Iterable[Row]:
    """Yield, per number of components, the rows of the best candidates under the name ``name``.

    With ``one_setting`` these are the rows of the candidate with the best mean over the datasets;
    else each dataset has its own winner, whose clocks are those of the whole search: the price of
    the choice. Only trials that are scored have rows; those that only select count in the clocks.
    """
    sign = 1 if group.direction == "higher" else -1
    metric = SELECTING + group.metric if group.selected_on == "rows" else group.metric
    aside = int(group.selected_on == "trials")

    def merit(cells: Iterable[Sequence[Row]]) -> float:
        judges = [[row for row in trials if row["selecting"] == aside] for trials in cells]
        means = [_mean(trials, metric) for trials in judges]
        return float("-inf") if None in means else sign * fmean(m for m in means if m is not None)

    # Embeddings of different dimensions do not compete.
    for rivals in _group_by(members, "method.n_components"):
        datasets = _group_by(rivals, "data_cell")
        if group.one_setting:
            # Only settings that were run on every dataset compete.
            settings = [_group_by(rows, "data_cell") for rows in _group_by(rivals, "method_cell")]
            best = max((s for s in settings if len(s) == len(datasets)), key=merit, default=[])
            chosen = [(trials, [trials]) for trials in best]
        else:
            cells = [_group_by(rows, "method_cell") for rows in datasets]
            chosen = [(max(c, key=lambda trials: merit([trials])), c) for c in cells]
        for trials, payers in chosen:
            scored = [row for row in trials if not row["selecting"]]
            for position, row in enumerate(scored):
                if aside:
                    peers = [row, *(r for payer in payers for r in payer if r["selecting"])]
                else:
                    # A cell without random numbers has one trial, which counts for each.
                    peers = [payer[min(position, len(payer) - 1)] for payer in payers]
                yield row | {"method": name, "best_of": ""} | _sum_clocks(peers)


def _sum_clocks(peers: Sequence[Row]) -> Row:
    """Return the sums of the clocks of several rows."""
    return {clock: sum(p[clock] for p in peers if p[clock]) or None for clock in CLOCKS}


def _write(path: str, header: Iterable[str], rows: Iterable[Row]) -> None:
    header = list(header)
    write_csv(path, header, ([row.get(name) for name in header] for row in rows))


def _summarize(trials: Sequence[Row], numbers: Sequence[str], columns: Iterable[str]) -> Row:
    """Return counts, means and standard deviations over the trials of one cell."""
    summary = {name: trials[0].get(name) for name in columns}
    n_ok = sum(Status(row["status"]).is_ok for row in trials)
    summary |= {"n_trials": len(trials), "n_ok": n_ok}
    for name in numbers:
        values = _ok_values(trials, name)
        summary[f"{name}_mean"] = _mean(trials, name)
        summary[f"{name}_sd"] = stdev(values) if len(values) > 1 else None
    return summary


def _ok_values(trials: Iterable[Row], name: str) -> list[float]:
    """Return the numbers of the trials with status ``ok``."""
    return [r[name] for r in trials if Status(r["status"]).is_ok and r.get(name) is not None]


def _mean(trials: Iterable[Row], name: str) -> float | None:
    values = _ok_values(trials, name)
    return fmean(values) if values else None


def _add_published(
    summaries: Sequence[Row], metrics: Sequence[str], published: PublishedNumbers
) -> None:
    """Add published means and s.d., and the differences from ours in published s.d."""
    for row in summaries:
        numbers_of_row = published.of(row)
        for name in metrics:
            # Every row has the columns that the study declares, empty where nothing is published.
            columns = (f"{name}_published", f"{name}_published_sd")
            number = numbers_of_row.get(name)
            numbers = (number.value, number.sd) if number else (None, None)
            row.update(zip(columns[: len(published.columns(name))], numbers, strict=False))
            ours = row[f"{name}_mean"]
            if number and number.sd and ours is not None:
                row[f"{name}_difference_sd"] = (ours - number.value) / number.sd
