"""Files are whole or absent and carry their provenance."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from nldr.engine.store import atomic, commit, provenance, read_meta, read_npz, write_csv, write_npz


def test_atomic_leaves_nothing_behind_a_failure(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    target.write_text("old")

    def fail() -> None:
        with atomic(target) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_target_is_untouched_until_the_end(tmp_path: Path) -> None:
    target = tmp_path / "sub" / "file.txt"
    with atomic(target) as temporary:
        temporary.write_text("half")
        assert not target.exists()
    assert target.read_text() == "half"


def test_npz_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    arrays = {"X": np.eye(3), "y": np.arange(3)}
    write_npz(path, arrays, {"status": "ok", "message": "ä"})
    found, meta = read_npz(path)
    assert meta == read_meta(path) == {"status": "ok", "message": "ä"}
    assert found.keys() == arrays.keys()
    np.testing.assert_array_equal(found["X"], arrays["X"])


def test_objects_are_never_pickled(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="allow_pickle=False"):
        write_npz(tmp_path / "a.npz", {"X": np.array([object()])}, {})
    assert list(tmp_path.iterdir()) == []


def test_csv_is_exact_and_missing_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_csv(path, ["a", "b"], [[0.1 + 0.2, None], [math.nan, np.float64(1 / 3)]])
    assert path.read_bytes() == b"a,b\n0.30000000000000004,\n,0.3333333333333333\n"


def test_provenance_says_where_a_file_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    found = provenance(job={"name": "pca"})
    assert found["job"] == {"name": "pca"}
    assert found["threads"] == 3
    assert found["versions"]["numpy"] == np.__version__
    assert found["cpu"]
    assert found["commit"] == commit()
