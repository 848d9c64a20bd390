"""A fetched file equals the original, or one error lists all failures."""

import gzip
import hashlib
import lzma
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from zipfile import ZipFile

import pytest
from originals import unreadable_zips

from nldr.datasets import download
from nldr.datasets.download import FILES, ByHand, DownloadError, Original, fetch

NAME = "set/points.bin"
CONTENT = bytes(range(256)) * 2000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """A source with good and bad files, which records the requested paths."""

    def do_GET(self):
        self.server.requested.append(self.path)
        if self.path == "/missing":
            self.send_error(404)
            return
        if self.path == "/late":
            self.server.stopping.wait(10)
        body = {"/corrupt": CONTENT[:-1] + b"?", "/truncated": CONTENT[:100_000]}
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(body.get(self.path, CONTENT))

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requested = []
        self.stopping = threading.Event()

    def handle_error(self, *_):
        pass

    def url(self, path):
        return f"http://127.0.0.1:{self.server_port}/{path}"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield running
        running.stopping.set()
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def cached(tmp_path, monkeypatch):
    """Use an empty cache and no folder of originals; return the path of the cached file."""
    monkeypatch.delenv("NLDR_DATA_DIR", raising=False)
    monkeypatch.setenv("NLDR_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / NAME


@pytest.fixture
def given(tmp_path, monkeypatch):
    """Use a folder of originals; return the path of the file in it."""
    monkeypatch.setenv("NLDR_DATA_DIR", str(tmp_path / "originals"))
    return put(tmp_path / "originals" / NAME, CONTENT)


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def register(monkeypatch, *urls):
    monkeypatch.setattr(download, "FILES", {NAME: Original(SHA256, urls)})


def test_sources_are_tried_in_order_and_the_file_is_cached(server, cached, monkeypatch):
    monkeypatch.setattr(download, "TIMEOUT", 0.3)
    paths = ["missing", "corrupt", "truncated", "late", "good", "unused"]
    register(monkeypatch, *map(server.url, paths))
    for _ in range(2):
        assert fetch(NAME) == cached
        assert cached.read_bytes() == CONTENT
    assert server.requested == ["/missing", "/corrupt", "/truncated", "/late", "/good"]
    assert list(cached.parent.iterdir()) == [cached]


def test_error_lists_all_failures(server, cached, monkeypatch):
    monkeypatch.setenv("NLDR_DATA_DIR", "/nowhere")
    paths = ["missing", "corrupt", "truncated"]
    register(monkeypatch, *map(server.url, paths), "http://127.0.0.1:9/refused", "no-url")
    with pytest.raises(DownloadError) as caught:
        fetch(NAME)
    first, missing, corrupt, truncated, refused, no_url, last = str(caught.value).splitlines()
    assert first == f"{NAME} could not be downloaded (SHA-256 {SHA256}):"
    assert missing.startswith(f"  {server.url('missing')}: 404")
    assert corrupt.startswith(f"  {server.url('corrupt')}: ")
    assert f"expected {SHA256}" in corrupt
    assert f"got {hashlib.sha256(CONTENT[:-1] + b'?').hexdigest()}" in corrupt
    assert truncated.startswith(f"  {server.url('truncated')}: ")
    assert "100000 bytes read" in truncated
    assert "Connection refused" in refused
    assert no_url.startswith("  no-url: ")
    assert f"save it as {cached}, or as {NAME} in the folder" in last
    assert "data_dir in config.yaml or by the environment variable NLDR_DATA_DIR" in last
    assert last.endswith("(now /nowhere, which does not exist).")
    assert server.requested == 2 * ["/missing", "/corrupt", "/truncated"]
    assert list(cached.parent.iterdir()) == []


def test_corrupt_cached_file_is_replaced_or_removed(server, cached, monkeypatch):
    put(cached, CONTENT[:-1])
    register(monkeypatch, server.url("corrupt"))
    with pytest.raises(DownloadError):
        fetch(NAME)
    assert list(cached.parent.iterdir()) == []
    put(cached, CONTENT[:-1])
    register(monkeypatch, server.url("good"))
    assert fetch(NAME).read_bytes() == CONTENT


def test_local_folder_precedes_cache(server, cached, given, monkeypatch):
    register(monkeypatch, server.url("good"))
    put(cached, b"ignored")
    assert fetch(NAME) == given
    given.unlink()
    assert fetch(NAME) == cached
    assert server.requested == ["/good"]


def test_corrupt_local_file_raises_and_is_kept(server, given, monkeypatch):
    register(monkeypatch, server.url("good"))
    given.write_bytes(b"mine")
    with pytest.raises(DownloadError) as caught:
        fetch(NAME)
    digest = hashlib.sha256(b"mine").hexdigest()
    assert str(caught.value).startswith(
        f"{given} is corrupt: its SHA-256 is {digest}, expected {SHA256}. "
        f"Replace it with the original ({server.url('good')})"
    )
    assert given.read_bytes() == b"mine"
    assert server.requested == []


def test_abandoned_temporary_files_are_removed(server, cached, monkeypatch):
    register(monkeypatch, server.url("good"))
    stray, live = (put(cached.parent / name, b"half") for name in ("tmpstray", "tmplive"))
    os.utime(stray, (0, time.time() - 2 * download.STRAY_AFTER))
    fetch(NAME)
    assert set(cached.parent.iterdir()) == {live, cached}


def test_concurrent_downloads(server, cached):
    code = (
        "from nldr.datasets import download\n"
        f"download.FILES[{NAME!r}] = download.Original({SHA256!r}, ({server.url('good')!r},))\n"
        f"print(len(download.fetch({NAME!r}).read_bytes()))\n"
    )
    sources = str(Path(download.__file__).parents[2])
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": sources},
        )
        for _ in range(3)
    ]
    for process in running:
        output, errors = process.communicate(timeout=60)
        assert output.split() == [str(len(CONTENT)).encode()], errors
    assert list(cached.parent.iterdir()) == [cached]


