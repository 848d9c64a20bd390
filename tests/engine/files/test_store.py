"""Files are whole or absent and carry their provenance."""

import math
import os

import numpy as np
import pytest

from nldr.engine.files import store
from nldr.engine.files.store import (
    Damaged,
    atomic,
    commit,
    content_digest,
    digest_of,
    file_entry,
    problem_of,
    provenance,
    read_manifest,
    read_meta,
    read_npz,
    write_csv,
    write_manifest,
    write_npz,
)


def test_atomic_leaves_nothing_behind_a_failure(tmp_path):
    target = tmp_path / "file.txt"
    target.write_text("old")

    def fail():
        with atomic(target) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_npz_round_trip(tmp_path):
    path = tmp_path / "a.npz"
    arrays = {"X": np.eye(3), "y": np.arange(3)}
    entry = write_npz(path, arrays, {"status": "ok", "message": "ä"})
    facts, meta = read_npz(path, entry["sha256"])
    assert meta == read_meta(path)
    assert meta == {"status": "ok", "message": "ä", "content": entry["content"]}
    assert facts.keys() == arrays.keys()
    np.testing.assert_array_equal(facts["X"], arrays["X"])


def test_objects_are_never_pickled(tmp_path):
    with pytest.raises(ValueError, match="allow_pickle=False"):
        write_npz(tmp_path / "a.npz", {"X": np.array([object()])}, {})
    assert list(tmp_path.iterdir()) == []
    # Nor are they read: a pickle from elsewhere may run any code
    np.savez(tmp_path / "b.npz", X=np.eye(2), meta=np.array("{}", dtype=object))
    for read in (read_npz, read_meta):
        with pytest.raises((Damaged, ValueError), match="allow_pickle=False"):
            read(tmp_path / "b.npz")


def test_csv_is_exact_and_missing_is_empty(tmp_path):
    path = tmp_path / "a.csv"
    write_csv(path, ["a", "b"], [[0.1 + 0.2, None], [math.nan, np.float64(1 / 3)]])
    assert path.read_bytes() == b"a,b\n0.30000000000000004,\n,0.3333333333333333\n"


def test_provenance_says_where_a_file_comes_from(monkeypatch):
    monkeypatch.setenv("NLDR_RUN", "2026-11-22T00:00:00Z-7")
    facts = provenance(job={"name": "pca"})
    assert facts["job"] == {"name": "pca"}
    assert facts["run"] == "2026-11-22T00:00:00Z-7"
    assert facts["versions"]["numpy"] == np.__version__
    assert facts["cpu"]
    assert facts["commit"] == commit()


def test_file_is_moved_into_place(tmp_path, monkeypatch):
    """A copy would be half-written for a moment; a move on one file system is not."""
    moved = []
    monkeypatch.setattr(store.os, "replace", lambda old, new: moved.append((old, new)))
    target = tmp_path / "sub/a.txt"
    with atomic(target) as temporary:
        temporary.write_text("whole")
    assert moved == [(temporary, target)]
    assert temporary.parent == target.parent
    assert list(target.parent.iterdir()) == []


@pytest.mark.parametrize("left", [0, 1, 20, 200])
def test_truncated_file_is_damaged(tmp_path, left):
    path = tmp_path / "a.npz"
    write_npz(path, {"X": np.arange(100.0)}, {})
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(Damaged, match=r"a\.npz cannot be read: ") as raised:
        read_npz(path)
    assert raised.value.path == path
    assert "it was removed" in raised.value.remove()
    assert not path.exists()


def test_content_is_names_types_shapes_and_values():
    x = np.arange(6.0)
    different = [
        {"X": x},
        {"Y": x},
        {"X": x.astype("f4")},
        {"X": x.reshape(2, 3)},
        {"X": x + 1},
        {},
        {"X": x, "y": x},
        {"X": x.reshape(3, 2).T.copy()},
    ]
    assert len({content_digest(arrays) for arrays in different}) == len(different)
    fortran = np.asfortranarray(x.reshape(2, 3))
    assert content_digest({"X": fortran}) == content_digest({"X": x.reshape(2, 3)})


def test_problems_of_listed_files(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("whole")
    entry = file_entry(path)
    assert problem_of(entry, tmp_path) is None
    # A new time alone is no problem, since the content is the same.
    os.utime(path)
    assert problem_of(entry, tmp_path) is None
    path.write_text("broke")
    assert problem_of(entry, tmp_path) == f"{path} was changed"
    # Under the old time only a thorough look finds it.
    os.utime(path, ns=(entry["mtime_ns"], entry["mtime_ns"]))
    assert problem_of(entry, tmp_path) is None
    assert problem_of(entry, tmp_path, thorough=True) == f"{path} was changed"
    # Another size is found without reading
    path.write_text("cut")
    os.utime(path, ns=(entry["mtime_ns"], entry["mtime_ns"]))
    assert problem_of(entry, tmp_path) == f"{path} was changed"
    path.unlink()
    assert problem_of(entry, tmp_path) == f"{path} is missing"


def test_digests_of_different_values_differ():
    assert len({digest_of(value) for value in range(2000)}) == 2000


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda path, text: path.write_text(text.replace("1.5", "2.5")), "was changed"),
        (lambda path, text: path.write_text(text[:-10]), "was changed"),
        (lambda path, text: path.write_text(""), "was changed"),
        (lambda path, text: path.write_bytes(b"\xff\xfe"), "cannot be read"),
        (lambda path, text: path.unlink(), "cannot be read"),
        (lambda path, text: path.rename(path.with_name("a")) and path.mkdir(), "no regular file"),
    ],
    ids=["edited", "cut", "empty", "binary", "missing", "folder"],
)
def test_damaged_manifest(tmp_path, damage, problem):
    path = tmp_path / "trials-2.json"
    write_manifest(path, key="k", trials=[{"score": 1.5}])
    damage(path, path.read_text())
    with pytest.raises(Damaged, match=rf"trials-2\.json.*{problem}"):
        read_manifest(path)
