"""Files that are complete or absent, and carry their provenance."""

from __future__ import annotations

import csv
import functools
import json
import os
import platform
import subprocess
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSIONS = ("numpy", "scipy", "scikit-learn", "snakemake")


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; move it there when the block succeeds.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a" / "b.txt"
    >>> with atomic(target) as temporary:
    ...     _ = temporary.write_text("whole")
    >>> target.read_text(), len(list(target.parent.iterdir()))
    ('whole', 1)
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # The name is hidden and unique to this process: parallel jobs do not collide.
    temporary = path.with_name(f".tmp-{os.getpid()}-{path.name}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_npz(path: str | Path, arrays: Mapping[str, NDArray], meta: Mapping[str, Any]) -> None:
    """Write arrays and their provenance ``meta`` (JSON) as one ``.npz`` without pickles."""
    import numpy as np

    with atomic(path) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, meta=np.array(json.dumps(meta)), **arrays)


def read_npz(path: str | Path) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """Return the arrays and the provenance of a file written by :func:`write_npz`."""
    import numpy as np

    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return arrays, json.loads(str(arrays.pop("meta")))


def read_meta(path: str | Path) -> dict[str, Any]:
    """Return the provenance without reading the arrays."""
    import numpy as np

    # An .npz file is a zip archive with one member per array.
    with zipfile.ZipFile(path) as archive, archive.open("meta.npy") as member:
        return json.loads(str(np.lib.format.read_array(member, allow_pickle=False)))


def write_csv(path: str | Path, header: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """Write a CSV file atomically: floats as their shortest exact text, None and NaN as empty."""
    with atomic(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row in rows:
            # A NaN is the only value that differs from itself.
            writer.writerow("" if value is None or value != value else value for value in row)


def provenance(**facts: Any) -> dict[str, Any]:
    """Return ``facts`` together with versions, commit, machine and threads of this process."""
    return {
        **facts,
        "python": platform.python_version(),
        "versions": {name: version(name) for name in VERSIONS},
        "commit": commit(),
        "cpu": cpu(),
        "threads": int(os.environ.get("OMP_NUM_THREADS", 0)) or None,
        "written": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


@functools.cache
def commit() -> str | None:
    """Return the commit of the code, with ``-dirty`` if files differ from it; None without git."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        found = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() or None


@functools.cache
def cpu() -> str:
    """Return the name of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
