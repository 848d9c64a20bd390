"""Datasets follow from their seed and have the sizes that the catalog promises."""

from dataclasses import replace

import numpy as np
import pytest

from nldr.engine.files.store import read_npz
from nldr.engine.jobs.specs import DataJob, Limits
from nldr.engine.stages import data
from nldr.engine.stages.data import make_data

JOB = DataJob(
    name="swiss_roll",
    function="nldr.datasets.manifolds.swiss_roll",
    params={"n_samples": 20, "height": 30.0, "noise": 0.1},
    seeds=[7, 8],
    transforms={},
    transform_seeds=[1, 1],
    expected={"n_samples": 20, "n_features": 3, "n_latent": 2, "labels": True},
    limits=Limits(60, 1000),
    code="",
)


def make(job, path, trial=0):
    return make_data(job, trial, str(path), {"key": "k"}, lambda: None)


def test_each_trial_has_its_seeds(tmp_path):
    job = replace(JOB, transforms={"dropout": 0.5}, transform_seeds=[1, 2])
    rows = [make(job, tmp_path / f"{trial}.npz", trial) for trial in range(2)]
    assert rows[0]["content"] != rows[1]["content"]
    moved = replace(job, seeds=[7, 7])
    assert make(moved, tmp_path / "2.npz", 1)["content"] not in {r["content"] for r in rows}
    assert read_npz(tmp_path / "1.npz")[1]["job"] == job.of_trial(1)
    assert make(job, tmp_path / "3.npz", 1)["content"] == rows[1]["content"]


def test_transforms(tmp_path):
    make(JOB, tmp_path / "a.npz")
    make(replace(JOB, transforms={"dropout": 0.5}), tmp_path / "b.npz")
    plain, lossy = (read_npz(tmp_path / f"{name}.npz")[0] for name in "ab")
    np.testing.assert_array_equal(lossy["clean"], plain["clean"])
    assert set(np.unique(lossy["X"] / plain["X"])) == {0.0, 1.0}


def test_sizes_that_differ_from_the_catalog_are_refused(tmp_path):
    job = replace(JOB, expected={**JOB.expected, "n_latent": 3})
    row = make(job, tmp_path / "a.npz")
    assert (row["status"], row["transient"]) == ("invalid_input", False)
    assert row["message"].startswith("ValueError: dataset 'swiss_roll' has ")
    assert "datasets.yaml promises" in row["message"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("transient", [False, True])
def test_file_that_cannot_be_read_may_be_there_later(tmp_path, monkeypatch, transient):
    error = FileNotFoundError("mnist.gz") if transient else KeyError("X")
    monkeypatch.setattr(data, "import_object", lambda _: lambda **_: raise_(error))
    row = make(JOB, tmp_path / "a.npz")
    assert (row["status"], row["transient"]) == ("error", transient)


def raise_(error):
    raise error
