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
    """SHA-256 of a file, and its sources in the order in which they are tried.

    A file without sources (it was repacked) is placed by hand; ``origin`` says what to pack and
    where that is to be had.
    """

    sha256: str
    urls: tuple[str, ...] = ()
    origin: str = ""


def _files(folder: str, sources: Sequence[str], sums: str) -> dict[str, Original]:
    """Return the files of a data set that bear the same names at all sources."""
    return {
        f"{folder}/{file}": Original(sha256, tuple(source + file for source in sources))
        for sha256, file in map(str.split, sums.strip().splitlines())
    }


def _github(repository: str, commit: str, folder: str = "") -> tuple[str, str]:
    """Return the addresses of a folder of a repository, and of its mirror."""
    return (
        f"https://raw.githubusercontent.com/{repository}/{commit}/{folder}",
        f"https://cdn.jsdelivr.net/gh/{repository}@{commit}/{folder}",
    )


_LETTER = "https://archive.ics.uci.edu/ml/machine-learning-databases/letter-recognition/"

FILES = {
    **_files(
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
    ),
    **_files(
        "fashion_mnist",
        (
            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
            *_github("zalandoresearch/fashion-mnist", "b2617bb6d3ffa2e429640350f613e3291e10b141",
                     "data/fashion/"),
        ),
        """
        3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84 train-images-idx3-ubyte.gz
        a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845 train-labels-idx1-ubyte.gz
        346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073 t10k-images-idx3-ubyte.gz
        67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5 t10k-labels-idx1-ubyte.gz
        """,
    ),
    **_files(
        "guo_qpcr",
        _github("sods/ods", "f62e5b8397d00eece211852e0b778d6d8f5c5e0f", "datasets/"),
        "80bb8dd8593c98b0b53b54fcc1afd191900cc3d8cfcff8cdb9a0f42f9340badc guo_qpcr.csv",
    ),
    **_files(
        "letter",
        (_LETTER, f"https://web.archive.org/web/2020id_/{_LETTER}"),
        "2b89f3602cf768d3c8355267d2f13f2417809e101fc2b5ceee10db19a60de6e2 letter-recognition.data",
    ),
    **_files(
        "hate_speech",
        _github("t-davidson/hate-speech-and-offensive-language",
                "cb50f7e9eb855a99abc51423bf40df0e26d6fe30", "data/"),
        "fcb8bc7c68120ae4af04a5b9acd58585513ede11e1548ebf36a5c2040b6f6281 labeled_data.csv",
    ),
    **_files(
        "teapots",
        _github("tanz10/Machine-Learning", "0fdb23bdfd75fd7ec63138ccddb3ae82762234bd"),
        "29de34d2792df1e5b26834f8e10d1076c92c3c95b1a366f742fe1caa7ce910cb teapots.mat",
    ),
    "coil20/coil-20-proc.zip": Original(
        "618714d7e027c56ce9b456b9450cdb3d88813800ef82714cbcad54218c76eab3",
        origin="the processed images obj1__0.png to obj20__71.png, zipped without a folder, of "
        "https://www.cs.columbia.edu/CAVE/software/softlib/coil-20.php",
    ),
    "umist/umist_faces.zip": Original(
        "625e815a1b5b1ef450dc822953545e012fb99891b7901b1308a7453261d2a8e8",
        origin="the 575 cropped images a1.pgm to t34.pgm, zipped without a folder, of "
        "https://cs.nyu.edu/~roweis/data.html",
    ),
    "bank/bank-additional-full.csv.gz": Original(
        "25ef5a7f820659c9010405d079b068761b9e4a75c232a6271ee6a77fc3de52ae",
        origin="bank-additional-full.csv, packed by gzip -n -9, of "
        "https://archive.ics.uci.edu/dataset/222/bank+marketing",
    ),
    "imdb/imdb_reviews.csv.xz": Original(
        "632739e892a2923eb50b0e2ed4d5b441c770de3ad48d538d0aedef0f8f75d82d",
        origin="the reviews as one table split,sentiment,id,rating,text, packed by xz, of "
        "https://ai.stanford.edu/~amaas/data/sentiment/",
    ),
}  # fmt: skip


def fetch(name: str) -> Path:
    """Return the path of an original file, downloaded if need be and checked by SHA-256.

    The file is looked for in the folder that the environment variable ``NLDR_DATA_DIR`` names (set
    from ``data_dir`` in ``config.yaml``), then in the cache (``NLDR_CACHE_DIR``, else the user's
    cache folder), then at its sources in order, all of them twice. Downloads appear in the cache
    only when they are complete and right, so any number of processes may fetch at once. A file
    that has no public source (a repacked one) must lie in one of the two folders.

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
        If a file placed by hand is corrupt (it is left as it is), or if the file is in neither
        folder and no source gives it intact.

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
    cached = Path(os.environ.get("NLDR_CACHE_DIR") or pooch.os_cache("nldr"), name).expanduser()
    by_hand = [Path(data_dir, name).expanduser()] if data_dir else []
    by_hand += [] if original.urls else [cached]
    for given in by_hand:
        if given.exists():
            _check(given, original)
            return given
    failures = _download(original, cached)
    if failures is None:
        return cached
    tried = "".join(f"\n  {url}: {error}" for url, error in failures.items())
    raise DownloadError(
        (f"{name} could not be downloaded (SHA-256 {original.sha256}):{tried}\n"
         if original.urls else
         f"{name} has no public source (SHA-256 {original.sha256}): it is {original.origin}\n")
        + f"To place it by hand, save it as {cached}, or as {name} in a folder of your own "
        "that data_dir in config.yaml or the environment variable NLDR_DATA_DIR names"
        + (f" (now {data_dir})." if data_dir else ".")
    )  # fmt: skip


def _check(given: Path, original: Original) -> None:
    """Raise DownloadError if a file placed by hand is not the original."""
    import pooch

    if (found := pooch.file_hash(given)) == original.sha256:
        return
    remedy = (
        f"Replace it by the original ({' or '.join(original.urls)}), "
        "or remove it to have it downloaded."
        if original.urls
        else f"Replace it by the file of that SHA-256: {original.origin}"
    )
    raise DownloadError(
        f"{given} is corrupt: its SHA-256 is {found}, expected {original.sha256}. {remedy}"
    )


def _download(original: Original, cached: Path) -> dict[str, object] | None:
    """Put the original in the cache and return None, else what each source failed of."""
    import pooch

    _remove_strays(cached.parent)
    failures: dict[str, object] = {}
    for url in ROUNDS * original.urls:
        try:
            pooch.retrieve(
                url, original.sha256, fname=cached.name, path=cached.parent,
                downloader=pooch.HTTPDownloader(chunk_size=2**16, timeout=TIMEOUT),
            )  # fmt: skip
            return None
        except (OSError, ValueError) as error:
            failures[url] = error
    if cached.exists() and pooch.file_hash(cached) != original.sha256:
        cached.unlink()
    return failures


def _remove_strays(folder: Path) -> None:
    """Remove what killed downloads left: a live one writes to its temporary file all the time."""
    for path in folder.glob("tmp*"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > STRAY_AFTER:
                path.unlink()
