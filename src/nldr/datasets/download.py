"""Original files of real datasets: found in a local folder, in the cache, or downloaded."""

from __future__ import annotations

import gzip
import lzma
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from io import BufferedIOBase
from pathlib import Path, PurePosixPath
from typing import IO
from zipfile import ZipFile

TIMEOUT = 30.0  # seconds without a response from a source
ROUNDS = 2  # number of times that all sources are tried
MAX_CONTENT = 2**28  # bytes that a file placed by hand may contain when decompressed
STRAY_AFTER = 600.0  # seconds after which an unchanged temporary file is considered abandoned


class DownloadError(OSError):
    """Raised if a file is missing or corrupt and cannot be downloaded from any source."""


@dataclass(frozen=True)
class Original:
    """A file with public sources.

    Attributes
    ----------
    sha256 : str
        SHA-256 of the file.
    urls : tuple of str
        Sources, in the order in which they are tried.
    """

    sha256: str
    urls: tuple[str, ...]


@dataclass(frozen=True)
class ByHand:
    """A file without a public source, which the user has to prepare.

    Attributes
    ----------
    sha256 : str
        SHA-256 of the decompressed content, since the user compresses the file; of a zip file,
        SHA-256 of the sorted output of ``sha256sum`` for its members, without their folders.
    content : str
        Content of the file and where to get it, for error messages.
    """

    sha256: str
    content: str


def _files(folder: str, sources: Sequence[str], sums: str) -> dict[str, Original]:
    """Return the files of a dataset that have the same names at all sources."""
    return {
        f"{folder}/{file}": Original(sha256, tuple(source + file for source in sources))
        for sha256, file in map(str.split, sums.strip().splitlines())
    }


def _github(repository: str, commit: str, folder: str = "") -> tuple[str, str]:
    """Return the URLs of a folder of a repository, on GitHub and on a mirror."""
    return (
        f"https://raw.githubusercontent.com/{repository}/{commit}/{folder}",
        f"https://cdn.jsdelivr.net/gh/{repository}@{commit}/{folder}",
    )


_LETTER = "https://archive.ics.uci.edu/ml/machine-learning-databases/letter-recognition/"

# All files, by their path relative to the folder of originals and to the cache
FILES: dict[str, Original | ByHand] = {
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
            *_github(
                "zalandoresearch/fashion-mnist",
                "b2617bb6d3ffa2e429640350f613e3291e10b141",
                "data/fashion/",
            ),
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
        _github(
            "t-davidson/hate-speech-and-offensive-language",
            "cb50f7e9eb855a99abc51423bf40df0e26d6fe30",
            "data/",
        ),
        "fcb8bc7c68120ae4af04a5b9acd58585513ede11e1548ebf36a5c2040b6f6281 labeled_data.csv",
    ),
    **_files(
        "teapots",
        _github("tanz10/Machine-Learning", "0fdb23bdfd75fd7ec63138ccddb3ae82762234bd"),
        "29de34d2792df1e5b26834f8e10d1076c92c3c95b1a366f742fe1caa7ce910cb teapots.mat",
    ),
    "coil20/coil-20-proc.zip": ByHand(
        "08c56eee06d28f671277b8687929e38f9f94a6b94c37c4b685b9b4211cdcdb3d",
        "the processed images obj1__0.png to obj20__71.png of "
        "https://www.cs.columbia.edu/CAVE/software/softlib/coil-20.php",
    ),
    "umist/umist_faces.zip": ByHand(
        "3470a1b0b93e146473c7bc1fb8a6e4e6ec7c0b84f7e6c8b4f4d2e3c9e1aafb04",
        "the 575 cropped images of https://cs.nyu.edu/~roweis/data.html, 112 rows of 92 pixels, as "
        "a1.pgm to t34.pgm, one letter per person",
    ),
    "orl/orl_faces.zip": ByHand(
        "8b0b54c583c1ed1d92c498993c327f46aeb149cc4c0cacbe48d9e42e5934ea25",
        "the 400 images s1/1.pgm to s40/10.pgm of https://cam-orl.co.uk/facedatabase.html, one "
        "folder per person",
    ),
    "bank/bank-additional-full.csv.gz": ByHand(
        "74adfc578bf77a7ff4bb1ba4a9f8709d9e3c6907342959c2c8416847e0afb4d8",
        "bank-additional-full.csv of https://archive.ics.uci.edu/dataset/222/bank+marketing",
    ),
    "imdb/imdb_reviews.csv.xz": ByHand(
        "afd9ac12b7c0478f86cc85353756052bfe2d620f9afe57ace1126e5480b6af8a",
        "the reviews of https://ai.stanford.edu/~amaas/data/sentiment/ as one table with the "
        "columns split, sentiment, id, rating (id and rating from the file name) and text",
    ),
}


