"""Claims with their verdicts as text: a page of Markdown, JSON, and one for the terminal."""

from __future__ import annotations

import json
import math
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from nldr.claims.jobs import FULL
from nldr.claims.verdicts import Verdict

BASES = {"as_published": "As published", "equal_tuning": "Under equal tuning"}
WIDTH = 100
SHOWN = 60  # settings of which each has a mark in a table
OUTCOMES = ("better", "tie", "worse", "unclear")
NOT_PRINTED = "not printed"  # of a claim on which the paper has no numbers
LEGEND = "● better  ━ practically equal  ○ worse, or short of the bound  · unclear"
Row = Mapping[str, Any]


def format_page(rows: Sequence[Row], scale: str) -> str:
    """Return all claims as a page of Markdown, one table per paper; each claim has two rows."""
    claims = [pair for _, pair in by_claim(rows)]
    counts = Counter(pair[0]["verdict"] for pair in claims)
    counted = ", ".join(f"{counts[v]} {v}" for v in map(str, Verdict) if counts[v])
    lines = [
        "# Claims and their verdicts",
        "",
        f"{len(claims)} claims at scale {scale}: {counted}. Intervals are 95 % "
        f"confidence intervals. Each mark is one setting: {LEGEND}. The false discovery rate over "
        "the settings of a paper is 5 %.",
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


def format_details(rows: Sequence[Row], scale: str) -> str:
    """Return all claims as JSON, with the cells and comparisons that each decision rests on."""
    return json.dumps(_plain({"scale": scale, "claims": rows}), indent=1) + "\n"


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: numbers that are not finite become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


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
    """Return decision, settings and sentence of one evaluation as a line."""
    if row["size"] is None:
        return f"{row['decision']}: {row['sentence'] or 'not run'}"
    strip = f"`{row['strip']}`" if len(row["strip"]) <= SHOWN else _counts(row)
    return f"{row['decision']} {strip}: {row['sentence']} ({row['size']})"


def _counts(row: Row) -> str:
    """Return the number of settings by outcome."""
    counts = ", ".join(f"{row[outcome]} {outcome}" for outcome in OUTCOMES if row[outcome])
    return f"({counts})"


def p_value(p: float | None) -> str:
    """Return a p-value in words.

    Examples
    --------
    >>> p_value(0.0), p_value(0.0004), p_value(0.041), p_value(None)
    ('exact', 'p < 0.001', 'p = 0.041', 'no test')
    """
    if p is None or math.isnan(p):
        return "no test"
    if p == 0:
        return "exact"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def format_claim(rows: Sequence[Row], scale: str) -> str:
    """Return one claim, which has two rows, with its evidence for the terminal."""
    first = rows[0]
    # Verdict and statement, then both evaluations, each with its forest plot
    lines = [
        f"{first['claim']}: {first['verdict']}",
        *_wrap(f"{first['statement']} ({first['paper']}, {first['place']})"),
        *_wrap(f"“{first['quote']}”" if first["quote"] else ""),
    ]
    for row in rows:
        lines += ["", f"{BASES[row['basis']]}: {row['decision']}", *_wrap(row["sentence"] or "")]
        lines += _wrap(say_print(row["print_passes"]))
        if row["size"] is None:
            continue
        lines += [*_wrap(row["strip"]), f"  {LEGEND}"]
        level = f"each setting is tested at level {row['level']:.3f}"
        lines += _wrap(f"{row['test']}; {p_value(row['p_value'])}; {level}")
        lines += _wrap(f"other bounds: {row['bounds']}" if row["bounds"] else "")
        lines += [
            f"  {row['size']}, scale {scale}, {len(row['cells'])} cells of study {row['study']}"
        ]
        lines += _forest(row)
        if row["stopped_at"]:
            rule = f"trials were added until no setting was unclear, up to {row['stopped_at']}"
            more = ", which was not enough" if row["needs_trials"] else ""
            lines += _wrap(f"Stopping rule: {rule}{more}.")
    for sentence in say_amendments(first["amendments"]):
        lines += ["", *_wrap(sentence)]
    return "\n".join(lines)


def say_print(passes: str | None) -> str:
    r"""Return whether the printed numbers pass the tests of a claim, and what it means if not.

    Examples
    --------
    >>> print(say_print("yes"), say_print("2 of 3"), say_print("not printed"), sep="\n")
    The printed numbers pass: yes.
    The printed numbers pass: 2 of 3. So they support the statement, as tested here, only in part.
    No such numbers are printed.
    """
    if passes is None:
        return ""
    if passes == NOT_PRINTED:
        return "No such numbers are printed."
    means = " So they support the statement, as tested here, only in part."
    if passes == "no":
        means = " So the paper's own numbers contradict the statement, as tested here."
    elif passes.startswith("yes"):
        means = ""
    return f"The printed numbers pass: {passes}.{means}"


def say_amendments(amendments: Sequence[Mapping[str, str]]) -> list[str]:
    """Return changes of tests as sentences, one for a change of both ways to decide a claim.

    Examples
    --------
    >>> line = {"date": "2026-11-25", "data_seen": "after", "what": "a → b", "why": "c"}
    >>> both = [line | {"basis": basis, "first_verdict": "holds"} for basis in BASES]
    >>> print(*say_amendments(both))  # doctest: +ELLIPSIS
    Amended 2026-11-25 (as published; under equal tuning), after the data were seen: a → b (c). ...
    """
    bases: dict[tuple[str, str], list[str]] = {}
    for line in amendments:
        change = (
            f"{line['data_seen']} the data were seen: {line['what']} ({line['why']}). "
            f"Verdict of the first test: {line['first_verdict']}."
        )
        bases.setdefault((line["date"], change), []).append(BASES[line["basis"]].lower())
    return [f"Amended {date} ({'; '.join(of)}), {text}" for (date, text), of in bases.items()]


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
        low, high = comparison["low"], comparison["high"]
        is_single = low is None and high is None
        interval = "no interval" if is_single else f"{_number(low)} to {_number(high)}"
        lines.append(
            f"    {comparison['label']:<{width}}  {_number(comparison['effect']):>8}  "
            f"{interval:<20}  {comparison['decision']:<9}  {comparison['solved']}".rstrip()
        )
    unit = f" ({row['unit']})" if row["unit"] else ""
    bounds = {comparison["threshold"] for comparison in comparisons}
    bound = f", bound {_number(bounds.pop())}" if len(bounds) == 1 and 0 not in bounds else ""
    heading = f"  effect{unit}, 95 % interval{bound}; outcome; trials with a result:"
    return [heading, *lines]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"
