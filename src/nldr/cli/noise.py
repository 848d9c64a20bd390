"""Shares of data, seeds and machine in the variance of the study ``noise``, as text."""

from __future__ import annotations

from pathlib import Path

from nldr.costs import COSTS
from nldr.engine.files.status import Status
from nldr.engine.planning.plan import Plan
from nldr.engine.reading.parsing import PlanError
from nldr.engine.stages.rows import read_study
from nldr.statistics.variance import variance_table

STUDY = "noise"
COST = "seconds"
HEADER = ("metric", "mean", "s.d.", "data", "seed", "machine", "draws", "seeds", "repeated")


def noise_text(plan: Plan, root: Path) -> str:
    """Return the variance decomposition of each method on each dataset as a table of text.

    Parameters
    ----------
    plan : Plan
        The plan, which knows the study's metrics and titles.
    root : Path
        The project's folder.

    Raises
    ------
    PlanError
        If the study does not exist, or is not built yet.
    """
    if STUDY not in plan.studies:
        raise plan.broken.get(STUDY, PlanError(f"there is no study '{STUDY}'"))
    files = (plan.outputs.table, plan.outputs.timings)
    table, timings = (root / pattern.format(study=STUDY) for pattern in files)
    if not (table.is_file() and timings.is_file()):
        raise PlanError(f"{table}: not built yet: snakemake --cores 2 {STUDY}")
    metrics = plan.studies[STUDY].metrics
    rows = read_study(str(table), str(timings), metrics)
    rows["ok"] = [Status(status).is_ok for status in rows["status"]]
    found = variance_table(rows, [*metrics, COST], COSTS)
    lines = [
        "Shares of the variance: draw of the data, seed of the method, machine. The s.d. is that "
        "of a single run; that of the time is relative."
    ]
    for (dataset, method), parts in found.groupby(["dataset", "method"], sort=False):
        data_title = plan.catalog.datasets[dataset].title
        lines += ["", f"{plan.catalog.methods[method].title}, {data_title}"]
        cells = [HEADER] + [
            (part.column, f"{part.mean:.3g}", f"{part.sd:.2g}", f"{part.data:.0%}",
             f"{part.method_seed:.0%}", f"{part.machine:.0%}", f"{part.n_draws}",
             f"{part.n_seeds}", f"{part.n_repeated}")
            for part in parts.itertuples()
        ]  # fmt: skip
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for name, *numbers in cells:
            shown = [f"{text:>{width}}" for text, width in zip(numbers, widths[1:], strict=True)]
            lines.append(f"  {name:<{widths[0]}}  {'  '.join(shown)}")
    return "\n".join(lines)