def fetch(name: str) -> Path:
    """Return the path of an original file, downloaded if necessary and verified by SHA-256.

    The file, a key of :data:`FILES`, is searched for in the folder given by the environment
    variable ``NLDR_DATA_DIR`` (set from ``data_dir`` in ``config.yaml``), then in the cache
    (``NLDR_CACHE_DIR``, or else the user's cache folder). Otherwise it is downloaded into the
    cache; its sources are tried in order, each of them twice. Downloads appear in the cache only
    when they are complete and verified, so several processes may fetch a file at the same time. A
    file without a public source (:class:`ByHand`) must be in one of the two folders.

    Raises
    ------
    ValueError
        If the name is not in :data:`FILES`.
    DownloadError
        If a file placed by hand is corrupt (it is left unchanged), or if the file is in neither
        folder and no source provides it intact.

    Examples
    --------
    >>> fetch("mnist/train-labels-idx1-ubyte.gz").name  # doctest: +SKIP
    'train-labels-idx1-ubyte.gz'
    """
    import pooch

    if name not in FILES:
        raise ValueError(f"unknown file '{name}', expected one of {', '.join(FILES)}")
    original = FILES[name]
    # The user's folder
    data_dir = os.environ.get("NLDR_DATA_DIR")
    if data_dir and (local := Path(data_dir, name).expanduser()).exists():
        return _verified(local, original)
    # The cache, filled from the sources unless the file has none
    cached = Path(os.environ.get("NLDR_CACHE_DIR") or pooch.os_cache("nldr"), name).expanduser()
    if isinstance(original, ByHand):
        if cached.exists():
            return _verified(cached, original)
        problem = f"{name} has no public source. It must contain {original.content}."
    else:
        failures = _download(original, cached)
        if not failures:
            return cached
        attempts = "".join(f"\n  {url}: {error}" for url, error in failures.items())
        problem = f"{name} could not be downloaded (SHA-256 {original.sha256}):{attempts}"
    raise DownloadError(
        f"{problem}\nTo place it by hand, save it as {cached}, or as {name} in the folder given by "
        "data_dir in config.yaml or by the environment variable NLDR_DATA_DIR"
        + _describe_folder(data_dir)
    )


def _describe_folder(data_dir: str | None) -> str:
    """Return the end of the sentence that mentions the folder of originals."""
    if not data_dir:
        return "."
    exists = Path(data_dir).expanduser().is_dir()
    return f" (now {data_dir}{'' if exists else ', which does not exist'})."


def _verified(path: Path, original: Original | ByHand) -> Path:
    """Return the path of a file placed by hand; raise DownloadError if it is not the original."""
    import pooch

    if isinstance(original, Original):
        # The file itself has a known hash: nothing is decompressed before it is checked
        digest, kind = pooch.file_hash(path), "SHA-256"
        remedy = (
            f"Replace it with the original ({' or '.join(original.urls)}), "
            "or remove it to have it downloaded."
        )
    else:
        kind = "SHA-256 after decompression"
        remedy = f"Replace it with a file that contains {original.content}."
        try:
            digest = _content_hash(path)
        except Exception as error:  # damaged files raise many types
            raise DownloadError(f"{path} cannot be decompressed: {error}. {remedy}") from error
    if digest != original.sha256:
        raise DownloadError(
            f"{path} is corrupt: its {kind} is {digest}, expected {original.sha256}. {remedy}"
        )
    return path


def _content_hash(path: Path) -> str:
    """Return the SHA-256 of the content of a compressed file, as defined in :class:`ByHand`.

    The content is never in memory as a whole, and never decompressed beyond ``MAX_CONTENT``.
    """
    # xz or gzip: hash of the decompressed content
    if path.suffix != ".zip":
        with lzma.open(path) if path.suffix == ".xz" else gzip.open(path) as content:
            return _hash(content, MAX_CONTENT)
    # Zip: hash of the sorted list of the members' hashes and names
    sums, remaining = [], MAX_CONTENT
    with ZipFile(path) as file:
        for member in file.infolist():
            if member.is_dir():
                continue
            if member.flag_bits & 1:
                raise ValueError(f"{member.filename} is encrypted")
            with file.open(member) as content:
                digest = _hash(content, remaining)
            remaining -= member.file_size
            sums.append(f"{digest}  {PurePosixPath(member.filename).name}\n")
    return sha256("".join(sorted(sums)).encode()).hexdigest()


def _hash(content: IO[bytes] | BufferedIOBase, limit: int) -> str:
    """Return the SHA-256 of a stream of at most ``limit`` bytes."""
    digest, total = sha256(), 0
    while chunk := content.read(2**20):
        total += len(chunk)
        if total > limit:
            raise ValueError(f"it contains more than {MAX_CONTENT // 2**20} MB")
        digest.update(chunk)
    return digest.hexdigest()


def _download(original: Original, cached: Path) -> dict[str, object]:
    """Download the original into the cache; return the error of each source if all failed."""
    import pooch

    _remove_strays(cached.parent)
    # The first source that provides the file intact wins
    failures: dict[str, object] = {}
    for url in ROUNDS * original.urls:
        try:
            pooch.retrieve(
                url,
                original.sha256,
                fname=cached.name,
                path=cached.parent,
                downloader=pooch.HTTPDownloader(chunk_size=2**16, timeout=TIMEOUT),
            )
            return {}
        except (OSError, ValueError) as error:
            failures[url] = error
    # Do not keep a corrupt file in the cache
    if cached.exists() and pooch.file_hash(cached) != original.sha256:
        cached.unlink()
    return failures


def _remove_strays(folder: Path) -> None:
    """Remove the temporary files of killed downloads; running downloads keep changing theirs."""
    for path in folder.glob("tmp*"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > STRAY_AFTER:
                path.unlink()
