"""Arrays of a user are loaded unchanged, or an error names the mismatch."""

import io
import re
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import numpy.lib.format as npy
import pytest
from originals import unreadable_zips

from nldr.datasets.arrays import features

X = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
Y = np.repeat([3, 5], [10, 20]).astype(np.uint8)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Make the temporary folder the start of relative paths."""
    monkeypatch.setenv("NLDR_DATA_DIR", str(tmp_path))
    return tmp_path


def load(path, n_samples=30, n_features=4):
    rng = np.random.default_rng(0)
    return features(path=str(path), n_samples=n_samples, n_features=n_features, rng=rng)


def test_npz(folder):
    np.savez(folder / "a.npz", X=X, y=Y)
    data = load("a.npz")
    np.testing.assert_array_equal(data.X, X)
    assert data.X.dtype == np.float64
    assert data.y.dtype == np.int64
    np.testing.assert_array_equal(data.y, Y)
    part = load("a.npz", n_samples=6)
    rows = [np.flatnonzero((x == X).all(axis=1)).item() for x in part.X]
    assert rows == sorted(rows)
    np.testing.assert_array_equal(part.y, Y[rows])
    assert part.y.tolist() == [3, 3, 5, 5, 5, 5]


def test_without_labels(folder):
    np.save(folder / "a.npy", X)
    np.savez(folder / "a.npz", X=X)
    for name in ("a.npy", "a.npz"):
        data = load(name, n_samples=12)
        assert data.X.shape == (12, 4)
        assert data.y is None


def test_relative_paths(folder, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    np.save(elsewhere / "a.npy", X)
    monkeypatch.chdir(elsewhere)
    assert load(elsewhere / "a.npy").n_samples == 30
    message = f"{folder / 'a.npy'} does not exist: give the path"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        load("a.npy")
    monkeypatch.delenv("NLDR_DATA_DIR")
    assert load("a.npy").n_samples == 30


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": X}, "with an array X: it contains no array X"),
        ({"X": X[:, :3]}, "X must have shape (n, 4), got (30, 3)"),
        ({"X": X[0]}, "X must have shape (n, 4), got (4,)"),
        ({"X": X.astype(complex)}, "X must contain real numbers, got complex128"),
        ({"X": X, "y": Y[1:]}, "y must contain 30 integers, got shape (29,)"),
        ({"X": X, "y": Y / 2}, "y must contain 30 integers, got shape (30,) and type"),
        ({"X": np.array([[None] * 4])}, "is neither a .npy file nor a .npz file"),
        ({"X": X[:29], "y": Y[:29]}, "n_samples must be between 1 and 29 for "),
        ({"X": X * np.nan}, "X contains NaN or infinity"),
    ],
)
def test_mismatched_arrays_raise(folder, arrays, message):
    np.savez(folder / "a.npz", **arrays)
    with pytest.raises(ValueError, match=re.escape(message)):
        load("a.npz")


def test_malformed_file_raises(folder):
    np.savez(folder / "a.npz", X=X)
    whole = (folder / "a.npz").read_bytes()
    for content in (b"", b"no arrays", whole[:-30], *unreadable_zips(folder / "a.npz")):
        (folder / "a.npz").write_bytes(content)
        with pytest.raises(ValueError, match=r"a.npz is neither a .npy file nor a .npz file"):
            load("a.npz")


def lying(shape, dtype="<f8"):
    """Return an array whose header promises more than the 80 bytes that follow it."""
    content = io.BytesIO()
    npy.write_array_header_1_0(content, {"descr": dtype, "fortran_order": False, "shape": shape})
    return content.getvalue() + bytes(80)


@pytest.mark.parametrize("shape", [(10**12, 4), (10**30, 4), (3, 4), (2**62, 2)])
def test_header_that_promises_too_much_raises(folder, shape):
    (folder / "a.npy").write_bytes(lying(shape))
    with ZipFile(folder / "a.npz", "w", ZIP_DEFLATED) as members:
        members.writestr("X.npy", lying(shape))
    for name in ("a.npy", "a.npz"):
        message = rf"{name} is neither a .npy .*: its header promises \d+ bytes, but there are 208$"
        with pytest.raises(ValueError, match=message):
            load(name)


@pytest.mark.parametrize("shape", [(-1, 4), (0, 10**30)])
def test_header_with_an_impossible_shape_raises(folder, shape):
    (folder / "a.npy").write_bytes(lying(shape))
    with pytest.raises(ValueError, match=r"a.npy is neither a .npy|a.npy: X must have shape"):
        load("a.npy")
