"""Cells of .h5ad files are loaded with their classes, or an error names what is wrong."""

import hashlib
import re
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from nldr.datasets.annotated import annotated

COUNTS = np.random.default_rng(0).poisson(3.0, size=(30, 4)) + 1.0
TYPES = np.repeat(["B cell", "A cell"], [10, 20])


def load(n_samples=30, values="counts", label="cell_type", n_features=4, sha256=None):
    return annotated(
        path="cells.h5ad",
        label=label,
        values=values,
        n_samples=n_samples,
        n_features=n_features,
        sha256=sha256,
        rng=np.random.default_rng(0),
    )


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return a function that makes cells the content of the file, with or without anndata."""
    monkeypatch.setenv("NLDR_DATA_DIR", str(tmp_path))
    (tmp_path / "cells.h5ad").touch()

    def place(X=COUNTS, types=TYPES):
        cells = SimpleNamespace(X=X, obs=pd.DataFrame({"cell_type": types}), shape=X.shape)
        package = SimpleNamespace(read_h5ad=lambda path: cells)
        monkeypatch.setitem(sys.modules, "anndata", package)

    return place


@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
def test_counts_of_all_cells_and_of_a_part(place, kind):
    place(kind(COUNTS))
    depth = COUNTS.sum(axis=1, keepdims=True)
    data = load()
    np.testing.assert_allclose(data.X, np.log1p(COUNTS * np.median(depth) / depth), rtol=1e-12)
    assert data.y.tolist() == [1] * 10 + [0] * 20  # in alphabetical order
    np.testing.assert_array_equal(load(values="as_is").X, COUNTS)
    part = load(6, values="as_is")
    assert part.X.shape == (6, 4)
    assert part.y.tolist() == [1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ({}, {"label": "kind"}, "no column 'kind' in obs, which has: cell_type"),
        ({}, {"n_features": 5}, "5 columns are expected, it has 4"),
        ({}, {"values": "log"}, "values must be one of counts, as_is"),
        ({}, {"n_samples": 31}, "31"),
        ({"X": -COUNTS}, {}, "counts are negative: say values: as_is"),
        ({"X": 0 * COUNTS}, {}, "30 cells have no counts: leave them out"),
        ({"types": [None, None, *TYPES[2:]]}, {}, "2 cells have no 'cell_type'"),
    ],
)
def test_errors(place, content, arguments, message):
    place(**content)
    with pytest.raises(ValueError, match=re.escape(message)):
        load(**arguments)


def test_another_file_than_the_expected_one_is_refused(place):
    place()
    empty = hashlib.sha256(b"").hexdigest()
    assert load(sha256=empty.upper()).X.shape == (30, 4)
    with pytest.raises(ValueError, match=f"its sha256 is {empty}, expected is {'0' * 64}: get"):
        load(sha256="0" * 64)


def test_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ValueError, match="install anndata: pip install anndata"):
        load()


def test_a_file(tmp_path, monkeypatch):
    anndata = pytest.importorskip("anndata")
    anndata.settings.allow_write_nullable_strings = True  # the text type of pandas 3
    monkeypatch.setenv("NLDR_DATA_DIR", str(tmp_path))
    obs = pd.DataFrame({"cell_type": TYPES}, index=[f"cell {i}" for i in range(30)])
    anndata.AnnData(X=csr_matrix(COUNTS), obs=obs).write_h5ad(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(load(values="as_is").X, COUNTS)
    (tmp_path / "cells.h5ad").write_bytes(b"damaged")
    with pytest.raises(ValueError, match=r"cells.h5ad cannot be read as an \.h5ad file"):
        load()
    (tmp_path / "cells.h5ad").unlink()
    with pytest.raises(ValueError, match="does not exist: give the path of"):
        load()
