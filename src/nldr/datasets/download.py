"""Originals of real data sets: found in a folder of the user's, in the cache, or downloaded."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TIMEOUT = 30.0  # seconds without a word from a source
ROUNDS = 2
STRAY_AFTER = 600.0  # seconds without a change


class DownloadError(OSError):
    """A file that is missing or corrupt and cannot be had from any of its sources."""


@dataclass(frozen=True)
class Original:
    """SHA-256 of a file, and its sources in the order in which they are tried."""

    sha256: str
    urls: tuple[str, ...]


def _files(folder: str, sources: Sequence[str], sums: str) -> dict[str, Original]:
    """Return the files of a data set that bear the same names at all sources."""
    return {
        f"{folder}/{file}": Original(sha256, tuple(source + file for source in sources))
        for sha256, file in map(str.split, sums.strip().splitlines())
    }


FILES = _files(
    "mnist",
    (
        "http://yann.lecun.com/exdb/mnist/",
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
    ),
    """
    440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609 train-images-idx3-ubyte.gz
    3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c train-labels-idx1-ubyte.gz
    8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6 t10k-images-idx3-ubyte.gz
    f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6 t10k-labels-idx1-ubyte.gz
    """,
)


def fetch(name: str) -> Path:
    """Return the path of an original file, downloaded if need be and checked by SHA-256.

    The file is looked for in the folder that the environment variable ``NLDR_DATA_DIR`` names (set
    from ``data_dir`` in ``config.yaml``), then in the cache (``NLDR_CACHE_DIR``, else the user's
    cache folder), then at its sources in order, all of them twice. Downloads appear in the cache
    only when they are complete and right, so any number of processes may fetch at once.

    Parameters
    ----------
    name : str
        Relative path of the file, a key of :data:`FILES`.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        If no such file is known.
    DownloadError
        If the file in the user's folder is corrupt (it is left as it is), or if the file is in
        neither folder and no source gives it intact.

    Examples
    --------
    >>> fetch("mnist/train-labels-idx1-ubyte.gz").name  # doctest: +SKIP
    'train-labels-idx1-ubyte.gz'
    """
    import pooch

    if name not in FILES:
        raise ValueError(f"no source is known for '{name}', only for {', '.join(FILES)}")
    original = FILES[name]
    data_dir = os.environ.get("NLDR_DATA_DIR")
    if data_dir and (given := Path(data_dir, name).expanduser()).exists():
        if (found := pooch.file_hash(given)) != original.sha256:
            raise DownloadError(
                f"{given} is corrupt: its SHA-256 is {found}, expected {original.sha256}. "
                f"Replace it by the original ({' or '.join(original.urls)}), "
                "or remove it to have it downloaded."
            )
        return given
    cached = Path(os.environ.get("NLDR_CACHE_DIR") or pooch.os_cache("nldr"), name).expanduser()
    _remove_strays(cached.parent)
    failures: dict[str, object] = {}
    for url in ROUNDS * original.urls:
        try:
            pooch.retrieve(
                url, original.sha256, fname=cached.name, path=cached.parent,
                downloader=pooch.HTTPDownloader(chunk_size=2**16, timeout=TIMEOUT),
            )  # fmt: skip
            return cached
        except (OSError, ValueError) as error:
            failures[url] = error
    if cached.exists() and pooch.file_hash(cached) != original.sha256:
        cached.unlink()
    tried = "".join(f"\n  {url}: {error}" for url, error in failures.items())
    raise DownloadError(
        f"{name} could not be downloaded (SHA-256 {original.sha256}):{tried}\n"
        f"To place it by hand, save it as {cached}, or as {name} in a folder of your own "
        "that data_dir in config.yaml or the environment variable NLDR_DATA_DIR names"
        + (f" (now {data_dir})." if data_dir else ".")
    )


def _remove_strays(folder: Path) -> None:
    """Remove what killed downloads left: a live one writes to its temporary file all the time."""
    for path in folder.glob("tmp*"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > STRAY_AFTER:
                path.unlink()
