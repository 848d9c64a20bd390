"""Every mistake in data or arguments is answered by what, where, and what to do."""

import re
from datetime import date
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from PIL import Image

import nldr
from nldr import check, compare, diff, doctor, evaluate
from nldr.cli import main
from nldr.cli.data import _with_messages
from nldr.comparison import Map
from nldr.inputs import InputError, as_matrix

X = np.random.default_rng(0).normal(size=(30, 3))
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
MAP = Map("sklearn.decomposition.PCA", {"n_components": 2}).fit(X)
FRAME_60 = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 2)), columns=["a", "b"])
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


# What `doctor` refuses: tables; labels of X; and other calls
DATA = [
    (
        FRAME.assign(q="red", r="old", s=1),
        r"'q' of X contains text: row 0 is 'red'.*=\['q'\]; not numbers either: r\. .*: q,r$",
    ),
    (with_value("?"), r"row 4, column 'b' of X is '\?', not a number .*leave the entry empty"),
    (FRAME.assign(day=pd.Timestamp("2026-01-01")), "column 'day' of X contains dates.*days since"),
    (X * 1j, "complex numbers: .*X.real, X.imag"),
    (np.ma.masked_array(X * 1j, mask=X > 1), "complex numbers: .*X.real, X.imag"),
    (FRAME.assign(z=pd.Series([1j] * 30, dtype=object)), "column 'z' of X contains complex"),
    (sp.coo_array(np.ones(30)), r"X has one dimension \(30 values\)"),
    (SimpleNamespace(X=None, obs_names=[], var_names=[]), "no matrix in memory: pass X.to_memory"),
    (
        FRAME.assign(v=[[1, 2]] * 30, w=[(3,)] * 30),
        "column 'v' of X holds 2 values in row 0: .*column of its own",
    ),
    (FRAME.assign(z=1j), "column 'z' of X contains complex"),
    (with_value(np.inf), "X is infinite in row 4, column 'b'.*make it missing"),
    (nan_row(), "no value at all in row 7.*leave these rows"),
    (pd.DataFrame(X, columns=["a", "a", "b"]), r"several columns of the same name \(a\): rename"),
    (np.zeros((30, 4, 4)), "3 dimensions.*reshape"),
    ([[1, 2], [3]], "rows of X differ in length"),
    ({"a": 1}, "X is dict, not a table: pass an array"),
    (X[:5], "X has 5 row.*: a map needs at least 20"),
    (np.ones((4, 60)), "is the table transposed"),
    (X[:0], "X has no rows"),
    (np.ma.masked_array(X, mask=np.arange(90).reshape(30, 3) < 3), "no value at all in row 0"),
    (1e300 * X, "values up to 2e.300, which distances cannot"),
    (1e-200 * X, "values up to 2e-200, .*in another unit"),
    (np.zeros(30, dtype=[("a", float)]), "array of records: pass pandas.DataFrame"),
    (FRAME.assign(day=date(2026, 1, 1)), "column 'day' of X contains dates"),
    (FRAME.assign(b="0,5"), "row 0, column 'b' of X is '0,5': write numbers with a decimal point"),
    (X[:, :1], "one column.*draw a histogram"),
    (np.ones((30, 3)), "all 30 rows of X are equal"),
    (sp.csr_array((30, 3)), "all 30 rows of X are equal"),
    (pd.DataFrame({"id": range(30), "index": range(30)}), "fewer than two columns of X are left"),
    (Tensor(), "a type that numpy lacks: pass X.float"),
    (sp.csr_array(nan_row()), "NaN or infinity in row 7, column 0: a sparse matrix cannot"),
]
LABELS = [
    (np.array(["2026-01-01"] * 30, "datetime64[ns]"), "y is 2026-01-01 .* in row 0: .*days since"),
    ([None, *CLASSES[1:]], "y has no label in row 0.*such as 'unknown'"),
    (CLASSES[:9], "one label for each of the 30 rows"),
    (["u"] * 30, "y is 'u' in all 30 rows.*leave it out"),
    (np.arange(30), "it counts the rows"),
    ([f"s{i}" for i in range(30)], "30 different values in 30 rows: it names the rows"),
    (np.ma.masked_array(np.arange(30) % 2, mask=np.arange(30) == 3), "y has no label in row 3"),
    ([" ", *CLASSES[1:]], "y has no label in row 0"),
    ([np.inf, *X[1:, 0]], "y is infinite in row 0"),
    (1j * X[:, 0], "y is .*j in row 0: labels are"),
    (pd.date_range("2026-01-01", periods=30), "y is 2026-01-01 .* in row 0: .*days since"),
    ({1, 2}, "y is set, not a list of labels"),
    (X[:, :2], "one label for each of the 30 rows"),
]
CALLS = [
    *((lambda data=data: doctor(data), message) for data, message in DATA),
    *((lambda y=y: doctor(X, y), message) for y, message in LABELS),
    (
        lambda: evaluate(FRAME.assign(q="q"), X),
        r"column 'q' of X .*: pass it as y, or leave it out: X.drop\(columns='q'\)",
    ),
    (
        lambda: diff(FRAME.assign(q="q"), X),
        "column 'q' of Z1 .*: pass it as y, or leave it out: Z1.drop",
    ),
    (
        lambda: compare(SimpleNamespace(collect_schema=1), label="t"),
        "X is a lazy frame: pass X.collect",
    ),
    (lambda: doctor(CLASSES, X), r"one dimension .*were X and y swapped\? For a single"),
    (
        lambda: compare(FRAME, label="a", drop=["a"]),
        "column 'a' is named twice: it can be the label, be left out, or hold categories",
    ),
    (lambda: compare(FRAME, categories=["a"], drop=["a"]), "column 'a' is named twice"),
    (
        lambda: compare(np.column_stack([X[:, 0], np.ones((30, 2))])),
        r"one column that varies \('0'\): draw a histogram",
    ),
    (lambda: compare(FRAME, categories=["d"]), "no column 'd': there are: a, b, c"),
    (
        lambda: doctor(FRAME_60, categories=["a"]),
        "column 'a' of X has 60 different values, more than the 50",
    ),
    (lambda: doctor(X, categories=["a"]), "has none: pass a frame"),
    (lambda: as_matrix("new.csv", categories=["a"]), "X is str.*such as pandas.read_csv returns"),
    (
        lambda: compare(np.arange(30.0)[:, None] ** [2, 2], methods=["pca"]),
        "fewer than two columns of X are left",
    ),
    (
        lambda: compare(X, metric="precomputed"),
        r"distances must be a square array, got shape \(30, 3\)",
    ),
    (
        lambda: compare(np.triu(np.arange(900.0).reshape(30, 30), 1), metric="precomputed"),
        "distance of points 0 and 1 is 1 in one direction and 0 in the other",
    ),
    (
        lambda: doctor(np.tile(X, (3, 1)), [f"s{i}" for i in range(90)]),
        "90 different values in 90 rows: it names the rows",
    ),
    (
        lambda: doctor(FRAME.set_axis(CLASSES), CLASSES),
        "it names the rows and is not a class label",
    ),
    (lambda: doctor(FRAME, "a"), "y is the text 'a'.*pass one for each"),
    (
        lambda: compare(FRAME.assign(q=[f"s{i}" for i in range(30)])),
        r"column 'q' of X contains text: .*names the rows: X.set_index\('q'\)",
    ),
    (lambda: compare(FRAME, CLASSES, label="a"), "given twice, as label and as y"),
    (
        lambda: doctor(FRAME, pd.Series(CLASSES, index=range(5, 35))),
        "X and y have different names .*or none, to match rows by position",
    ),
    (lambda: compare(X, methods=["isomp"]), "did you mean 'isomap'"),
    (lambda: compare(X, methods=["phate"]), "a study can run it, .* entry of workflow/catalog/m"),
    (lambda: compare(X, methods=["plate"]), "there are: pca"),
    (lambda: compare(X, methods=[]), "methods= must list names, .* there are: pca"),
    (lambda: compare(X, methods=[dict]), "must list names, but <class 'dict'> is not one"),
    (lambda: compare(X, minutes="5"), "minutes='5': give a positive"),
    (lambda: MAP.save("no/map.npz"), r"the folder no of map\.npz does not exist: create it"),
    (
        lambda: compare(X, methods=["pca"]).report("no/a.html"),
        r"the folder no of a\.html does not exist: create it",
    ),
    (lambda: compare(X, metric="cosine"), "unknown metric 'cosine': there"),
    (
        lambda: compare(np.corrcoef(X), metric="precomputed"),
        "distance of point 0 from itself is 1, not 0: .*pass 1 - S",
    ),
    (lambda: compare(np.zeros((30, 30)), metric="precomputed"), "distances are 0"),
    (lambda: compare(X, minutes=0), "minutes=0: give a positive number"),
    (lambda: check(X, X[:9]), "Z has 9 rows, X has 30"),
    (lambda: check(X, nan_row()), "Z contains NaN .* first in row 7"),
    (lambda: check(X[:, :2], X), "map Z has 3 columns, the data X only 2"),
    (lambda: check(X, np.ones((30, 2))), "all points of Z are at the same place"),
    (lambda: diff(X[:2], X[:2]), "Z1 has 2 row.*of 5 or more"),
    (lambda: diff(X, X[:, :2]), r"Z1 and Z2 have shapes \(30, 3\) and \(30, 2\)"),
    (lambda: evaluate(sp.csr_array(X), X), "X is a sparse matrix.*TruncatedSVD"),
    (
        lambda: evaluate(FRAME, FRAME.set_axis(range(3, 33))),
        r"X and Z have different names \(0, 1, 2 are not in Z\)",
    ),
    (lambda: evaluate(X, X, metrics="trustworthiness"), "did you mean 'trust"),
]


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_message_names_place_and_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call()


