"""Scores are those of the scorer; failed embeddings have none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nldr.dataset import Dataset
from nldr.engine.jobs.score import score
from nldr.engine.jobs.specs import ScoreJob
from nldr.engine.store import write_npz


def scored_by(function: str, params: dict | None = None, rows: Any = "all") -> ScoreJob:
    return ScoreJob(f"nldr.metrics.{function}", params or {}, rows, code="")


@pytest.fixture
def files(tmp_path: Path) -> tuple[list[str], list[str]]:
    """Return two datasets and the embeddings of their trials: perfect, failed."""
    rng = np.random.default_rng(0)
    data, embeddings = [], []
    for trial in range(2):
        Z = rng.normal(size=(30, 2))
        data.append(str(tmp_path / f"data-{trial}.npz"))
        embeddings.append(str(tmp_path / f"embedding-{trial}.npz"))
        write_npz(data[-1], Dataset(X=Z @ rng.normal(size=(2, 5)), Z=Z).arrays(), {})
        write_npz(embeddings[-1], {"embedding": 3 * Z + 1} if trial == 0 else {}, {})
    return data, embeddings


def test_failed_trials_have_no_score(files: tuple, tmp_path: Path) -> None:
    output = tmp_path / "scores.csv"
    score(scored_by("alignment.alignment"), *files, output)
    header, perfect, failed = output.read_text().splitlines()
    assert (header, failed) == ("trial,procrustes,r2_affine", "1,,")
    assert float(perfect.split(",")[2]) == pytest.approx(1, abs=1e-12)


def test_rows_of_a_split(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    Z, train = rng.normal(size=(30, 2)), np.arange(30) < 20
    embedding = np.where(train[:, np.newaxis], Z, rng.normal(size=(30, 2)))
    files = [str(tmp_path / name) for name in ("data.npz", "embedding.npz")]
    write_npz(files[0], Dataset(X=Z, Z=Z, train=train).arrays(), {})
    write_npz(files[1], {"embedding": embedding}, {})
    r2 = {}
    for rows in ("all", "train", "test"):
        output = tmp_path / f"{rows}.csv"
        score(scored_by("alignment.alignment", rows=rows), files[:1], files[1:], output)
        r2[rows] = float(output.read_text().split(",")[-1])
    assert r2["train"] == pytest.approx(1, abs=1e-12)
    assert max(r2["test"], r2["all"]) < 0.5


def test_threads_are_given_to_the_scorer(files: tuple, tmp_path: Path) -> None:
    outputs = [tmp_path / f"{threads}.csv" for threads in (1, 2)]
    for threads, output in enumerate(outputs, start=1):
        score(scored_by("coranking.coranking"), *files, output, threads=threads)
    assert outputs[0].read_text() == outputs[1].read_text()
    with pytest.raises(TypeError, match="n_jobs"):
        score(scored_by("alignment.alignment"), *files, outputs[0], threads=2)


def test_all_failed(files: tuple, tmp_path: Path) -> None:
    output = tmp_path / "scores.csv"
    score(scored_by("alignment.alignment"), files[0][:1], files[1][1:], output)
    assert output.read_text() == "trial\n0\n"


def test_one_dataset_file_for_all_trials(files: tuple, tmp_path: Path) -> None:
    output = tmp_path / "scores.csv"
    data, embeddings = files[0][:1], [files[1][0]] * 3
    score(scored_by("ranks.ranks", {"k": [3]}), data, embeddings, output)
    lines = output.read_text().splitlines()
    assert {"continuity_k3", "trustworthiness_k3"} < set(lines[0].split(","))
    assert len({line.split(",", 1)[1] for line in lines[1:]}) == 1
