"""Messages before the first and after the last job of a run, and the lock it holds meanwhile."""

from __future__ import annotations

import csv
import fcntl
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import IO, Any

from nldr.engine.layout import FIGURE, RESULTS, TABLE
from nldr.engine.plan import Plan

STAGES = ("data", "embed", "score", "table", "figure")
Job = tuple[str, str]


class Busy(RuntimeError):
    """Another run works in the same folder."""


_held: list[IO[str]] = []


def hold_lock(path: Path) -> None:
    """Lock ``path`` until this process ends, and remove temporary files left by a crash.

    Raises
    ------
    Busy
        If another run holds the lock.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # The lock of the operating system ends with this process, however it ends.
    file = path.open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip()
        file.close()
        raise Busy(
            f"another run (process {holder}) works in this folder: wait for it or end it"
        ) from None
    except OSError:  # a file system without locks
        pass
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    # No other run is active, so temporary files are remains of a crash.
    for left in Path(RESULTS).rglob(".tmp-*"):
        left.unlink(missing_ok=True)
    _held.append(file)


def read_records(path: Path) -> dict[Job, float]:
    """Return the seconds of the latest job of each stage and cell; damaged lines are skipped."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    records = {}
    for line in lines:
        parts = line.split("\t")
        if len(parts) == 3 and parts[2].replace(".", "", 1).isdigit():
            records[parts[0], parts[1]] = float(parts[2])
    return records


def split_jobs(dag: Any) -> tuple[list[Job], Counter[str]]:
    """Return the jobs that Snakemake will run and the number of cached ones by stage."""
    needed, cached = [], Counter[str]()
    # Wildcards without the trial name the cell.
    for job in dag.jobs:
        if job.rule.name not in STAGES:
            continue
        if dag.needrun(job):
            parts = [v for k, v in job.wildcards_dict.items() if k not in ("trial", "trials")]
            needed.append((job.rule.name, "/".join(parts)))
        else:
            cached[job.rule.name] += 1
    return needed, cached


def forecast(needed: Iterable[Job], cached: Mapping[str, int], cores: int, records: Path) -> str:
    """Return a table of jobs by stage, to run and cached, and an estimate of the time.

    Parameters
    ----------
    needed : iterable of (stage, cell)
        The jobs to run.
    cached : mapping of str to int
        Number of jobs by stage whose results exist.
    cores : int
        Number of jobs that run at the same time.
    records : Path
        Times of earlier jobs; a job that was never run is given the median of its stage.
    """
    known = read_records(Path(records))
    by_stage = defaultdict(list)
    for (stage, _), seconds in known.items():
        by_stage[stage].append(seconds)
    # Sum the last durations; unknown jobs get the median of their stage.
    counts: Counter[str] = Counter()
    total = 0.0
    guessed = False
    for stage, cell in needed:
        counts[stage] += 1
        if (stage, cell) in known:
            total += known[stage, cell]
        elif by_stage[stage]:
            total += median(by_stage[stage])
        else:
            guessed = True
    lines = ["stage      to do  cached"]
    lines += [f"{s:<9} {counts[s]:>6}  {cached.get(s, 0):>6}" for s in STAGES]
    if total == 0:
        lines.append("no earlier runs to estimate the time from")
    else:
        more = "at least " if guessed else "about "
        lines.append(f"{more}{_format_duration(total / max(cores, 1))} on {cores} core(s)")
    return "\n".join(lines)


def describe_run(dag: Any, plan: Plan, all_went_well: bool) -> str:
    """Return one line per study of the run: its trials by status, and its figures."""
    jobs = {
        (job.rule.name, job.wildcards_dict[key]): job
        for job in dag.jobs
        for key in ("study", "figure")
        if key in job.wildcards_dict
    }

    def is_built(stage: str, name: str) -> bool:
        job = jobs[stage, name]
        return dag.finished(job) or not dag.needrun(job)

    lines = []
    for study in sorted(name for stage, name in jobs if stage == "table"):
        if not is_built("table", study):
            lines.append(f"{study}: no table in this run: see the errors above")
            continue
        with Path(TABLE.format(study=study)).open(newline="", encoding="utf-8") as file:
            statuses = Counter(row["status"] for row in csv.DictReader(file))
        line = f"{study}: " + ", ".join(f"{n} {s}" for s, n in sorted(statuses.items()))
        figures = [name for name in plan.studies[study].figures if ("figure", name) in jobs]
        shown = [
            FIGURE.format(figure=name) if is_built("figure", name) else f"no figure {name}"
            for name in figures
        ]
        lines.append(line + (" -> " + ", ".join(shown) if shown else ""))
    if not all_went_well:
        lines.append("some jobs failed: their errors are printed above and kept in "
                     f"{RESULTS}/logs")  # fmt: skip
    return "\n".join(lines)


def _format_duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