FILES = {
    "missing file": ("typo.csv", None, {}, "does not exist: did you mean 'type.csv'"),
    "suffix": ("a.xlsx", "", {}, "files that can be read end in .csv"),
    "compressed array": ("a.npy.gz", "", {}, "files that can be read end in .csv"),
    "not compressed": ("a.csv.gz", "a,b\n1,2\n", {}, "a.csv.gz is damaged: it cannot be unpacked"),
    "empty": ("a.csv", "", {}, "a.csv is empty"),
    "blank lines": ("a.csv", "\n\n", {}, "a.csv is empty"),
    "header only": ("a.csv", "a,b\n", {}, "a.csv has no rows"),
    "header and label only": ("a.csv", "a,b,t\n", {"label": "t"}, "a.csv has no rows"),
    "no header": ("a.csv", "1,2\n3,4\n", {}, "has no header: .*Add a line"),
    "no header, names": ("a.csv", "u,1,5\nv,3,4\n", {}, "holds the numbers 1, 5"),
    "comment": ("a.csv", "# mine\na,b\n1,2\n", {}, "begins with a comment, '# mine'"),
    "web page": ("a.csv", "<html>\n<p>\n", {}, "is a web page, not a table"),
    "long line": ("a.csv", "a,b\n1,2\n1,2,3\n", {}, "line 3 has 3 values, the header 2"),
    "short line": ("a.csv", "a,b\n1,2\n1\n3,4\n", {}, "line 3 has 1 values, the header 2"),
    "long lines": ("a.csv", "a,b\n1,2,3\n1,2,3\n", {}, "line 2 has 3 values, the header 2"),
    "last comma": ("a.csv", "a,b\n0,2,\n1,2,\n", {}, "does it end in a separator"),
    "repeated name": ("a.csv", "a,a,b\n1,2,3\n", {}, "several columns of the same name \\(a\\)"),
    "units": ("a.csv", "a,b\n1 cm,2\n2 cm,3\n", {}, "line 2, .* is '1 cm': write numbers"),
    "thousands": ("a.csv", 'a,b\n"1,000.5",2\n', {}, "is '1,000.5': .*separators of thousands"),
    "thousands, spaces": ("a.csv", "a,b\n78 608,2\n950,3\n", {}, "is '78 608': write numbers"),
    "thousands, semicolons": ("a.csv", "a;b\n950;2\n8,025;3\n", {}, "line 3, .* is '8,025': write"),
    "thousands, decimal points": ("a.tsv", "a\tb\n8,025\t2.5\n", {}, "is '8,025': write"),
    "thousands, decimal commas": ("a.csv", "a;b\n8.025;2,5\n", {}, "is '8.025' beside decimal com"),
    "dates": ("a.csv", "day,b,c\n2020-01-01,2,3\n2020-01-01,2,4\n", {}, "dates.*--drop day"),
    "latin": ("a.csv", "a,b\n1,2\nß,2\n".encode("latin-1"), {}, "not UTF-8 text, first in line 3"),
    "for Excel": ("a.csv", "sep=;\na;b;c\n1;2;3\n", {}, "begins with 'sep=.*delete this line"),
    "empty line": ("a.csv", "a,b\n1,2\n\n  \n2,inf\n", {}, "infinite in line 5, column 'b'"),
    "spaces": ("a.txt", "a b\n1 2\n  \n 2  inf\n", {}, "infinite in line 4, column 'b'"),
    "quoted line break": (
        "a.csv",
        'a,b,c\n1,2, "x\ny"\n1,inf,z\n',
        {"drop": ["c"]},
        "infinite in line 4, column 'b'",
    ),
    "case": ("a.csv", "Type,b\n1,2\n", {"label": "TYPE"}, "did you mean 'Type'"),
    "label": ("a.csv", "type,b\n1,2\n", {"label": "tpe"}, "no column 'tpe': did you mean 'type'"),
    "drop": ("a.csv", "idx,b\n1,2\n", {"drop": ["id"]}, "no column 'id': did you mean 'idx'"),
    "category": ("a.csv", "kind,b\n1,2\n", {"categories": ["kid"]}, "did you mean 'kind'"),
    "both": ("a.csv", "t,b\n1,2\n", {"label": "t", "drop": ["t"]}, "column 't' is named twice"),
    "text": (
        "a.csv",
        "a,b\n1,x\n2,x\n",
        {},
        "line 2 is 'x': name it as the label .*, as categories .*, or leave it out \\(--drop b\\)",
    ),
    "text in columns whose names have spaces": (
        "a.csv",
        "a,cell type,t\n1,x,u\n2,x,u\n",
        {},
        "--label 'cell type'.* not numbers either: t\\. Perhaps categories, .*: 'cell type,t'$",
    ),
    "infinite": ("a.csv", "a,b\n1,2\n2,inf\n", {}, "infinite in line 3, column 'b'"),
    "label missing": ("a.csv", "a,t\n1,x\n2,\n", {"label": "t"}, "no label in line 3"),
    "damaged": ("a.npy", "text", {}, "cannot be read as an array of numbers, it is damaged"),
    "no columns": ("a.npy", "", {"drop": ["a"]}, "has no names of columns: --drop"),
}


