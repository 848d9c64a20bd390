"""Which method keeps what, by the surveys of the record, as tables of the site.

``python docs/found.py`` gathers it in ``docs/found/guide.json``, which is ``{}`` as long as the
record has none of the surveys; the page ``which_method.md`` shows it, and holds the list of
families itself, so that it can be read without the site.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nldr.engine.planning.plan import Plan
    from nldr.report.aims import Guide
    from nldr.report.content import Column
    from nldr.report.tables import Dots, TableCell

ROOT = Path(__file__).parents[1]
GUIDE = "docs/found/guide.json"
PAGE = "docs/which_method.md"
DIGITS = 4
ABSENT = "*The record has none of the surveys yet, so there is nothing to show here.*"


def gather(plan: Plan, root: Path = ROOT) -> dict[str, Any]:
    """Return which method keeps what, by the record; empty if it has none of the surveys."""
    from nldr.engine.files.layout import Record
    from nldr.report.data.guide import gather_guide
    from nldr.report.data.planning import report_job

    job, record = report_job(plan), Record()
    tables, timings = (
        {name: str(root / pattern.format(study=name)) for name in job.record}
        for pattern in (record.table, record.timings)
    )
    guide = gather_guide(job.record, tables, timings, job.cards, job.families)
    return _rounded(asdict(guide)) if guide else {}


def _rounded(value: Any) -> Any:
    """Return a value as JSON has it, numbers rounded."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return round(value, DIGITS) if isinstance(value, float) else value


def read(root: Path = ROOT) -> Guide | None:
    """Return what ``gather`` has found; None if the record has none of the surveys."""
    from pydantic import TypeAdapter

    from nldr.report.aims import Guide

    content = json.loads((root / GUIDE).read_text(encoding="utf-8"))
    return TypeAdapter(Guide).validate_python(content) if content else None


def show(what: str, root: Path = ROOT) -> str:
    """Return one of the tables, or a sentence if there is nothing to show."""
    guide = read(root)
    if guide is None:
        return ABSENT
    shows = {
        "methods": methods_table,
        "failures": failures,
        "families": families_list,
        "lists": short_lists,
    }
    return shows[what](guide)


def methods_table(guide: Guide) -> str:
    """Return one row per method: dots with intervals, what it can do, and what it costs."""
    from nldr.report.guide import levels_of, profile_table
    from nldr.report.tables import Links

    levels = levels_of(guide)
    view = profile_table(guide, [name for name, _ in levels], Links())
    shown = [i for i, column in enumerate(view.columns) if column.kind != "end"]
    heads = "".join(_heading(view.columns[i]) for i in shown)
    rows = "".join(f"<tr>{''.join(_cell(row[i]) for i in shown)}</tr>\n" for row in view.rows)
    lines = ", ".join(f"{_svg(_line(name, 50.0), 12)} {title}" for name, title in levels)
    return (
        '<div class="which" tabindex="0">\n<table>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
        f"<p>Dots: mean over {guide.n_datasets} datasets, or over those for which an aim is "
        "defined. Bars: 95 % interval of the difference from the mean of all methods. Right is "
        f"better. Reference levels: {lines}; a level beyond all methods is at the end of the scale."
        "</p>\n</div>"
    )


def failures(guide: Guide) -> str:
    """Return how many fits failed, in sentences."""
    fits = sum(profile.fits for profile in guide.profiles)
    failed = {profile.title: profile.failed for profile in guide.profiles if profile.failed}
    parts = [f"{number} of {title}" for title, number in failed.items()]
    text = f": {', '.join(parts)}" if parts else ""
    return (
        "A fit that reached its limit of time or memory, or did not converge, counts as failed. "
        f"Here {sum(failed.values())} of {fits} fits failed{text}."
    )


def _heading(column: Column) -> str:
    """Return a heading as HTML; ``sort.js`` puts the best scores first."""
    best = " data-best" if column.kind == "dots" else ""
    return f'<th scope="col" title="{escape(column.help)}"{best}>{escape(column.title)}</th>'


def _cell(cell: TableCell) -> str:
    """Return a cell as HTML, with the value that ``sort.js`` sorts it by."""
    dots = f"{_dots(cell.dots)} " if cell.dots else ""
    value = escape(cell.value or cell.text)
    return f'<td data-v="{value}">{dots}{escape(cell.text)}</td>'


def _dots(dots: Dots) -> str:
    """Return a dot with its interval among levels, as SVG."""
    levels = "".join(_line(name, at) for name, at in dots.levels)
    whisker = f'<line class="whisker" x1="{dots.low}%" x2="{dots.high}%" y1="7" y2="7"/>'
    return _svg(f'{levels}{whisker}<circle cx="{dots.at}%" cy="7" r="2.5"/>', 84, dots.words)


def _line(name: str, at: float) -> str:
    return f'<line class="level level-{name}" x1="{at}%" x2="{at}%" y1="0" y2="14"/>'


def _svg(content: str, width: int, words: str = "") -> str:
    label = f'role="img" aria-label="{escape(words)}"' if words else 'aria-hidden="true"'
    return f'<svg width="{width}" height="14" {label}>{content}</svg>'


def families_list(guide: Guide) -> str:
    """Return a sentence per family of data, as a list."""
    return "\n".join(f"- {family.sentence}" for family in guide.families)


def short_lists(guide: Guide) -> str:
    """Return one row per family: for each aim the best method, then ties, then unclear ones."""
    from nldr.report.aims import AIMS
    from nldr.report.guide import short_list

    titles = {profile.method: profile.title for profile in guide.profiles}
    aims = [aim for aim in AIMS if any(aim.name in family.contests for family in guide.families)]
    lines = ["| family | " + " | ".join(aim.title.lower() for aim in aims) + " |"]
    lines.append("|---" * (len(aims) + 1) + "|")
    for family in guide.families:
        cells = [f"**{family.name}**: {'; '.join(family.datasets)}"]
        for aim in aims:
            contest = family.contests.get(aim.name)
            cells.append(
                f"**{titles[contest.best]}**; {short_list(contest, guide)}" if contest else ""
            )
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines)
