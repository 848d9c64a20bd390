"""Whatever a method does, a file with an embedding or a failure is written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from conftest import ROOT

from nldr.dataset import Dataset
from nldr.engine.jobs.embed import run_embedding
from nldr.engine.jobs.specs import EmbedJob
from nldr.engine.store import read_npz, write_npz

X = np.arange(40.0).reshape(10, 4)


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EmbedJob:
    """Return the job of an embedding by a planted method."""
    folders = [ROOT / "tests", ROOT / "src"]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, folders)))
    write_npz(tmp_path / "data.npz", Dataset(X=X).arrays(), {})
    return EmbedJob(
        name="planted", estimator="", params={"n_components": 2}, needs=None, split=False,
        warm_up=[], attributes=[], histories=[], threads=1, seconds=60, memory_mb=2000,
        exclusive=False, code="",
    )  # fmt: skip


def run(job: EmbedJob, tmp_path: Path, name: str, **changes: Any) -> tuple[dict, dict]:
    output = tmp_path / "out.npz"
    job = replace(job, estimator=f"planted.{name}", **changes)
    run_embedding(job, tmp_path / "data.npz", output, tmp_path / "log")
    assert sorted(p.name for p in tmp_path.glob(".tmp*")) == []
    return read_npz(output)


def test_embedding_and_costs_are_written(job: EmbedJob, tmp_path: Path) -> None:
    arrays, meta = run(job, tmp_path, "Fine")
    np.testing.assert_array_equal(arrays["embedding"], X[:, :2])
    assert meta["status"] == "ok"
    assert meta["job"]["params"] == {"n_components": 2}
    assert meta["threads"] == 1
    assert 0 < meta["seconds"] < 1
    assert 20 < meta["peak_mb"] < 500
    assert set(meta) >= {"commit", "cpu", "cpu_seconds", "python", "versions", "written"}


def test_peak_memory_excludes_the_parent(job: EmbedJob, tmp_path: Path) -> None:
    ballast = np.ones(10**8)
    _, meta = run(job, tmp_path, "Fine")
    assert meta["peak_mb"] < ballast.nbytes / 2**20


@pytest.mark.parametrize(
    ("name", "status", "message"),
    [
        ("Raises", "error", r"RuntimeError: broken <object object at 0x…>"),
        ("Refuses", "invalid_input", "ValueError: this dataset does not suit me"),
        ("CannotAllocate", "out_of_memory", "MemoryError: no room"),
        ("Aborts", "error", "the process died of SIGABRT"),
        ("Exits", "error", "the process ended without a result"),
        ("ReturnsNan", "error", "the method returned NaN or infinity in 1 of 10 rows"),
        ("ReturnsWrongShape", "error", "the method returned shape (9, 2), not (10, 2)"),
    ],
)
def test_failure_is_a_result(
    job: EmbedJob, tmp_path: Path, name: str, status: str, message: str
) -> None:
    arrays, meta = run(job, tmp_path, name)
    assert arrays == {}
    assert meta["status"] == status
    assert meta["message"].endswith(message)


def test_not_converged_keeps_its_embedding(job: EmbedJob, tmp_path: Path) -> None:
    arrays, meta = run(job, tmp_path, "GivesUp")
    np.testing.assert_array_equal(arrays["embedding"], X[:, :2])
    assert (meta["status"], meta["message"]) == ("not_converged", "stopped early")


def test_split_data_are_fitted_on_training_points_only(job: EmbedJob, tmp_path: Path) -> None:
    train = np.arange(10) % 3 > 0
    write_npz(tmp_path / "data.npz", Dataset(X=X, train=train).arrays(), {})
    arrays, meta = run(job, tmp_path, "Centers", split=True)
    np.testing.assert_allclose(arrays["embedding"], (X - X[train].mean(axis=0))[:, :2])
    assert meta["fitted_rows"] == 6
    assert 0 < meta["transform_seconds"] < 1
    arrays, meta = run(job, tmp_path, "Fine", split=True)
    np.testing.assert_array_equal(arrays["embedding"], X[:, :2])
    assert meta["fitted_rows"] == 10
    assert "transform_seconds" not in meta
    assert run(job, tmp_path, "Centers")[1]["fitted_rows"] == 10


def test_attributes_of_the_estimator_are_kept(job: EmbedJob, tmp_path: Path) -> None:
    _, meta = run(job, tmp_path, "Centers", attributes=["n_rows_"])
    assert meta["fit"] == {"n_rows": 10.0}
    _, meta = run(job, tmp_path, "Centers", attributes=["n_row_"])
    assert meta["status"] == "error"
    assert "Centers has no attribute 'n_row_' after its fit" in meta["message"]


def test_histories_of_the_estimator_are_kept(job: EmbedJob, tmp_path: Path) -> None:
    arrays, meta = run(job, tmp_path, "Centers", histories=["mean_"])
    assert arrays.keys() == {"embedding", "fit.mean"}
    np.testing.assert_array_equal(arrays["fit.mean"], X[:, :2].mean(axis=0))
    arrays, meta = run(job, tmp_path, "Centers", histories=["means_"])
    assert (arrays, meta["status"]) == ({}, "error")
    assert "correct `histories` in workflow/catalog/methods.yaml" in meta["message"]


def test_failures_and_warnings_of_the_warm_up_are_ignored(job: EmbedJob, tmp_path: Path) -> None:
    arrays, meta = run(job, tmp_path, "FailsAtFirst", warm_up=[5])
    assert (meta["status"], meta["warnings"]) == ("ok", [])
    np.testing.assert_array_equal(arrays["embedding"], X[:, :2])
    assert run(job, tmp_path, "FailsAtFirst")[1]["status"] == "invalid_input"


@pytest.mark.parametrize("name", ["Loops", "Forks"])
def test_time_limit_is_enforced_on_all_processes(job: EmbedJob, tmp_path: Path, name: str) -> None:
    before = {p.pid for p in psutil.process_iter()}
    arrays, meta = run(job, tmp_path, name, seconds=2)
    assert arrays == {}
    assert (meta["status"], meta["message"]) == ("timeout", "ended at its limit of 2 s")
    assert 2 <= meta["wall_seconds"] < 60
    left = [p for p in psutil.process_iter() if p.pid not in before and _sleeps(p)]
    assert left == []


def _sleeps(process: psutil.Process) -> bool:
    try:
        return "time.sleep(600)" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


def test_memory_limit_is_enforced(job: EmbedJob, tmp_path: Path) -> None:
    arrays, meta = run(job, tmp_path, "Allocates", memory_mb=400)
    assert arrays == {}
    assert meta["status"] == "out_of_memory"
    assert meta["message"] == "ended at its limit of 400 MB"


def test_class_that_cannot_be_imported(job: EmbedJob, tmp_path: Path) -> None:
    _, meta = run(job, tmp_path, "Absent")
    assert meta["status"] == "error"
    assert "module 'planted' has no 'Absent'" in meta["message"]


def test_child_ends_with_its_parent(job: EmbedJob, tmp_path: Path) -> None:
    """A killed supervisor leaves no method running and no file."""
    job = replace(job, estimator="planted.Loops")
    code = (
        "from pathlib import Path; from nldr.engine.jobs.embed import run_embedding; "
        "from nldr.engine.jobs.specs import EmbedJob; "
        f"run_embedding({job!r}, Path('data.npz'), Path('out.npz'), Path('log'))"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    deadline = time.monotonic() + 20
    while not (children := psutil.Process(parent.pid).children()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(1)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    _, alive = psutil.wait_procs(children, timeout=10)
    assert alive == []
    assert not (tmp_path / "out.npz").exists()
