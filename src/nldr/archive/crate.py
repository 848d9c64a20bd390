"""Describe the archive as an RO-Crate, so that machines can read what it holds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import nldr
from nldr.archive.contents import ARCHIVE
from nldr.archive.publish import PROVENANCE
from nldr.engine.planning.plan import Plan

if TYPE_CHECKING:
    from rocrate.rocrate import ROCrate

LICENSE = "https://spdx.org/licenses/MIT"
KINDS = {
    ".csv": ("text/csv", "table"),
    ".gz": ("application/gzip", "table or cells, compressed"),
    ".md": ("text/markdown", "text"),
    ".json": ("application/json", "data"),
    ".svg": ("image/svg+xml", "figure"),
    ".png": ("image/png", "figure"),
    ".npz": ("application/zip", "embedding of the first trial, in half precision"),
}
CRATE = ("ro-crate-metadata.json", "ro-crate-preview.html")


def write_crate(plan: Plan, root: Path) -> None:
    """Write ``ro-crate-metadata.json``, which describes each file of the archive.

    Parameters
    ----------
    plan : Plan
        The plan at the scale of the archive.
    root : Path
        The project's folder.
    """
    from rocrate.model.contextentity import ContextEntity
    from rocrate.rocrate import ROCrate

    folder = root / ARCHIVE
    crate = ROCrate()
    crate.name = "nldr: results at full size"
    crate.description = (
        "Tables, verdicts, timings, claims and figures of a benchmark of nonlinear dimensionality "
        "reduction, with the scores of each trial from which all of them can be made again."
    )
    # The date of the newest table, so that the same content makes the same crate.
    dates = [json.loads(file.read_text())["written"]
             for file in root.glob(PROVENANCE.format(study="*"))]  # fmt: skip
    crate.datePublished = max(dates, default="2026-01-01T00:00:00Z")
    license_ = {"@type": "CreativeWork", "name": "MIT License",
                "description": "Free use, with the copyright notice kept."}  # fmt: skip
    crate.license = crate.add(ContextEntity(crate, LICENSE, properties=license_))
    software = {"@type": "CreativeWork", "name": "nldr", "version": nldr.__version__}
    crate.root_dataset["mentions"] = crate.add(ContextEntity(crate, "#nldr", properties=software))
    for path in sorted(file for file in folder.rglob("*") if file.is_file()):
        if path.name not in CRATE and not path.name.startswith("."):
            _describe(crate, plan, path, folder)
    metadata = crate.metadata.generate()
    # Without times of this moment the file changes only with what it describes.
    (folder / CRATE[0]).write_text(json.dumps(metadata, indent=1) + "\n", encoding="utf-8")


def _describe(crate: ROCrate, plan: Plan, path: Path, folder: Path) -> None:
    """Add a file with its format, size and what it shows."""
    place = path.relative_to(folder)
    encoding, kind = KINDS[path.suffix]
    properties: dict[str, Any] = {"name": f"{kind}: {place.stem}", "encodingFormat": encoding,
                                  "contentSize": str(path.stat().st_size)}  # fmt: skip
    study = place.parts[1] if place.parts[0] == "studies" else plan.owners.get(path.stem)
    if study in plan.studies:
        properties["about"] = plan.studies[study].study.title
    crate.add_file(path, place.as_posix(), properties=properties)


def parts(root: Path) -> Iterator[str]:
    """Yield the files that the crate of a project describes."""
    content = json.loads((root / ARCHIVE / CRATE[0]).read_text(encoding="utf-8"))
    for entity in content["@graph"]:
        if entity["@type"] == "File" and not re.match(r"ro-crate-", entity["@id"]):
            yield unquote(entity["@id"])