@pytest.mark.parametrize("case", FILES)
def test_message_about_a_file(case, tmp_path):
    name, text, options, message = FILES[case]
    (tmp_path / "type.csv").write_text("a\n1\n")
    if text is not None:
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=message):
        nldr.inputs.read(tmp_path / name, **options)


def test_messages_about_arrays_in_files(tmp_path):
    np.savez(tmp_path / "a.npz", X=X, y=np.array(["u", None] * 15, dtype=object))
    np.savez(tmp_path / "b.npz", data=X)
    np.save(tmp_path / "c.npy", X)
    np.save(tmp_path / "d.npy", X.astype(object), allow_pickle=True)
    np.save(tmp_path / "e.npy", np.full((30, 2), "q"))
    read = nldr.inputs.read
    with pytest.raises(
        InputError, match=r"array y of a.npz contains Python objects.*astype\(str\)"
    ):
        read(tmp_path / "a.npz")
    with pytest.raises(InputError, match=r"b.npz has no array X \(it has data\)"):
        read(tmp_path / "b.npz")
    with pytest.raises(InputError, match="one array without labels"):
        read(tmp_path / "c.npy", label="y")
    with pytest.raises(InputError, match="holds Python objects, which are not read for safety"):
        read(tmp_path / "d.npy")
    with pytest.raises(InputError, match="an array must hold numbers; write text as labels"):
        read(tmp_path / "e.npy")


