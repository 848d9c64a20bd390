"""Scores of earlier runs: one line per score in a file, each behind the digest of its content."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from nldr.engine.files.store import atomic, digest_of

Row = dict[str, Any]


def read_scores(path: Path) -> tuple[dict[str, Row], int]:
    """Return the scores by key, and the number of damaged lines; a pipe counts as one."""
    if not path.is_file():
        return {}, int(os.path.lexists(path))
    cache, damaged = dict[str, Row](), 0
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        digest, _, content = line.partition(" ")
        entry = None
        with suppress(ValueError):
            entry = json.loads(content)
        if entry is not None and digest == digest_of(entry):
            cache[entry["key"]] = entry
        else:
            damaged += 1
    return cache, damaged


def append_score(path: Path, key: str, score: Row) -> None:
    """Add the score of a key."""
    with path.open("a", encoding="utf-8") as file:
        file.write(_line({"key": key, **score}))


def forget(path: Path, status: str = "") -> None:
    """Remove damaged lines, and the scores with a status if one is given."""
    kept = [entry for entry in read_scores(path)[0].values() if entry["status"] != status]
    with atomic(path) as temporary:
        temporary.write_text("".join(map(_line, kept)), encoding="utf-8")


def _line(entry: Row) -> str:
    return f"{digest_of(entry)} {json.dumps(entry)}\n"
