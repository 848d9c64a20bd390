"""Copy what readers want of a build into the archive: tables, verdicts, claims and figures."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from nldr.archive.collect import DIGITS
from nldr.archive.contents import ARCHIVE, POINTS, Archive
from nldr.archive.figures import FIGURES, copy_smaller
from nldr.archive.restore import Restored
from nldr.archive.verdicts import copy_compressed
from nldr.engine.files.layout import Record
from nldr.engine.files.status import Status
from nldr.engine.files.store import atomic, provenance, read_if_whole, read_npz, write_npz
from nldr.engine.freshness.health import Problem
from nldr.engine.planning.plan import Plan
from nldr.report.data.planning import cloud_sources

RECORD = Record()
TABLES = ("table", "timings", "summary", "failures", "costs", "verdicts")
NUMBERS = {"timings": 6, "costs": 6, "table": DIGITS, "summary": 6}  # significant digits
STUDY = ARCHIVE + "/studies/{study}"
PROVENANCE = STUDY + "/provenance.json"
MAX_ARCHIVE = 30_000_000  # bytes, of which embeddings have what the rest leaves,
MAX_POINTS = 12_000_000  # and no more than this
POINT_BYTES, FILE_BYTES = 2, 2000  # of a coordinate, and at most of a file without any


def publish(
    plan: Plan, archive: Archive, problems: Mapping[str, Problem], restored: Restored
) -> int:
    """Copy the results of all studies that are built; return the number of studies.

    Results of manifests with ``problems`` are not copied; ``restored`` is what the archive's cells
    cover.
    """

    def is_made(manifest: str) -> bool:
        return Path(manifest).is_file() and manifest not in problems

    outputs, published = plan.outputs, []
    for name, study in plan.studies.items():
        if not is_made(outputs.tables.format(study=name)):
            continue
        published.append(name)
        _copy_tables(plan, archive.root, name, restored)
        for figure in study.figures:
            if is_made(outputs.drawn.format(figure=figure)):
                files = (outputs.drawing, outputs.picture)
                drawing, picture = (Path(file.format(figure=figure)) for file in files)
                copy_smaller(drawing, picture, archive.root)
    _remove_former(plan, archive.root)
    return len(published)


def _copy_tables(plan: Plan, root: Path, study: str, restored: Restored) -> None:
    """Copy the tables of a study, compressed."""
    changed = False
    for kind in TABLES:
        source = Path(getattr(plan.outputs, kind).format(study=study))
        target = root / getattr(RECORD, kind).format(study=study)
        if source.is_file():
            changed |= copy_compressed(source, target, NUMBERS.get(kind))
    # Facts of the build that made them; the same tables keep their date.
    target = root / PROVENANCE.format(study=study)
    if changed or not target.is_file():
        facts = {
            "cells": {state.value: n for state, n in restored.counts[study].items()},
            "scale": plan.config.scale,
        }
        with atomic(target) as temporary:
            temporary.write_text(json.dumps(provenance(**facts), indent=1) + "\n", encoding="utf-8")


def _remove_former(plan: Plan, root: Path) -> None:
    """Remove studies and figures that the project no longer has."""
    for folder in (root / STUDY.format(study="none")).parent.glob("*"):
        if folder.name not in plan.studies and folder.name not in plan.broken:
            shutil.rmtree(folder)
    for file in (root / FIGURES).glob("*"):
        if not plan.broken and file.name.partition(".")[0] not in plan.owners:
            file.unlink()


def publish_points(plan: Plan, archive: Archive) -> int:
    """Keep the first trial of embeddings in half precision, small ones first, while they fit.

    Those in the archive are kept if they are not built here and fit. Returns the number of files.
    """
    import numpy as np

    built = []
    for source in cloud_sources(plan, list(plan.studies)):
        for embedding in source.embeddings:
            target = archive.root / POINTS.format(data=source.cell, method=embedding.cell)
            file = _first_trial(embedding.manifest)
            if file is not None:
                built.append((file.stat().st_size, file, target))
    folder = (archive.root / POINTS.format(data="none", method="none")).parents[1]
    rest = sum(
        file.stat().st_size
        for file in (archive.root / ARCHIVE).rglob("*")
        if file.is_file() and folder not in file.parents
    )
    budget = min(MAX_POINTS, MAX_ARCHIVE - rest)
    # What was archived before, then what is built here.
    others = {*folder.glob("*/*.npz")} - {target for _, _, target in built}
    for size, file in sorted((file.stat().st_size, file) for file in others):
        if size > budget:
            file.unlink()
        else:
            budget -= size
    for _, file, target in sorted(built):
        arrays, meta = read_npz(file)
        coordinates = arrays["embedding"]
        if POINT_BYTES * coordinates.size + FILE_BYTES > budget:
            target.unlink(missing_ok=True)
            continue
        kept = {name: meta[name] for name in ("key", "content", "status") if name in meta}
        archived = read_npz(target)[1].get("of") if target.is_file() else None
        if archived != kept:
            # Half precision has no numbers beyond 65504: coordinates are centered and scaled.
            centered = coordinates - coordinates.mean(axis=0)
            scale = float(np.abs(centered).max()) or 1.0
            half = (centered / scale).astype(np.float16)
            write_npz(target, {"embedding": half}, {"of": kept, "scale": scale})
        budget -= target.stat().st_size
    return len(list(folder.glob("*/*.npz")))


def _first_trial(manifest: str) -> Path | None:
    """Return the file of the first trial of an embedding that was made here, if there is one."""
    content = read_if_whole(manifest)
    row = content["trials"][0] if content and "restored" not in content else {}
    has_points = "file" in row and Status(row["status"]).has_result
    return Path(manifest).parent / row["file"] if has_points else None
