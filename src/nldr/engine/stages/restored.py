"""Manifests that were restored from the archive: results whose points are not there."""

from __future__ import annotations

from pathlib import Path

from nldr.engine.files.status import Status
from nldr.engine.files.store import read_if_whole, write_manifest
from nldr.engine.jobs.requests import Request


def copy_of(manifest: str) -> Path:
    """Return the file that keeps a restored manifest, which Snakemake may remove."""
    path = Path(manifest)
    return path.with_name(f"restored-{path.name}")


def is_restored(manifest: str) -> bool:
    """Return whether a manifest is one that was restored."""
    return copy_of(manifest).is_file() and "restored" in read_if_whole(manifest)


def lacks_points(manifest: str) -> bool:
    """Return whether a manifest was restored and has no points of the first trial."""
    if not is_restored(manifest):
        return False
    row = read_if_whole(manifest)["trials"][0]
    kept = "file" in row and (Path(manifest).parent / row["file"]).is_file()
    return not kept and Status(row["status"]).has_result


def keep_restored(request: Request) -> bool:
    """Write the restored manifest again if it is still what the job would make; tell if it is.

    A job runs again when one of its inputs was made anew. Results are kept if the input is the
    same by code and parameters: its values may differ by the rounding of another machine.
    """
    copy = copy_of(request.manifest)
    if request.inputs.get("outdated") or not copy.is_file():
        return False
    content = read_if_whole(copy)
    if content.get("key") != request.key:
        return False
    for kind, key in content["restored"].items():
        source = read_if_whole(request.inputs[kind][0])
        # Scores belong to the points that they were computed from.
        lost = kind == "embeddings" and "restored" not in source
        if source.get("key") != key or lost:
            return False
    write_manifest(request.manifest, **content)
    return True
