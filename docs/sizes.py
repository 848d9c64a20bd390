"""How many points each method takes within ten minutes and 8 GB, by the record.

``python docs/found.py`` gathers it in ``docs/found/sizes.json``, which is ``{}`` as long as the
record does not have the study ``method_scaling``; the page ``which_method.md`` shows it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nldr.engine.planning.plan import Plan

ROOT = Path(__file__).parents[1]
SIZES, STUDY = "docs/found/sizes.json", "method_scaling"
TIMINGS = f"results/archive/studies/{STUDY}/timings.csv.xz"
LIMITS = {"seconds": 600.0, "peak_mb": 8000.0}
WORDS = {"seconds": "time", "peak_mb": "memory"}
FITTED = 4  # largest sizes of a power law; below them, costs that do not grow may dominate
REACH = 10  # how far beyond the largest measured size a power law is followed
ABSENT = "*The record does not have these measurements yet, so there is nothing to show here.*"


def gather(plan: Plan, root: Path = ROOT) -> dict[str, Any]:
    """Return the largest size of each method and what limits it; empty without measurements."""
    from nldr.report.data.planning import report_job
    from nldr.tables import read_csv

    if not (root / TIMINGS).is_file():
        return {}
    rows = read_csv(root / TIMINGS)
    titles = {card.name: card.title for card in report_job(plan).cards if card.kind == "method"}
    methods = {
        name: {"title": titles[name], **largest([r for r in rows if r["method"] == name])}
        for name in dict.fromkeys(row["method"] for row in rows)
    }
    return {"cores": rows[0]["cores"], "cpu": rows[0]["cpu"], "methods": methods}


def largest(rows: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Return how many points fit into both limits by power laws, and the largest measured size."""
    from nldr.statistics.power_law import fit_power_law

    fits = [row for row in rows if row["status"] == "ok"]
    fits.sort(key=lambda row: int(row["data.n_samples"]))
    if not fits:
        return {"points": None}
    x = [int(row["data.n_samples"]) for row in fits[-FITTED:]]
    # A size that ran out of memory is an upper bound, whatever the power laws say
    over = [int(row["data.n_samples"]) for row in rows if row["status"] == "out_of_memory"]
    points = float(min([REACH * x[-1], *over]))
    limited_by = WORDS["peak_mb"] if points < REACH * x[-1] else ""
    for cost, limit in LIMITS.items():
        y = [float(row[cost]) for row in fits[-FITTED:]]
        # Growth from the largest size on: that of all fitted sizes, or of the last two if steeper
        law = fit_power_law(x, y)
        last = math.log(y[-1] / y[-2]) / math.log(x[-1] / x[-2]) if len(x) > 1 else 0.0
        exponent = max(last, law.exponent if law is not None else 0.0)
        if y[-1] * (points / x[-1]) ** exponent > limit:
            points, limited_by = x[-1] * (limit / y[-1]) ** (1 / exponent), WORDS[cost]
    measured = {cost: float(fits[-1][cost]) for cost in LIMITS}
    points = round(points, 3)  # processors differ in the last digits
    return {"points": points, "limited_by": limited_by, "measured": x[-1], **measured}


def show(root: Path = ROOT) -> str:
    """Return one row per method, those that take the most points first."""
    from nldr.report.templating import number

    content = json.loads((root / SIZES).read_text(encoding="utf-8"))
    if not content:
        return ABSENT
    methods = sorted(content["methods"].values(), key=lambda m: (-(m["points"] or 0), m["title"]))
    lines = ["| method | points | limited by | largest size measured |", "|---|--:|---|---|"]
    for method in methods:
        if method["points"] is None:
            lines.append(f"| {method['title']} | – | | none |")
            continue
        points = number(round_down(method["points"]))
        points = f"about {points}" if method["limited_by"] else f"more than {points}"
        measured = (
            f"{number(method['measured'])} points in {number(method['seconds'], 2)} s "
            f"and {number(method['peak_mb'] / 1000, 2)} GB"
        )
        lines.append(f"| {method['title']} | {points} | {method['limited_by']} | {measured} |")
    machine = f"Measured on {content['cores']} cores ({content['cpu']})."
    return "\n".join([*lines, "", machine])


def round_down(value: float) -> int:
    """Return a number with one digit."""
    unit = 10 ** math.floor(math.log10(value))
    return int(value // unit * unit)
