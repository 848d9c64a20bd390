"""Manifests that may be missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nldr.engine.files.store import Damaged, read_manifest


def read_if_whole(manifest: str | Path) -> dict[str, Any]:
    """Return the content of a manifest; nothing if it is missing or damaged."""
    try:
        return read_manifest(manifest)
    except Damaged:
        return {}
