"""Datasets follow from their seed and have the sizes that the catalog promises."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from nldr.engine.jobs.data import make_data
from nldr.engine.jobs.specs import DataJob
from nldr.engine.store import read_npz

JOB = DataJob(
    name="swiss_roll",
    function="nldr.datasets.manifolds.swiss_roll",
    params={"n_samples": 20, "height": 30.0, "noise": 0.1},
    seed=7,
    transforms={},
    transform_seed=1,
    expected={"n_samples": 20, "n_features": 3, "n_latent": 2, "labels": False},
    code="",
)


def test_same_seed_same_data(tmp_path: Path) -> None:
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        make_data(replace(JOB, seed=seed), tmp_path / f"{name}.npz")
    a, b, c = (read_npz(tmp_path / f"{name}.npz") for name in "abc")
    np.testing.assert_array_equal(a[0]["X"], b[0]["X"])
    assert not np.array_equal(a[0]["X"], c[0]["X"])
    assert a[1]["job"] == asdict(JOB)


def test_transforms(tmp_path: Path) -> None:
    make_data(JOB, tmp_path / "a.npz")
    make_data(replace(JOB, transforms={"dropout": 0.5}), tmp_path / "b.npz")
    plain, lossy = (read_npz(tmp_path / f"{name}.npz")[0] for name in "ab")
    np.testing.assert_array_equal(lossy["clean"], plain["clean"])
    assert set(np.unique(lossy["X"] / plain["X"])) == {0.0, 1.0}


def test_sizes_that_differ_from_the_catalog_raise(tmp_path: Path) -> None:
    job = replace(JOB, expected={**JOB.expected, "n_latent": 3})
    with pytest.raises(ValueError, match=r"'swiss_roll' has .*datasets\.yaml promises"):
        make_data(job, tmp_path / "a.npz")
    assert list(tmp_path.iterdir()) == []
