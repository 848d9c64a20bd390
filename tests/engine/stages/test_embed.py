"""An embedding is fitted, timed and checked; whatever a method raises is a status."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small import EMBED

from nldr.dataset import Dataset
from nldr.engine.files.store import Damaged, problem_of, read_npz, write_npz
from nldr.engine.stages.embed import embed, lost_error

X = np.arange(40.0).reshape(10, 4)


class Run:
    """Embeddings of a dataset by planted methods in this process."""

    def __init__(self, folder):
        self.folder = folder
        self.begun = 0
        self.set_data(Dataset(X=X))

    def set_data(self, data):
        entry = write_npz(self.folder / "data.npz", data.arrays(), {})
        self.data = (str(self.folder / "data.npz"), entry["sha256"])

    def begin(self):
        self.begun += 1

    def __call__(self, name, **changes):
        job = replace(EMBED, estimator=f"planted.{name}", **changes)
        output = str(self.folder / "trial-0.npz")
        self.row = embed(job, 0, self.data, output, {"key": "k"}, self.begin)
        assert problem_of(self.row, self.folder, thorough=True) is None
        assert list(self.folder.glob(".tmp*")) == []
        return read_npz(output)


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def test_embedding_and_costs_are_written(run):
    arrays, meta = run("Fine")
    np.testing.assert_array_equal(arrays["embedding"], X[:, :2])
    assert (meta["status"], meta["key"]) == ("ok", "k")
    assert meta["job"]["params"] == {"n_components": 2}
    assert 0 <= meta["seconds"] < 1
    assert 0 <= meta["peak_mb"] < 50
    assert meta["compile_seconds"] == 0
    assert set(meta) >= {"commit", "cpu", "cpu_seconds", "python", "versions", "written"}
    assert run.begun == 1


def test_row_repeats_what_tables_need(run):
    _, meta = run("Centers", attributes=["n_rows_"])
    for name in ("status", "message", "seconds", "fit", "content", "cpu", "written", "fitted_rows"):
        assert run.row[name] == meta[name]


@pytest.mark.parametrize(
    ("name", "status", "message"),
    [
        ("Raises", "error", "RuntimeError: broken <object object at 0x…>"),
        ("Refuses", "invalid_input", "ValueError: this dataset does not suit me"),
        ("CannotAllocate", "out_of_memory", "MemoryError: no room"),
        ("CallsExit", "error", "SystemExit: 3"),
        ("ReturnsNan", "error", "RuntimeError: the method returned NaN or infinity in 1 of 10"),
        ("ReturnsWrongShape", "error", "RuntimeError: the method returned shape (9, 2), not (10"),
        ("ReturnsComplex", "error", "RuntimeError: the method returned numbers of type complex128"),
        ("ReturnsMasked", "error", "RuntimeError: the method returned a masked array"),
        ("ReturnsText", "error", "RuntimeError: the method returned numbers of type <U32"),
        ("Absent", "error", "ImportError: module 'planted' has no 'Absent'"),
    ],
)
def test_failure_is_a_result(run, name, status, message, capsys):
    arrays, meta = run(name)
    assert arrays == {}
    assert meta["status"] == run.row["status"] == status
    assert meta["message"].startswith(message)
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_failures_of_the_machine_are_no_result(run, tmp_path):
    with pytest.raises(OSError, match="No space left on device"):
        run("FillsTheDisk")
    Path(run.data[0]).unlink()
    with pytest.raises(Damaged, match=r"data\.npz cannot be read: FileNotFoundError"):
        run("Fine")
    assert not (tmp_path / "trial-0.npz").exists()


def test_not_converged_keeps_its_embedding(run):
    arrays, meta = run("GivesUp")
    np.testing.assert_array_equal(arrays["embedding"], X[:, :2])
    assert (meta["status"], meta["message"]) == ("not_converged", "stopped early")


def test_split_data_are_fitted_on_training_points_only(run):
    train = np.arange(10) % 3 > 0
    run.set_data(Dataset(X=X, train=train))
    arrays, meta = run("Centers", split=True)
    np.testing.assert_allclose(arrays["embedding"], (X - X[train].mean(axis=0))[:, :2])
    assert meta["fitted_rows"] == 6
    assert 0 < meta["transform_seconds"] < 1
    arrays, meta = run("Fine", split=True)
    np.testing.assert_array_equal(arrays["embedding"], X[:, :2])
    assert meta["fitted_rows"] == 10
    assert "transform_seconds" not in meta
    assert run("Centers")[1]["fitted_rows"] == 10


def test_attributes_of_the_estimator_are_kept(run):
    _, meta = run("Centers", attributes=["n_rows_"])
    assert meta["fit"] == {"n_rows": 10.0}
    _, meta = run("Centers", attributes=["n_rows_", "note_"])
    assert meta["fit"] == {"n_rows": 10.0}  # None is not a number
    _, meta = run("Centers", attributes=["n_row_"])
    assert meta["status"] == "error"
    assert "Centers has no attribute 'n_row_' after its fit" in meta["message"]


def test_missing_values_are_refused_or_filled_in(run, tmp_path):
    holes = Dataset(X=np.where(X % 3 == 0, np.nan, X), clean=X)
    run.set_data(holes)
    # A method that cannot have missing values says so
    job = replace(EMBED, estimator="sklearn.decomposition.PCA")
    row = embed(job, 0, run.data, str(tmp_path / "pca.npz"), {"key": "k"}, run.begin)
    assert row["status"] == "invalid_input"
    assert "Input X contains NaN" in row["message"]
    # Others are scored by what they fill in: here 2 everywhere
    _, meta = run("Fills")
    lost = X % 3 == 0
    expected = ((X - 2) ** 2)[lost].sum() / ((X - X.mean(axis=0)) ** 2)[lost].sum()
    assert meta["fit"] == {"lost_error": pytest.approx(expected)}
    assert lost_error(object(), holes) == {}


def test_histories_of_the_estimator_are_kept(run):
    arrays, meta = run("Centers", histories=["mean_"])
    assert arrays.keys() == {"embedding", "fit.mean"}
    np.testing.assert_array_equal(arrays["fit.mean"], X[:, :2].mean(axis=0))
    arrays, meta = run("Centers", histories=["means_"])
    assert (arrays, meta["status"]) == ({}, "error")
    assert "correct `histories` in workflow/catalog/methods.yaml" in meta["message"]


def test_failures_and_warnings_of_the_warm_up_are_ignored(run, monkeypatch):
    import planted

    arrays, meta = run("FailsAtFirst", warm_up=[5])
    assert (meta["status"], meta["warnings"]) == ("ok", [])
    np.testing.assert_array_equal(arrays["embedding"], X[:, :2])
    monkeypatch.setattr(planted.FailsAtFirst, "calls", 0)
    assert run("FailsAtFirst")[1]["status"] == "invalid_input"
