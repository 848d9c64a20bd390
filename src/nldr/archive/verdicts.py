"""Decide published numbers of the record again, from its tables, and claims, from its cells."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

from nldr.archive.contents import ARCHIVE
from nldr.archive.rows import STUDY, TABLE, RecordRows
from nldr.engine.files.store import atomic
from nldr.engine.planning.plan import Plan
from nldr.engine.stages.claims import write_claims
from nldr.engine.stages.tally import Tally, count_numbers
from nldr.engine.stages.verdicts import COLUMNS, decide, format_page, read_rows

VERDICTS, PAGE = (f"{STUDY}/{name}" for name in ("verdicts.csv.gz", "verdicts.md"))
CLAIM_FILES = {"claims": "claims.csv", "page": "claims.md", "details": "claims.json"}


def decide_again(plan: Plan, root: Path) -> list[str]:
    """Write the verdicts that today's rule gives to the archived tables; return what changed.

    A change of the rule, of margins or of ``workflow/published`` needs no build, because the tables
    have all trials.

    Parameters
    ----------
    plan : Plan
        The plan at the scale of the archive.
    root : Path
        The folder with ``results/``.

    Returns
    -------
    list of str
        Names of the studies whose verdicts are others than before.
    """
    changed = []
    for name in plan.studies:
        table = root / TABLE.format(study=name)
        if not plan.verdict_files(name) or not table.is_file():
            continue
        job, (published,) = plan.verdict_job(name), plan.published_files(name)
        rows = decide(job, read_rows(table), root / published)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([COLUMNS, *([row[column] for column in COLUMNS] for row in rows)])
        content = gzip.compress(text.getvalue().encode(), mtime=0)
        target = root / VERDICTS.format(study=name)
        if target.is_file() and target.read_bytes() == content:
            continue
        changed.append(name)
        with atomic(target) as temporary:
            temporary.write_bytes(content)
        with atomic(root / PAGE.format(study=name)) as temporary:
            temporary.write_text(format_page(rows), encoding="utf-8")
    return changed


def decide_claims_of(plan: Plan, root: Path) -> None:
    """Write the verdicts on all claims whose cells the archive has.

    Parameters
    ----------
    plan : Plan
        The plan at the scale of the archive.
    root : Path
        The folder with ``results/``.
    """
    job = plan.claims_job()
    files = {file for name in job.studies for file in plan.published_files(name)}
    outputs = {name: str(root / ARCHIVE / file) for name, file in CLAIM_FILES.items()}
    published = [str(root / file) for file in sorted(files)]
    write_claims(job, RecordRows(plan, root).of, published, outputs)


def count_record(plan: Plan, root: Path) -> list[Tally]:
    """Return the outcomes of all published numbers, file by file, by the record.

    Parameters
    ----------
    plan : Plan
        The plan at the scale of the archive.
    root : Path
        The folder with ``results/``.
    """
    paths = {name: root / VERDICTS.format(study=name) for name in plan.studies}
    return count_numbers(plan.printed_numbers, paths)
