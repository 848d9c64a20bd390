"""Claims with their verdicts as text: a page of Markdown, and one claim for the terminal."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from nldr.engine.jobs.report_specs import FULL

BASES = {"as_published": "As published", "equal_tuning": "Under equal tuning"}
VERDICTS = ("holds", "holds only as published", "fails", "undecided", "not run")
WIDTH = 100
Row = Mapping[str, Any]


def format_page(rows: Sequence[Row], scale: str) -> str:
    """Return all claims as a page of Markdown, one table per paper.

    Parameters
    ----------
    rows : sequence of mapping
        Two rows per claim, as in ``results/claims.csv``.
    scale : str
        Scale of the studies.
    """
    claims = [pair for _, pair in by_claim(rows)]
    counts = Counter(pair[0]["verdict"] for pair in claims)
    counted = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    lines = [
        "# Claims and their verdicts",
        "",
        f"Scale {scale}; number of claims: {len(claims)} ({counted}). Intervals are 95 % "
        "intervals; p-values are corrected for the number of claims of a paper (Holm).",
    ]
    paper = None
    for pair in claims:
        if pair[0]["paper"] != paper:
            paper = pair[0]["paper"]
            lines += [
                "",
                f"## {paper}",
                "",
                "| claim | verdict | as published | equal tuning |",
                "|---|---|---|---|",
            ]
        cells = [
            f"**{pair[0]['claim']}** ({pair[0]['place']}) {pair[0]['statement']}",
            _verdict(pair),
            *(_summary(row) for row in pair),
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def by_claim(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Return the rows of each claim."""
    claims: dict[str, list[Row]] = {}
    for row in rows:
        claims.setdefault(row["claim"], []).append(row)
    return list(claims.items())


def _verdict(pair: Sequence[Row]) -> str:
    """Return the verdict on a claim with the size of the data, where that is not the full one."""
    size = pair[0]["size"]
    return f"**{pair[0]['verdict']}**" + ("" if size in (None, FULL) else f" {size}")


def _summary(row: Row) -> str:
    """Return decision, sentence and p-value of one evaluation as a line."""
    text = f"{row['decision']}: {row['sentence']}"
    if row["size"] is None:
        return text
    return f"{text} ({row['size']}; {_p_value(row['p_corrected'])})"


def _p_value(p: float | None) -> str:
    if p is None or math.isnan(p):
        return "no test"
    if p == 0:
        return "exact"
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def format_claim(rows: Sequence[Row], scale: str) -> str:
    """Return one claim with its evidence for the terminal.

    Parameters
    ----------
    rows : sequence of mapping
        Its two rows, as in ``results/claims.json``.
    scale : str
        Scale of the studies.
    """
    first = rows[0]
    lines = [
        f"{first['claim']}: {first['verdict']}",
        *_wrap(f"{first['statement']} ({first['paper']}, {first['place']})"),
    ]
    for row in rows:
        lines += ["", f"{BASES[row['basis']]}: {row['decision']}", *_wrap(row["sentence"] or "")]
        if row["size"] is None:
            continue
        lines += _wrap(f"{row['test']}; {_p_value(row['p_corrected'])} (corrected)")
        lines += [
            f"  {row['size']}, scale {scale}, {len(row['cells'])} cells of study {row['study']}"
        ]
        lines += _forest(row)
    return "\n".join(lines)


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="  ")


def _forest(row: Row) -> list[str]:
    """Return one line per comparison: label, effect, interval, decision, numbers solved."""
    comparisons = row["comparisons"]
    if not comparisons:
        return []
    width = max(len(comparison["label"]) for comparison in comparisons)
    lines = []
    for comparison in comparisons:
        interval = f"{_number(comparison['low'])} to {_number(comparison['high'])}"
        lines.append(
            f"    {comparison['label']:<{width}}  {_number(comparison['effect']):>8}  "
            f"{interval:<20}  {comparison['decision']:<9}  {comparison['solved']}".rstrip()
        )
    return [f"  effects ({row['unit']}), with 95 % intervals:", *lines]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"
