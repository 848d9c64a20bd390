"""The job that scores all trials of one dataset under one method with one scorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from nldr.dataset import Dataset
from nldr.engine.imports import import_object
from nldr.engine.store import read_npz, write_csv


def score(
    function: str,
    params: Mapping[str, Any],
    data_files: Sequence[str],
    embedding_files: Sequence[str],
    output: Path,
    rows: str = "all",
    threads: int = 1,
) -> None:
    """Score the embeddings of all trials with one scorer; failed embeddings get no score.

    ``data_files`` holds one file a trial, or a single one where all trials are the same. The
    scorer sees all rows, or those of the ``"train"`` or the ``"test"`` points only. Where
    there are several threads, it takes their number as ``n_jobs``.
    """
    scorer = partial(import_object(function), **params)
    if threads > 1:
        scorer = partial(scorer, n_jobs=threads)
    scores: list[dict[str, float]] = []
    data, read = None, None
    chosen: Any = slice(None)
    for trial, file in enumerate(embedding_files):
        arrays, _ = read_npz(file)
        if "embedding" not in arrays:
            scores.append({})
            continue
        source = data_files[trial if len(data_files) > 1 else 0]
        if source != read:
            data, read = Dataset.from_arrays(read_npz(source)[0]), source
            if rows != "all" and data.train is not None:
                chosen = data.train == (rows == "train")
                data = data.rows(chosen)
        scores.append(scorer(data, arrays["embedding"][chosen]))
    names = sorted({name for score in scores for name in score})
    lines = ([trial, *(score.get(name) for name in names)] for trial, score in enumerate(scores))
    write_csv(output, ["trial", *names], lines)
