"""Choose a small map for the card of each method and dataset, of the points that are stored."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import to_hex

from nldr.dataset import Dataset
from nldr.engine.code.imports import import_object
from nldr.engine.files.status import Status
from nldr.engine.files.store import read_manifest, read_npz
from nldr.figures.colors import LABEL_COLORS, by_label, point_colors
from nldr.report.data.jobs import CardSample, CloudSource
from nldr.report.thumbnails import Thumbnail, chosen_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

Key = tuple[str, str]  # kind and name of a card
SAMPLE_SECONDS = 5.0  # limit of making one dataset
STEPS = {1: 10, 2: 4}  # of the colors of one, and of each of two latent coordinates


def gather_thumbnails(
    sources: Sequence[CloudSource],
    samples: Sequence[CardSample],
    archived: Mapping[Key, Path],
    titles: Mapping[Key, str],
) -> dict[Key, Thumbnail]:
    """Return the small maps by kind and name of their cards.

    A method is shown by its first trial on the dataset cell that most methods have run on, or on
    the next one where it has a result; a dataset by its first two principal components, of a sample
    if no study has made it. What has no such points is shown by those of the archive, in one color
    where their data are not there.

    ``sources`` are embeddings that are there, ``samples`` datasets that are made here if they are
    not there, and ``archived`` files of embeddings of the record, by the names of their dataset and
    method cells. Raises Damaged if a file is missing or was changed.
    """
    thumbnails: dict[Key, Thumbnail] = {}
    methods_on = {id(source): {e.method for e in source.embeddings} for source in sources}
    for source in sorted(sources, key=lambda source: -len(methods_on[id(source)])):
        data = _first_data(source, methods_on[id(source)], thumbnails)
        on = titles.get(("dataset", source.name), source.title)
        if data is not None:
            words = f"The first two principal components of {on}"
            shown = Thumbnail(_components(data.X), _colors(data), words)
            thumbnails.setdefault(("dataset", source.name), shown)
        for embedding in source.embeddings:
            if ("method", embedding.method) in thumbnails:
                continue
            Z = _first_embedding(embedding.manifest)
            if Z is not None:
                by = titles.get(("method", embedding.method), embedding.title)
                shown = _thumbnail(Z, data, f"{by} on {on}")
                thumbnails["method", embedding.method] = shown
    lacking = [sample for sample in samples if ("dataset", sample.name) not in thumbnails]
    return _archived(archived, titles) | _sampled(lacking, titles) | thumbnails


def _sampled(samples: Iterable[CardSample], titles: Mapping[Key, str]) -> dict[Key, Thumbnail]:
    """Return maps of datasets that are made here; one that fails or takes long has none."""
    thumbnails: dict[Key, Thumbnail] = {}
    for sample in samples:
        key = ("dataset", sample.name)
        with suppress(Exception):
            function = import_object(sample.function)
            seeded = {"rng": np.random.default_rng(0)} if sample.seeded else {}
            with _limited(SAMPLE_SECONDS):
                data = _drawn(function(**sample.params, **seeded))
            on = titles.get(key, sample.name)
            words = f"The first two principal components of {on}, of {data.n_samples} points"
            thumbnails[key] = Thumbnail(_components(data.X), _colors(data), words)
    return thumbnails


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the block after some seconds."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    former = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def _archived(archived: Mapping[Key, Path], titles: Mapping[Key, str]) -> dict[Key, Thumbnail]:
    """Return maps of embeddings of the record: those on the cell that has most come first."""
    thumbnails: dict[Key, Thumbnail] = {}
    cells = [data for data, _ in archived]
    for data, method in sorted(archived, key=lambda names: -cells.count(names[0])):
        keys = [("method", method.partition("@")[0]), ("dataset", data.partition("@")[0])]
        if all(key in thumbnails for key in keys):
            continue
        Z = read_npz(archived[data, method])[0]["embedding"]
        if Z.shape[1] > 1:
            words = " on ".join(titles.get(key, key[1]) for key in keys)
            shown = _thumbnail(Z, None, words)
            thumbnails = dict.fromkeys(keys, shown) | thumbnails
    return thumbnails


def _first_data(
    source: CloudSource, methods: set[str], thumbnails: Mapping[Key, Thumbnail]
) -> Dataset | None:
    """Return the rows to draw of the first trial of the data, if they are there and needed."""
    needed = [("dataset", source.name), *(("method", method) for method in methods)]
    row = read_manifest(source.manifest)["trials"][0]
    if all(key in thumbnails for key in needed) or not _has_points(row):
        return None
    arrays = read_npz(Path(source.manifest).parent / row["file"], row["sha256"])[0]
    return _drawn(Dataset.from_arrays(arrays))


def _drawn(data: Dataset) -> Dataset:
    """Return the rows to draw, without noise where it is known."""
    rows = chosen_rows(data.n_samples)
    Z, y = (None if values is None else values[rows] for values in (data.Z, data.y))
    return Dataset(data.reference[rows], Z, y)


def _first_embedding(manifest: str) -> NDArray | None:
    """Return the first trial of an embedding, if it has points in a plane or more dimensions."""
    row = read_manifest(manifest)["trials"][0]
    if not _has_points(row):
        return None
    Z = read_npz(Path(manifest).parent / row["file"], row["sha256"])[0]["embedding"]
    return Z if Z.shape[1] > 1 else None


def _has_points(row: Mapping[str, Any]) -> bool:
    """Return whether a trial has a result with a file; what was restored may lack it."""
    return "file" in row and Status(row["status"]).has_result


def _thumbnail(Z: NDArray, data: Dataset | None, words: str) -> Thumbnail:
    """Return the map of an embedding, in one color if its data are not there."""
    rows = chosen_rows(len(Z))
    same = data is not None and data.n_samples == len(rows)
    colors = _colors(data) if data is not None and same else [LABEL_COLORS[0]] * len(rows)
    return Thumbnail(Z[rows, :2], colors, words)


def _colors(data: Dataset) -> list[str]:
    """Return the color of each point, as in the figures; those of a latent in a few steps."""
    if data.Z is not None and not by_label(data):
        # Steps of the ranks, which a skewed latent has too
        n_steps = STEPS[min(data.Z.shape[1], 2)]
        ranks = np.argsort(np.argsort(data.Z[:, :2], axis=0, kind="stable"), axis=0)
        data = replace(data, Z=np.floor(ranks * n_steps / data.n_samples), y=None)
    return [to_hex(color) for color in point_colors(data)]


def _components(X: NDArray) -> NDArray:
    """Return the first two principal components."""
    U, lengths, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    components = (U * lengths)[:, :2]
    return np.pad(components, ((0, 0), (0, 2 - components.shape[1])))
