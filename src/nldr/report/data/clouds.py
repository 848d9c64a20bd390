"""Gather the embeddings of a run for the explorer of the report, as many as fit on the page."""

from __future__ import annotations

import functools
import math
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nldr.dataset import Dataset
from nldr.engine.files.status import Status
from nldr.engine.files.store import Damaged, read_manifest, read_npz
from nldr.figures import deviation
from nldr.figures.ellipses import NAME
from nldr.metrics.pointwise import K, pointwise_errors
from nldr.report.clouds import Cloud, Embedding
from nldr.report.data.jobs import CloudSource, EmbeddingSource
from nldr.report.sprites import thumbnails

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_FEATURES = 3  # data with as many features are drawn themselves
# Bytes on the page, compressed and as base64, measured on 579 embeddings: of a coordinate with its
# share of errors and latent, and of the facts of an embedding
COORDINATE_BYTES, FACT_BYTES = 3.6, 180
ELLIPSE_BYTES, CELL_BYTES = 3.6, 0.9  # of the three numbers of an ellipse, and of the background
# Arrays of an embedding's file
COVARIANCES, BACKGROUND = f"fit.{NAME}", f"fit.{deviation.NAME}"


@dataclass(frozen=True)
class _Trial:
    """One trial of an embedding: its source, its row in the manifest, and its data."""

    source: EmbeddingSource
    row: dict[str, Any]
    data: dict[str, Any]
    order: int  # of the source among those of its cell

    @functools.cached_property
    def bytes(self) -> float:
        """Return the bytes that it is expected to take on the page."""
        if not Status(self.row["status"]).has_result:
            return FACT_BYTES
        shape, covariances = _shape(self.path, "embedding"), _shape(self.path, COVARIANCES)
        ellipses = shape[0] if covariances == (*shape[:1], 2, 2) else 0
        cells = (*_shape(self.path, BACKGROUND), 0)[0]
        extras = ELLIPSE_BYTES * ellipses + CELL_BYTES * cells
        return FACT_BYTES + COORDINATE_BYTES * math.prod(shape) + extras

    @property
    def path(self) -> Path:
        """Return the file of the coordinates."""
        return Path(self.source.manifest).parent / self.row["file"]


def _shape(path: Path, name: str) -> tuple[int, ...]:
    """Return the shape of an array of an embedding's file without reading it.

    It is empty if the array is not there, except for the embedding, which must be there.
    """
    from numpy.lib import format as npy

    # An .npz file is a zip archive with one member per array, which begins with its shape
    try:
        with zipfile.ZipFile(path) as archive:
            if name != "embedding" and f"{name}.npy" not in archive.namelist():
                return ()
            with archive.open(f"{name}.npy") as member:
                npy.read_magic(member)
                return npy.read_array_header_1_0(member)[0]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise Damaged(path, f"cannot be read: {type(error).__name__}: {error}") from None


def gather_clouds(sources: Sequence[CloudSource], max_bytes: float) -> list[Cloud]:
    """Read data and embeddings and compute the errors of single points.

    First trials come before all others and small embeddings before large ones, while they fit.

    Their size on the page, compressed and as base64, is at most ``max_bytes``; images come on top
    of it. A source has one or several clouds, of which the first tells how many of its embeddings
    were left out. Raises Damaged if a file is missing or was changed.
    """
    # What is shown is decided before any coordinates are read
    trials = [list(_trials(source)) for source in sources]
    chosen = _choose(trials, max_bytes)
    clouds: list[Cloud] = []
    # A dataset of which nothing fits has an empty cloud, so that the page can tell
    for i, (source, candidates) in enumerate(zip(sources, trials, strict=True)):
        kept = [trial for j, trial in enumerate(candidates) if (i, j) in chosen]
        clouds_of_source = list(_clouds(source, kept)) or [_empty(source)] * bool(candidates)
        if clouds_of_source:
            clouds_of_source[0] = replace(clouds_of_source[0], left_out=len(candidates) - len(kept))
        clouds += clouds_of_source
    return clouds


def _trials(source: CloudSource) -> Iterator[_Trial]:
    """Yield the trials of all embeddings of a dataset that has points."""
    data = read_manifest(source.manifest)["trials"]
    for order, embedding in enumerate(source.embeddings):
        for trial, row in enumerate(read_manifest(embedding.manifest)["trials"]):
            # A dataset without random numbers has one trial, which is that of all embeddings
            of_data = data[trial if len(data) > 1 else 0]
            # What was restored from the archive may lack points
            lacking = Status(row["status"]).has_result and "file" not in row
            if "file" in of_data and Status(of_data["status"]).has_result and not lacking:
                yield _Trial(embedding, row, of_data, order)