def saved(file):
    """Save arrays, a sparse matrix, a map or an image in a file, by its name."""
    if file.stem == "sparse":
        sp.save_npz(file, sp.csr_array(X * (X > 0)), compressed=False)
    elif file.stem == "map":
        np.savez(file, embedding=X[:, :2], about="{}", index=np.arange(30))
    elif file.suffix == ".npz":
        np.savez_compressed(file, X=X, y=CLASSES)
    elif file.suffix == ".npy":
        np.save(file, X)
    else:
        Image.fromarray(np.arange(144, dtype=np.uint8).reshape(12, 12)).save(file)
    return file


@pytest.mark.parametrize("name", ["a.npz", "sparse.npz", "map.npz", "a.npy", "a.png"])
def test_damaged_file_is_refused_by_name(name, tmp_path):
    """Whatever byte is changed, and wherever it is cut; what can still be read is read."""
    file = saved(tmp_path / name)
    content = file.read_bytes()
    read = nldr.inputs.read_map if file.stem == "map" else nldr.inputs.read
    source = tmp_path if file.suffix == ".png" else file
    refusals = []
    for place in range(0, len(content), max(1, len(content) // 300)):
        changed = [bytes([content[place] ^ mask]) + content[place + 1 :] for mask in (8, 0xFF)]
        for rest in (b"", *changed):
            file.write_bytes(content[:place] + rest)
            try:
                read(source)
            except InputError as error:
                refusals.append(str(error))
    assert len(refusals) > 100
    assert all(name in text and "\n" not in text for text in refusals)


def test_array_that_is_cut_short_holds_no_python_objects(tmp_path):
    file = saved(tmp_path / "a.npy")
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(InputError, match="it is damaged: write it with"):
        nldr.inputs.read(file)


COMMANDS = {
    "folder of --out": ("compare a.csv --out no/b.html", "folder no of --out does not exist"),
    "--out is a folder": ("compare a.csv --out folder", "folder of --out is a folder"),
    "--out is the data": ("compare a.csv --out a.csv", "does not end in .html: give the name"),
    "--save is the data": ("compare b.npz --save b.npz", "--save would replace the data"),
    "folder of --save": ("compare a.csv --save no/b.npz", "folder no of --save does not exist"),
    "no method": ("compare a.csv --methods ,", "methods= must list names, but it is empty"),
    "few rows": ("doctor few.csv", "few.csv has 1 row.*: a map needs at least 20"),
    "map too short": ("check a.csv few.csv", "few.csv has 1 row.*: give one per point"),
    "other map": ("check a.csv short.csv", "short.csv has 9 rows, a.csv has 30: they must"),
    "other maps": ("diff a.csv short.csv", "a.csv and short.csv have shapes \\(30, 3\\) and"),
    "label in a map": (
        "check a.csv text.csv",
        "column 't' of text.csv .*keep only the coordinates",
    ),
    "folder without images": ("compare folder", "folder without images .*give a table"),
}


@pytest.mark.parametrize("case", COMMANDS)
def test_a_command_fails_before_it_computes(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("a.csv", index=False)
    FRAME[:9].to_csv("short.csv", index=False)
    FRAME[:1].to_csv("few.csv", index=False)
    FRAME.assign(t="u")[["a", "t"]].to_csv("text.csv", index=False)
    np.savez("b.npz", X=X)
    (tmp_path / "folder").mkdir()
    before = (tmp_path / "a.csv").read_bytes()
    command, message = COMMANDS[case]
    assert main(command.split()) == 2
    output = capsys.readouterr()
    assert re.match(f"nldr: .*{message}", output.err)
    assert not output.out
    assert (tmp_path / "a.csv").read_bytes() == before


@pytest.mark.parametrize("mistake", ["broken", "large", "many"])
def test_messages_about_images(mistake, tmp_path, monkeypatch):
    Image.new("L", (3, 3)).save(tmp_path / "a.png")
    if mistake == "broken":
        (tmp_path / "b.png").write_text("no image")
    else:
        name = {"large": "MOST_PIXELS", "many": "MOST_IMAGES"}[mistake]
        monkeypatch.setattr(f"nldr.inputs.images.{name}", 0)
    message = {"broken": "b.png cannot be read", "large": "3 × 3 pixels", "many": "holds 1 images"}
    with pytest.raises(InputError, match=message[mistake]):
        nldr.inputs.read(tmp_path)


def test_an_output_that_is_closed_is_no_mistake_in_the_data():
    """Its reader, such as head, has enough; test_main tests how a command ends then."""

    @_with_messages
    def write(options):
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        write(None)


@pytest.mark.parametrize(("suffix", "package"), [(".parquet", "pyarrow"), (".h5ad", "anndata")])
def test_a_package_that_is_missing_is_named(suffix, package, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, package, None)
    (tmp_path / f"a{suffix}").write_bytes(b"")
    with pytest.raises(InputError, match=f"needs {package}: pip install {package}"):
        nldr.inputs.read(tmp_path / f"a{suffix}")