def test_unknown_file_raises():
    with pytest.raises(ValueError, match=r"unknown file 'mnist/x', expected one of mnist/train"):
        fetch("mnist/x")


def pack(path, content, folder=""):
    """Compress content according to the suffix of the path; a zip file gets two members."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".zip":
        with ZipFile(path, "w") as file:
            if folder:
                file.mkdir(folder)
            file.writestr(f"{folder}b.bin", content[:9])
            file.writestr(f"{folder}a.bin", content[9:])
    else:
        compress = {".gz": gzip.compress, ".xz": lzma.compress}[path.suffix]
        path.write_bytes(compress(content))
    return path


def sum_of_sums(content):
    sums = {"a.bin": content[9:], "b.bin": content[:9]}
    lines = [f"{hashlib.sha256(part).hexdigest()}  {name}\n" for name, part in sums.items()]
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


@pytest.fixture(params=["gz", "xz", "zip"])
def packed(request, monkeypatch):
    """Register a file without a public source; return its name."""
    name = f"set/points.{request.param}"
    expected = sum_of_sums(CONTENT) if request.param == "zip" else SHA256
    monkeypatch.setattr(download, "FILES", {name: ByHand(expected, "all points of http://p")})
    return name


def test_missing_by_hand_file_raises(cached, packed):
    with pytest.raises(DownloadError) as caught:
        fetch(packed)
    assert str(caught.value) == (
        f"{packed} has no public source. It must contain all points of http://p.\n"
        f"To place it by hand, save it as {cached.parents[1] / packed}, or as {packed} in the "
        "folder given by data_dir in config.yaml or by the environment variable NLDR_DATA_DIR."
    )


def test_by_hand_file_in_either_folder(cached, given, packed):
    in_cache = pack(cached.parents[1] / packed, CONTENT)
    in_folder = pack(given.parents[1] / packed, CONTENT, folder="points/")
    assert fetch(packed) == in_folder
    in_folder.unlink()
    assert fetch(packed) == in_cache


def test_corrupt_by_hand_file_raises_and_is_kept(cached, packed):
    path = pack(cached.parents[1] / packed, CONTENT[:-1])
    for content, problem in (
        (path.read_bytes(), "is corrupt: its SHA-256 after decompression is "),
        (path.read_bytes()[:-30], "cannot be decompressed: "),
        (b"mine", "cannot be decompressed: "),
    ):
        path.write_bytes(content)
        with pytest.raises(DownloadError) as caught:
            fetch(packed)
        message = str(caught.value)
        assert message.startswith(f"{path} {problem}")
        assert message.endswith(". Replace it with a file that contains all points of http://p.")
        assert path.read_bytes() == content


def test_content_that_is_too_large_is_not_decompressed(cached, packed, monkeypatch):
    path = pack(cached.parents[1] / packed, bytes(5 * 2**20))
    monkeypatch.setattr(download, "MAX_CONTENT", 2**21)
    read = []
    real = download.sha256

    class Digest:
        def __init__(self):
            self.digest = real()

        def update(self, chunk):
            read.append(len(chunk))

        def hexdigest(self):
            return "0"

    monkeypatch.setattr(download, "sha256", Digest)
    with pytest.raises(DownloadError, match="cannot be decompressed: it contains more than 2 MB"):
        fetch(packed)
    assert sum(read) <= 2**21 + 9
    assert path.exists()


def test_zip_that_cannot_be_decompressed_raises(cached, monkeypatch):
    name = "set/points.zip"
    monkeypatch.setattr(download, "FILES", {name: ByHand(SHA256, "all points of http://p")})
    path = pack(cached.parents[1] / name, CONTENT)
    encrypted, unknown = unreadable_zips(path)
    for content, message in ((encrypted, "a.bin is encrypted"), (unknown, "is not supported")):
        path.write_bytes(content)
        with pytest.raises(DownloadError, match=f"points.zip cannot be decompressed: .*{message}"):
            fetch(name)


@pytest.mark.parametrize("name", FILES)
def test_every_file_has_a_hash_and_sources(name):
    original = FILES[name]
    assert len(bytes.fromhex(original.sha256)) == 32
    if isinstance(original, ByHand):
        assert " https://" in original.content
        return
    assert len(set(original.urls)) >= 2
    assert all(url.startswith("http") and url.endswith(Path(name).name) for url in original.urls)