def _choose(trials: list[list[_Trial]], max_bytes: float) -> set[tuple[int, int]]:
    """Return the places of the trials that fit on the page."""
    placed = [(trial, (i, j)) for i, row in enumerate(trials) for j, trial in enumerate(row)]
    placed.sort(key=lambda item: (item[0].row["trial"], item[0].bytes))
    # What does not fit gives way to what comes later and is smaller
    chosen, total = set(), 0.0
    for trial, place in placed:
        if total + trial.bytes <= max_bytes:
            total += trial.bytes
            chosen.add(place)
    return chosen


def _clouds(source: CloudSource, trials: list[_Trial]) -> Iterator[Cloud]:
    """Yield one cloud for all trials that have the same data."""
    by_data: dict[str, list[_Trial]] = {}
    for trial in trials:
        by_data.setdefault(trial.data["content"], []).append(trial)
    for group in by_data.values():
        folder, row = Path(source.manifest).parent, group[0].data
        data = Dataset.from_arrays(read_npz(folder / row["file"], row["sha256"])[0])
        reference = data.reference
        cloud = _empty(source)
        yield replace(
            cloud,
            trial=row["trial"],
            n_points=data.n_samples,
            n_features=data.n_features,
            X=reference if data.n_features <= MAX_FEATURES else None,
            latent=data.Z,
            labels=data.y,
            images=thumbnails(reference, data.image_shape) if data.image_shape else None,
            embeddings=list(_embeddings(reference, group)),
        )


def _empty(source: CloudSource) -> Cloud:
    """Return the cloud of a dataset of which nothing is shown."""
    return Cloud(source.name, source.cell, source.title, 0, 0, 0, None, None, None, None, [])


def _embeddings(X: NDArray, trials: list[_Trial]) -> Iterator[Embedding]:
    """Yield the embeddings of the same data, with the errors of their points."""
    trials = sorted(trials, key=lambda trial: (trial.order, trial.row["trial"]))
    arrays = [_arrays(trial) for trial in trials]
    embeddings = [arrays_of_trial["embedding"] for arrays_of_trial in arrays if arrays_of_trial]
    # One pass over the data serves all embeddings
    errors = iter(pointwise_errors(X, embeddings))
    for trial, arrays_of_trial in zip(trials, arrays, strict=True):
        row, source, Z = trial.row, trial.source, arrays_of_trial.get("embedding")
        grid = arrays_of_trial.get(BACKGROUND)
        yield Embedding(
            method=source.method,
            method_cell=source.cell,
            title=source.title,
            trial=row["trial"],
            status=row["status"],
            message=row["message"],
            Z=Z,
            scores=_scores(source, row["trial"]),
            errors=next(errors) if Z is not None else {},
            covariances=_covariances(arrays_of_trial),
            background=deviation.as_grid(grid) if grid is not None and len(grid) else None,
        )


def _arrays(trial: _Trial) -> dict[str, NDArray]:
    """Return the coordinates of a trial and what its fit recorded; nothing if it failed."""
    if not Status(trial.row["status"]).has_result:
        return {}
    return read_npz(trial.path, trial.row["sha256"])[0]


def _covariances(arrays: dict[str, NDArray]) -> NDArray | None:
    """Return the covariances of all points in the plane, None if they are not known."""
    covariances = arrays.get(COVARIANCES)
    shape = (*arrays["embedding"].shape[:1], 2, 2) if arrays else ()
    return covariances if covariances is not None and covariances.shape == shape else None


def _scores(source: EmbeddingSource, trial: int) -> dict[str, float]:
    """Return the scores of a trial; of metrics with several k, that of the errors alone."""
    # Scores of test points, or of half of the points, have names of their own
    scores: dict[str, float] = {}
    for manifest in source.scores:
        rows, scored = _scored_rows(manifest), read_manifest(manifest)["trials"]
        if rows is None or trial >= len(scored):
            continue
        # A metric that failed has no score
        scores |= {
            name + rows: score
            for name, score in scored[trial]["scores"].items()
            if score is not None and _is_shown(name)
        }
    return scores


def _scored_rows(manifest: str) -> str | None:
    """Return the rows that scores are about: empty for all, ``@rows=test``, or None if unknown.

    Examples
    --------
    >>> _scored_rows("ranks@half=scored+ranks@half=selecting/trials-1.json")
    '@half=scored'
    """
    scorings = Path(manifest).parent.name
    kinds = {scoring.partition("@")[2] for scoring in scorings.split("+")} - {"half=selecting"}
    if scorings.startswith("sha=") or len(kinds) != 1:
        return None
    return f"@{rows}" if (rows := kinds.pop()) else ""


def _is_shown(name: str) -> bool:
    # Scores that selected a setting are no result
    k = name.partition("_k")[2]
    return not name.startswith("selecting.") and (not k.isdigit() or k == str(K))
