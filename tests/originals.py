"""Originals of real datasets: whether they are here, and small ones in the same formats."""

import csv
import gzip
import io
import itertools
import lzma
import os
import struct
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pooch
import pytest
import scipy.io
from PIL import Image

from nldr.datasets import download
from nldr.datasets.download import FILES, ByHand, Original
from nldr.datasets.tables import BANK_CATEGORIES, BANK_NUMBERS, LETTERS, STAGES

# Number of values of each category of the bank table, as published
BANK_VALUES = dict(zip(BANK_CATEGORIES, (12, 4, 8, 3, 3, 3, 2, 10, 5, 3), strict=True))
WORDS = [f"word{i:03d}" for i in range(600)]


def need(folder):
    """Skip the test unless all files of a dataset are in the user's folder or in the cache."""
    places = [os.environ.get("NLDR_DATA_DIR"), os.environ.get("NLDR_CACHE_DIR")]
    places += [str(pooch.os_cache("nldr"))]
    names = [name for name in FILES if name.startswith(f"{folder}/")]
    assert names
    if not any(all(Path(p, name).is_file() for name in names) for p in places if p):
        pytest.skip(f"the originals of {folder} are neither in NLDR_DATA_DIR nor in the cache")


def replace_originals(folder, monkeypatch):
    """Make small originals of all datasets, and have them taken for the real ones."""
    make_originals(folder)
    known = {
        name: ByHand(download._content_hash(folder / name), original.content)
        if isinstance(original, ByHand)
        else Original(pooch.file_hash(folder / name), ())
        for name, original in FILES.items()
    }
    monkeypatch.setattr(download, "FILES", known)
    monkeypatch.setenv("NLDR_DATA_DIR", str(folder))


def make_originals(folder):
    """Write every file of :data:`FILES` in its own format, with a few hundred points."""
    rng = np.random.default_rng(0)
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    # Images of digits and clothes
    for name, (part, size) in itertools.product(
        ("mnist", "fashion_mnist"), (("train", 80), ("t10k", 40))
    ):
        pixels = rng.integers(0, 256, (size, 28, 28))
        write_idx(folder / f"{name}/{part}-images-idx3-ubyte.gz", pixels)
        write_idx(folder / f"{name}/{part}-labels-idx1-ubyte.gz", np.arange(size) % 10)
    # Images of objects, faces and a teapot
    coil20 = [f"obj{k}__{i}.png" for k in range(1, 21) for i in range(6)]
    write_images(folder / "coil20/coil-20-proc.zip", coil20, (128, 128))
    umist = [f"{person}{i}.pgm" for person in "abcdefghijklmnopqrst" for i in range(1, 7)]
    write_images(folder / "umist/umist_faces.zip", umist, (112, 92))
    orl = [f"s{person}/{i}.pgm" for person in range(1, 41) for i in range(1, 4)]
    write_images(folder / "orl/orl_faces.zip", orl, (112, 92))
    scipy.io.savemat(folder / "teapots/teapots.mat", {"teapotImages": rng.random((100, 1900))})
    # Tables
    stages = [STAGES[i % 10] for i in range(437)]
    genes = rng.standard_normal((437, 48)).round(6)
    header = ["", *(f"gene{i}" for i in range(48))]
    rows = [header, *([stage, *map(str, g)] for stage, g in zip(stages, genes, strict=True))]
    (folder / "guo_qpcr/guo_qpcr.csv").write_bytes(as_csv(*rows))
    letters = [[c, *map(str, rng.integers(0, 16, 16))] for c in 5 * LETTERS]
    (folder / "letter/letter-recognition.data").write_bytes(as_csv(*letters))
    clients = [
        {name: f'"{name}{i % number:02d}"' for name, number in BANK_VALUES.items()}
        | {"age": str(20 + i), "y": '"yes"' if i % 9 == 0 else '"no"'}
        for i in range(120)
    ]
    write_bank(folder / "bank/bank-additional-full.csv.gz", clients)
    # Texts
    texts = [" ".join(rng.choice(WORDS, 60)) for _ in range(240)]
    reviews = [
        (("train", "test")[i % 2], ("neg", "pos")[i // 2 % 2], i, 7, text)
        for i, text in enumerate(texts)
    ]
    table = as_csv(("split", "sentiment", "id", "rating", "text"), *reviews)
    (folder / "imdb/imdb_reviews.csv.xz").write_bytes(lzma.compress(table))
    tweets = [(i, 3, 0, 0, 3, i % 3, text) for i, text in enumerate(texts)]
    header = ["", "count", "hate_speech", "offensive_language", "neither", "class", "tweet"]
    (folder / "hate_speech/labeled_data.csv").write_bytes(as_csv(header, *tweets))


def write_idx(path, array):
    """Write an array of bytes in the format of MNIST."""
    header = struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(header + array.astype(np.uint8).tobytes()))


def write_images(path, names, shape):
    """Write a zip file of gray images that differ in one pixel."""
    images = np.zeros((len(names), *shape), np.uint8)
    images[:, 0, 0] = np.arange(len(names)) % 256
    put_zip(path, dict(zip(names, images, strict=True)))


def put_zip(path, members):
    """Write a zip file of images by name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(path, "w") as file:
        for name, pixels in members.items():
            content = io.BytesIO()
            Image.fromarray(pixels).save(content, "PNG" if name.endswith("png") else "PPM")
            file.writestr(name, content.getvalue())


def unreadable_zips(path):
    """Return a zip file marked as encrypted, and one as compressed in an unknown way."""
    contents = []
    for offsets, value in (((6, 8), 1), ((8, 10), 99)):
        content = bytearray(path.read_bytes())
        # The same field stands in the header of the last member and in the directory.
        for start, offset in zip((b"PK\3\4", b"PK\1\2"), offsets, strict=True):
            content[content.rindex(start) + offset] = value
        contents.append(bytes(content))
    return contents


def write_bank(path, rows):
    """Write clients with the given attributes; the others are 0 or 'unknown'."""
    columns = [*BANK_CATEGORIES, *BANK_NUMBERS, "y"]
    default = dict.fromkeys(BANK_CATEGORIES, '"unknown"') | dict.fromkeys(BANK_NUMBERS, "0")
    lines = [";".join(f'"{c}"' for c in columns)]
    lines += [";".join((default | row)[c] for c in columns) for row in map(dict, rows)]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))


def as_csv(*rows):
    """Return rows as a CSV file."""
    lines = io.StringIO()
    csv.writer(lines).writerows(rows)
    return lines.getvalue().encode()
