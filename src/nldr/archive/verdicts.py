"""Decide published numbers of the record again, from its tables, and claims, from its cells."""

from __future__ import annotations

import lzma
import re
import tempfile
from pathlib import Path

from nldr.archive.rows import RecordRows
from nldr.engine.files.layout import Record
from nldr.engine.files.store import atomic
from nldr.engine.planning.plan import Plan
from nldr.engine.stages.claims import write_claims
from nldr.engine.stages.tally import Tally, count_numbers
from nldr.engine.stages.verdicts import decide, read_rows, write_verdicts

RECORD = Record()
LONG = re.compile(rb"\d+\.\d{6,}(?![\d.e])")  # numbers that may have too many digits


def decide_again(plan: Plan, root: Path) -> list[str]:
    """Decide the archived tables by today's rule; return the studies whose verdicts changed.

    A change of the rule, of margins or of ``workflow/published`` needs no build, because the tables
    have all trials.
    """
    changed = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "verdicts.csv"
        for name in plan.studies:
            table = root / RECORD.table.format(study=name)
            if not plan.verdict_files(name) or not table.is_file():
                continue
            job, (published,) = plan.verdict_job(name), plan.published_files(name)
            write_verdicts(source, decide(job, read_rows(table), root / published))
            if copy_compressed(source, root / RECORD.verdicts.format(study=name)):
                changed.append(name)
    return changed


def decide_claims_of(plan: Plan, root: Path) -> None:
    """Write the verdicts on all claims whose cells the archive has."""
    job = plan.claims_job()
    files = {file for name in job.studies for file in plan.published_files(name)}
    published = [str(root / file) for file in sorted(files)]
    targets = {"claims": RECORD.claims, "page": RECORD.claim_page, "details": RECORD.claim_details}
    with tempfile.TemporaryDirectory() as folder:
        outputs = {name: f"{folder}/{name}" for name in targets}
        write_claims(job, RecordRows(plan, root).of, published, outputs)
        for name, target in targets.items():
            copy_compressed(Path(outputs[name]), root / target)


def copy_compressed(source: Path, target: Path, digits: int | None = None) -> bool:
    """Copy a file, compressed if the name ends in ``.xz``; return whether anything changed.

    Numbers keep at most ``digits`` significant digits.
    """
    content = source.read_bytes()
    if digits is not None:
        content = LONG.sub(lambda number: f"{float(number[0]):.{digits}g}".encode(), content)
    if target.suffix == ".xz":
        content = lzma.compress(content)
    if target.is_file() and target.read_bytes() == content:
        return False
    with atomic(target) as temporary:
        temporary.write_bytes(content)
    return True


def count_record(plan: Plan, root: Path) -> list[Tally]:
    """Return the outcomes of all published numbers, file by file, by the record."""
    paths = {name: root / RECORD.verdicts.format(study=name) for name in plan.studies}
    return count_numbers(plan.printed_numbers, paths)
