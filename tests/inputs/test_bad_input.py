"""Every mistake in data or arguments is answered by what, where, and what to do."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import nldr
from nldr.inputs import InputError

X = np.random.default_rng(0).normal(size=(30, 3))
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
CLASSES = np.repeat(["u", "v", "w"], 10)


def with_value(value, row=4, column="b"):
    frame = FRAME.astype(object)
    frame.loc[row, column] = value
    return frame


def nan_row():
    array = X.copy()
    array[7] = np.nan
    return array


class Tensor:
    """A tensor of a type that numpy lacks."""

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        raise TypeError("Got unsupported ScalarType BFloat16")


CALLS = {
    # tables
    "text column": (
        lambda: nldr.doctor(FRAME.assign(q="red")),
        "column 'q' of X contains text: row 0 is 'red'.*X.drop\\(columns='q'\\)",
    ),
    "one value of text": (
        lambda: nldr.doctor(with_value("?")),
        "row 4, column 'b' of X is '\\?', not a number .*leave the entry empty",
    ),
    "dates": (
        lambda: nldr.doctor(FRAME.assign(day=pd.Timestamp("2026-01-01"))),
        "column 'day' of X contains dates.*days since",
    ),
    "complex": (lambda: nldr.doctor(X * 1j), "complex numbers: .*X.real, X.imag"),
    "complex column": (
        lambda: nldr.doctor(FRAME.assign(z=1j)),
        "column 'z' of X contains complex",
    ),
    "infinity": (
        lambda: nldr.doctor(with_value(np.inf)),
        "X is infinite in row 4, column 'b'.*make it missing",
    ),
    "empty row": (lambda: nldr.doctor(nan_row()), "no value at all in row 7.*leave these rows"),
    "repeated names": (
        lambda: nldr.doctor(pd.DataFrame(X, columns=["a", "a", "b"])),
        "several columns of the same name \\(a\\): rename",
    ),
    "X and y swapped": (lambda: nldr.doctor(CLASSES, X), "one dimension .*were X and y swapped"),
    "images": (lambda: nldr.doctor(np.zeros((30, 4, 4))), "3 dimensions.*reshape"),
    "ragged": (lambda: nldr.doctor([[1, 2], [3]]), "rows of X differ in length"),
    "no table": (lambda: nldr.doctor({"a": 1}), "X is dict, not a table: pass an array"),
    "few rows": (lambda: nldr.doctor(X[:5]), "X has 5 rows: a map needs at least 20"),
    "transposed": (lambda: nldr.doctor(np.ones((4, 60))), "is the table transposed"),
    "no rows": (lambda: nldr.doctor(X[:0]), "X has no rows"),
    "one column": (lambda: nldr.doctor(X[:, :1]), "one column.*draw a histogram"),
    "equal rows": (lambda: nldr.doctor(np.ones((30, 3))), "all 30 rows of X are equal"),
    "bfloat16": (lambda: nldr.doctor(Tensor()), "a type that numpy lacks: pass X.float"),
    "sparse with NaN": (
        lambda: nldr.doctor(sp.csr_array(nan_row())),
        "NaN or infinity in row 7, column 0: a sparse matrix cannot",
    ),
    "distances": (
        lambda: nldr.compare(X, metric="precomputed"),
        "distances must be a square array, got shape \\(30, 3\\)",
    ),
    "asymmetric": (
        lambda: nldr.compare(np.arange(900.0).reshape(30, 30), metric="precomputed"),
        "distance of points 0 and 1 is 1 in one direction and 30",
    ),
    # labels
    "label None": (
        lambda: nldr.doctor(X, [None, *CLASSES[1:]]),
        "y has no label in row 0.*such as 'unknown'",
    ),
    "too few labels": (lambda: nldr.doctor(X, CLASSES[:9]), "one label for each of the 30 rows"),
    "one class": (lambda: nldr.doctor(X, ["u"] * 30), "y is 'u' in all 30 rows.*leave it out"),
    "id as label": (
        lambda: nldr.doctor(np.tile(X, (3, 1)), [f"s{i}" for i in range(90)]),
        "90 different values in 90 rows: it names the rows",
    ),
    "other rows": (
        lambda: nldr.doctor(FRAME, pd.Series(CLASSES, index=range(5, 35))),
        "X and y have different names .*pass y.to_numpy",
    ),
    # arguments
    "unknown method": (lambda: nldr.compare(X, methods=["isomp"]), "did you mean 'isomap'"),
    "minutes": (lambda: nldr.compare(X, minutes=0), "minutes=0: give a positive number"),
    # maps
    "map of other rows": (lambda: nldr.check(X, X[:9]), "Z has 9 rows, X has 30"),
    "map with NaN": (lambda: nldr.check(X, nan_row()), "Z contains NaN .* first in row 7"),
    "two sizes": (lambda: nldr.diff(X, X[:, :2]), "shapes \\(30, 3\\) and \\(30, 2\\)"),
    # evaluate
    "sparse": (lambda: nldr.evaluate(sp.csr_array(X), X), "X is a sparse matrix.*TruncatedSVD"),
    "text": (lambda: nldr.evaluate(FRAME.assign(q="a"), X), "column 'q' of X contains text"),
    "permuted names": (
        lambda: nldr.evaluate(FRAME, FRAME.set_axis(range(3, 33))),
        "X and Z have different names \\(0, 1, 2 are not in Z\\)",
    ),
    "metric": (lambda: nldr.evaluate(X, X, metrics="trustworthiness"), "did you mean 'trust"),
}


@pytest.mark.parametrize("case", CALLS)
def test_message_names_place_and_remedy(case):
    call, message = CALLS[case]
    with pytest.raises(ValueError, match=message):
        call()


FILES = {
    "missing file": ("typo.csv", None, {}, "does not exist: did you mean 'type.csv'"),
    "suffix": ("a.xlsx", "", {}, "files that can be read end in .csv"),
    "empty": ("a.csv", "", {}, "a.csv is empty"),
    "header only": ("a.csv", "a,b\n", {}, "a.csv has no rows"),
    "no header": ("a.csv", "1,2\n3,4\n", {}, "has no header: .*Add a line"),
    "ragged": ("a.csv", "a,b\n1,2\n1,2,3\n", {}, "not a table: .*line 3.*as many values"),
    "label": ("a.csv", "type,b\n1,2\n", {"label": "tpe"}, "no column 'tpe': did you mean 'type'"),
    "drop": ("a.csv", "idx,b\n1,2\n", {"drop": ["id"]}, "no column 'id': did you mean 'idx'"),
    "text": ("a.csv", "a,b\n1,x\n2,x\n", {}, "line 2 is 'x': name it as the label \\(--label b\\)"),
    "label missing": ("a.csv", "a,t\n1,x\n2,\n", {"label": "t"}, "no label in line 3"),
    "damaged": ("a.npy", "text", {}, "cannot be read as an array"),
}


@pytest.mark.parametrize("case", FILES)
def test_message_about_a_file(case, tmp_path):
    name, text, options, message = FILES[case]
    (tmp_path / "type.csv").write_text("a\n1\n")
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        nldr.inputs.read(tmp_path / name, **options)


def test_messages_about_arrays_in_files(tmp_path):
    np.savez(tmp_path / "a.npz", X=X, y=np.array(["u", None] * 15, dtype=object))
    np.savez(tmp_path / "b.npz", data=X)
    np.save(tmp_path / "c.npy", X)
    read = nldr.inputs.read
    with pytest.raises(
        InputError, match=r"array y of a.npz contains Python objects.*astype\(str\)"
    ):
        read(tmp_path / "a.npz")
    with pytest.raises(InputError, match=r"b.npz has no array X \(it has data\)"):
        read(tmp_path / "b.npz")
    with pytest.raises(InputError, match="one array without labels"):
        read(tmp_path / "c.npy", label="y")


@pytest.mark.parametrize(("suffix", "package"), [(".parquet", "pyarrow"), (".h5ad", "anndata")])
def test_a_package_that_is_missing_is_named(suffix, package, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, package, None)
    (tmp_path / f"a{suffix}").write_bytes(b"")
    with pytest.raises(InputError, match=f"needs {package}: pip install {package}"):
        nldr.inputs.read(tmp_path / f"a{suffix}")


def test_a_metric_that_is_not_defined_warns():
    with pytest.warns(UserWarning, match="trustworthiness_k20: not defined for these 30 points"):
        nldr.evaluate(X, X, metrics="trustworthiness_k20")
