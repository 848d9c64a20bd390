"""Files that are complete or absent, carry their provenance, and are verified when read."""

from __future__ import annotations

import csv
import functools
import hashlib
import json
import os
import platform
import stat
import subprocess
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSIONS = ("numpy", "scipy", "scikit-learn", "snakemake")


class Damaged(RuntimeError):
    """A result file is not what was written: missing, truncated or changed."""

    def __init__(self, path: str | Path, problem: str) -> None:
        super().__init__(f"{path} {problem}")
        self.path = Path(path)

    def remove(self) -> str:
        """Remove the file, which the next run then makes again, and return what happened."""
        self.path.unlink(missing_ok=True)
        return f"{self}: it was removed: run again to make it anew"


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; move it there when the block succeeds."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # The name is hidden and unique to this process: parallel jobs do not collide.
    temporary = path.with_name(f".tmp-{os.getpid()}-{path.name}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def file_entry(path: str | Path) -> dict[str, Any]:
    """Return name, size, time and SHA-256 of a file, as a manifest lists it."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        info = os.fstat(file.fileno())
    name = os.path.basename(path)
    return {"file": name, "sha256": digest, "bytes": info.st_size, "mtime_ns": info.st_mtime_ns}


def problem_of(entry: Mapping[str, Any], folder: str | Path, thorough: bool = False) -> str | None:
    """Return what is wrong with a file that :func:`file_entry` has listed, or None.

    Every file is read if ``thorough``; by default only one whose time or size has changed.
    """
    path = os.path.join(folder, entry["file"])
    try:
        info = os.stat(path)
    except OSError:
        return f"{path} is missing"
    if not stat.S_ISREG(info.st_mode):
        return f"{path} is no regular file"
    same = info.st_size == entry["bytes"] and info.st_mtime_ns == entry["mtime_ns"]
    if same and not thorough:
        return None
    return None if file_entry(path)["sha256"] == entry["sha256"] else f"{path} was changed"


def write_manifest(path: str | Path, **content: Any) -> None:
    """Write a JSON file that holds the digest of its own content."""
    text = json.dumps(content, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    with atomic(path) as temporary:
        temporary.write_text(f"{digest}\n{text}\n", encoding="utf-8")


def read_manifest(path: str | Path) -> dict[str, Any]:
    """Return the content of a file written by :func:`write_manifest`, or raise Damaged."""
    # A device or pipe may never end.
    if Path(path).exists() and not Path(path).is_file():
        raise Damaged(path, "is no regular file")
    try:
        digest, _, text = Path(path).read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Damaged(path, f"cannot be read: {error}") from None
    text = text.rstrip("\n")
    if hashlib.sha256(text.encode()).hexdigest() != digest:
        raise Damaged(path, "was changed")
    content = json.loads(text)
    if not isinstance(content, dict) or not content:
        raise Damaged(path, "is no manifest")
    return content


def read_if_whole(path: str | Path) -> dict[str, Any]:
    """Return the content of a manifest; nothing if it is missing or damaged."""
    try:
        return read_manifest(path)
    except Damaged:
        return {}


def digest_of(value: Any) -> str:
    """Return sixteen hexadecimal digits of the SHA-256 of a value of built-in types."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def content_digest(arrays: Mapping[str, NDArray]) -> str:
    """Return a digest of names, types, shapes and values of arrays."""
    import numpy as np

    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        array = np.ascontiguousarray(array)
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        digest.update(array.data if array.size else b"")
    return digest.hexdigest()[:32]


def write_npz(
    path: str | Path, arrays: Mapping[str, NDArray], meta: Mapping[str, Any]
) -> dict[str, Any]:
    """Write arrays and their provenance ``meta`` (JSON) as one ``.npz`` without pickles.

    Returns the :func:`file_entry` of the file and ``content``, the digest of its arrays.
    """
    import numpy as np

    meta = {**meta, "content": content_digest(arrays)}
    with atomic(path) as temporary:
        with temporary.open("wb") as file:
            np.savez(file, allow_pickle=False, meta=np.array(json.dumps(meta)), **arrays)
        entry = file_entry(temporary)
    return {**entry, "file": os.path.basename(path), "content": meta["content"]}


def read_npz(
    path: str | Path, sha256: str | None = None
) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """Return the arrays and the provenance of a file written by :func:`write_npz`.

    Raises Damaged if it is missing, truncated, or not the one with the digest ``sha256``.
    """
    import numpy as np

    try:
        if sha256 is not None and file_entry(path)["sha256"] != sha256:
            raise Damaged(path, "was changed since it was made")
        with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return arrays, json.loads(str(arrays.pop("meta")))
    except (
        OSError,
        ValueError,
        KeyError,
        EOFError,
        MemoryError,
        zlib.error,
        NotImplementedError,
        zipfile.BadZipFile,
    ) as error:
        raise Damaged(path, f"cannot be read: {type(error).__name__}: {error}") from None


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
        "versions": versions(),
        "commit": commit(),
        "cpu": cpu(),
        "run": os.environ.get("NLDR_RUN"),
        "written": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


@functools.cache
def versions() -> dict[str, str]:
    """Return the versions of the packages that decide most results."""
    return {name: version(name) for name in VERSIONS}


@functools.cache
def commit() -> str | None:
    """Return the commit of the code, with ``-dirty`` if files differ from it; None without git."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        ran = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout.strip() or None


@functools.cache
def cpu() -> str:
    """Return the name of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
