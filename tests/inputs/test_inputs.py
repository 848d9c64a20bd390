"""Data as users have them."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from PIL import Image
from sklearn.decomposition import PCA

import nldr
from nldr.comparison import Map
from nldr.comparison.tables import table_of
from nldr.inputs import InputError, as_labels, as_matrix, read, read_map

X = np.random.default_rng(0).normal(size=(40, 3))


class AnnData:
    """What matters of an AnnData object."""

    def __init__(self):
        self.X, self.obs_names, self.var_names = sp.csr_array(X), list("ab" * 20), ["f", "g", "h"]
        self.obs = pd.DataFrame({"type": ["u", "v"] * 20})
        self.obsm, self.uns = {}, {}


@pytest.mark.parametrize(
    "table",
    [X, X.tolist(), np.ma.masked_array(X, mask=False), pd.DataFrame(X), X.astype(object)],
    ids=["array", "list", "masked", "frame", "objects"],
)
def test_tables_of_all_kinds(table):
    np.testing.assert_array_equal(as_matrix(table).values, X)


def test_polars_frame():
    polars = pytest.importorskip("polars")
    matrix = as_matrix(polars.DataFrame({"a": [1, None], "b": [3.0, 4.0]}))
    assert matrix.columns == ["a", "b"]
    assert np.isnan(matrix.values[1, 0])


def test_missing_values_stay_missing():
    masked = as_matrix(np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]))
    frame = as_matrix(pd.DataFrame({"a": pd.array([None], dtype="Int64"), "b": [True]}))
    assert np.isnan(masked.values[0, 0])
    assert np.isnan(frame.values[0, 0])
    assert frame.values[0, 1] == 1


def test_anndata_is_read_and_written():
    data = AnnData()
    assert as_matrix(data).is_sparse
    assert as_matrix(data).columns == ["f", "g", "h"]
    best = nldr.comparison.Map("sklearn.decomposition.PCA", {"n_components": 2}, ("components",))
    best.fit(data).write_to(data, "map")
    assert data.obsm["X_map"].shape == (40, 2)
    assert data.uns["map"]["method"] == "sklearn.decomposition.PCA"


def test_labels_and_genes_of_anndata(tmp_path, monkeypatch):
    cells = AnnData()
    package = SimpleNamespace(read_h5ad=lambda path: cells)
    monkeypatch.setitem(sys.modules, "anndata", package)
    (tmp_path / "cells.h5ad").touch()
    for data in (cells, tmp_path / "cells.h5ad"):
        table = table_of(data, label="type", drop=["g"])
        assert table.matrix.columns == ["f", "h"]
        np.testing.assert_array_equal(table.matrix.values.toarray(), X[:, [0, 2]])
        assert (table.labels.name, *table.labels.values[:2]) == ("type", "u", "v")
        for options, hint in (({"label": "Typ"}, "'type'"), ({"drop": ["G"]}, "'g'")):
            with pytest.raises(InputError, match=f"did you mean {hint}"):
                table_of(data, **options)
    with pytest.raises(InputError, match="no columns of text: --categories"):
        read(tmp_path / "cells.h5ad", categories=["g"])
    cells.obsm = {"X_pca": X, "X_umap": X}
    with pytest.raises(InputError, match=r"several maps \(it has X_pca, X_umap\)"):
        nldr.check(X, cells)


def test_labels_keep_their_kind():
    assert as_labels(["b", "a"], 2).values.tolist() == ["b", "a"]
    assert as_labels(np.array([[2], [10]]), 2).values.tolist() == [2, 10]
    assert as_labels(pd.Categorical(["x", "y"]), 2).codes.tolist() == [0, 1]
    assert as_labels(X[:, 0], 40).is_numeric
    assert as_labels([True, False], 2).values.tolist() == ["True", "False"]
    assert as_labels(np.array([b"a", b"b"]), 2).values.tolist() == ["a", "b"]
    # Floats would make one of these two
    assert as_labels([2**53, 2**53 + 1], 2).values.tolist() == [str(2**53), str(2**53 + 1)]


def test_names_of_rows_in_files(tmp_path, monkeypatch):
    numbers = list(range(140, 100, -1))
    for name in ("patient_id", "cellID", "id"):
        frame = pd.DataFrame({name: numbers, "a": X[:, 0], "b": X[:, 1]})
        frame.to_csv(tmp_path / "a.csv", index=False)
        assert read(tmp_path / "a.csv")[0].index == numbers
    # A feature, and measurements without names of columns
    frame.rename(columns={"id": "grid"}).to_csv(tmp_path / "a.csv", index=False)
    assert read(tmp_path / "a.csv")[0].columns == ["grid", "a", "b"]
    (tmp_path / "a.csv").write_text(",,\n" + "".join(f"{a},{b},{c}\n" for a, b, c in X))
    assert read(tmp_path / "a.csv")[0].values.shape == X.shape
    # Parquet has them beside the columns, whose names may be numbers
    stored = pd.DataFrame(X, index=pd.Index(numbers, name="cell"))
    monkeypatch.setattr(pd, "read_parquet", lambda path: stored)
    (tmp_path / "a.parquet").write_bytes(b"")
    matrix, labels = read(tmp_path / "a.parquet", label="2")
    assert (matrix.index, matrix.index_name, matrix.columns) == (numbers, "cell", ["0", "1"])
    assert labels.is_numeric


def test_columns_named_by_numbers_are_labels():
    frame = pd.DataFrame(np.hstack([X, X[:, :1] ** 2]))
    result = nldr.compare(frame, label="2", drop=0, methods=["isomap"], minutes=np.float32(0.01))
    assert result.best.columns_ == ["1", "3"]


def test_scores_do_not_depend_on_the_order_of_a_frame(rng):
    names = [f"s{i}" for i in range(40)]
    frame, Z = pd.DataFrame(X, index=names), pd.DataFrame(X[:, :2], index=names)
    y = pd.Series(np.arange(40) % 3, index=names)
    order = rng.permutation(40)
    metrics = ["trustworthiness_k5", "neighborhood_hit_k3", "r2_affine"]
    straight = nldr.evaluate(frame, Z, y, latent=Z, metrics=metrics)
    Z = Z.iloc[order]
    assert nldr.evaluate(frame, Z, y.iloc[order[::-1]], latent=Z, metrics=metrics) == straight
    # So does a latent of one dimension
    line = Z[0]
    values = [nldr.evaluate(frame, Z, latent=v, metrics="r2_affine") for v in (line, line[names])]
    assert values == [{"r2_affine": pytest.approx(1.0)}] * 2


def test_files_of_all_kinds_hold_the_same(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.insert(0, "cell", [f"c{i}" for i in range(40)])
    frame["type"] = ["u", "v"] * 20
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_csv(tmp_path / "b.tsv", index=False, sep="\t")
    frame.to_csv(tmp_path / "c.csv", index=False, sep=";")
    np.savez(tmp_path / "d.npz", X=X, type=frame["type"].to_numpy(str))
    frame.to_csv(tmp_path / "e.tsv", index=False)
    frame.to_csv(tmp_path / "f.TXT", index=False, sep=" ")
    frame.to_csv(tmp_path / "g.csv", index=False, sep=";", decimal=",")
    text = frame.set_index("cell").to_csv()
    (tmp_path / "h.csv").write_text(text.removeprefix("cell,"), encoding="utf-8-sig")
    (tmp_path / "i.csv").write_text(frame.to_csv(index=False).replace(",", " , "))
    frame.to_csv(tmp_path / "j.tsv.gz", index=False, sep="\t")
    for path in sorted(tmp_path.iterdir()):
        matrix, labels = read(path, label="type")
        np.testing.assert_allclose(matrix.values, X)
        assert labels.values.tolist() == ["u", "v"] * 20
    assert read(tmp_path / "a.csv", label="type")[0].index[:2] == ["c0", "c1"]


def test_names_of_columns_may_be_long_and_have_line_breaks(tmp_path):
    header = [f'"{name}, size\n\n(cm)"' for name in "abcd"]
    for separator in ",;\t":
        rows = [separator.join(4 * [f"{row}.5"]) for row in range(3)]
        (tmp_path / "a.csv").write_text("\n".join([separator.join(header), *rows]))
        matrix, _ = read(tmp_path / "a.csv")
        assert matrix.columns[0] == "a, size\n\n(cm)"
        assert (matrix.values.shape, matrix.index) == ((3, 4), None)
    # Commas would leave the whole line as one name
    names = [f"transcript {j}" for j in range(10_000)]
    table = pd.DataFrame(np.ones((2, len(names))), columns=names)
    table.to_csv(tmp_path / "b.csv", sep=";", index=False)
    assert read(tmp_path / "b.csv")[0].columns == names


def test_three_decimals_are_no_thousands(tmp_path):
    (tmp_path / "a.csv").write_text("a;b\n1,753;8,025\n12,125;3,500\n")
    expected = [[1.753, 8.025], [12.125, 3.5]]
    np.testing.assert_array_equal(read(tmp_path / "a.csv")[0].values, expected)
    # Nor does it matter how numbers are written in a column that is left out
    (tmp_path / "b.csv").write_text("a;b;c\n1,75;8,02;9.123\n12,12;3,5;8.500\n")
    assert read(tmp_path / "b.csv", drop=["c"])[0].values.shape == (2, 2)


@pytest.mark.parametrize(
    "header",
    [
        "0,1,2,3,4,5,6,7,8",
        ",0,1,2,3,4,5,6,7",
        "country,1990,1991,1992,1993,1994,1995,1996,1997",
        "gene,0,5,10,15,20,25,30,35",
        "401.2,400.1,399.3,398.2,397.1,396.4,395.2,394.1,393",
    ],
)
def test_numbers_can_be_names_of_columns(header, tmp_path):
    rows = "\n".join(",".join(f"{i * j % 7 + i / 9:.3f}" for j in range(9)) for i in range(5))
    (tmp_path / "a.csv").write_text(f"{header}\n{rows}\n")
    matrix, _ = read(tmp_path / "a.csv")
    names = header.split(",")
    assert matrix.columns[-1] == names[-1]
    assert len(matrix) == 5
    # The same without names is refused
    (tmp_path / "b.csv").write_text(f"{rows}\n")
    with pytest.raises(ValueError, match="has no header"):
        read(tmp_path / "b.csv")


def test_sparse_files_and_saved_maps(tmp_path):
    sp.save_npz(tmp_path / "a.npz", sp.csr_array(X))
    assert read(tmp_path / "a.npz")[0].is_sparse
    Map("sklearn.decomposition.PCA", {"n_components": 2}).fit(X).save(tmp_path / "map.npz")
    np.testing.assert_allclose(read_map(tmp_path / "map.npz").values, PCA(2).fit_transform(X))


def test_categories_become_indicators():
    frame = pd.DataFrame({"kind": ["u", None, "v"], "a": [1.0, 2.0, 3.0], "code": [7, 8, 7]})
    matrix = as_matrix(frame, categories=["kind", "code"])
    assert matrix.columns == ["kind=u", "kind=v", "a", "code=7", "code=8"]
    assert matrix.indicators.tolist() == [True, True, False, True, True]
    np.testing.assert_array_equal(matrix.values[2], [0, 1, 3, 1, 0])
    assert np.isnan(matrix.values[1, :2]).all()
    with pytest.raises(ValueError, match="row 2, column 'kind' of X is 'v', a category that"):
        as_matrix(frame, categories={"kind": ["u"], "code": ["7", "8"]})


def test_a_folder_of_images(tmp_path):
    rng = np.random.default_rng(0)
    for kind in ("cat", "dog"):
        (tmp_path / kind).mkdir()
        for i in range(2):
            image = rng.integers(0, 256, (4, 6), dtype=np.uint8)
            Image.fromarray(image).save(tmp_path / kind / f"{i}.png")
    (tmp_path / "notes.txt").write_text("no image")
    # Copies that notebooks keep, and what macOS adds to archives
    (tmp_path / ".ipynb_checkpoints").mkdir()
    Image.fromarray(image).save(tmp_path / ".ipynb_checkpoints" / "1-checkpoint.png")
    (tmp_path / "cat" / "._0.png").write_text("no image")
    matrix, labels = read(tmp_path)
    assert matrix.values.shape == (4, 24)
    np.testing.assert_array_equal(matrix.values[3], image.ravel())
    assert matrix.columns[:2] == ["gray 0,0", "gray 0,1"]
    assert matrix.index == ["cat/0.png", "cat/1.png", "dog/0.png", "dog/1.png"]
    assert (labels.name, labels.values.tolist()) == ("folder", ["cat", "cat", "dog", "dog"])
    # One image of another size, with colors
    Image.new("RGB", (300, 200), (255, 0, 9)).save(tmp_path / "dog" / "red.jpg", quality=100)
    matrix, _ = read(tmp_path, label="animal")
    assert matrix.values.shape == (5, 32 * 32 * 3)
    np.testing.assert_allclose(matrix.values[4, :3], [255, 0, 9], atol=3)
    np.testing.assert_allclose(matrix.values[3, ::3].mean(), image.mean(), rtol=0.05)


def test_images_of_16_bits_keep_their_brightness_and_transparent_ones_their_shape(tmp_path):
    for kind in ("deep", "icon"):
        (tmp_path / kind).mkdir()
    for i in range(2):
        deep = np.full((3, 3), 500 * i, dtype=np.uint16)
        Image.fromarray(deep).save(tmp_path / "deep" / f"{i}.png")
        icon = Image.new("RGBA", (3, 3), (0, 0, 0, 0))
        icon.putpixel((i, 0), (0, 0, 0, 255))
        icon.save(tmp_path / "icon" / f"{i}.png")
    assert read(tmp_path / "deep")[0].values.mean(axis=1).tolist() == [0, 500]
    icons = read(tmp_path / "icon")[0].values
    assert np.flatnonzero(icons[1] == 0).tolist() == [3, 4, 5]
    assert np.count_nonzero(icons[1] == 255) == 24


def test_zeros_of_codes_are_kept(tmp_path):
    codes = np.array(["007", "07", "7"])[np.arange(30) % 3]
    frame = pd.DataFrame({"a": range(30), "site": codes, "b": X[:30, 0], "kind": codes})
    frame.to_csv(tmp_path / "a.csv", index=False)
    matrix, labels = read(tmp_path / "a.csv", label="kind", categories=["site"])
    assert labels.values.tolist() == codes.tolist()
    assert matrix.categories == {"site": ["007", "07", "7"]}
    # Numbers without zeros before them, and features, stay numbers
    frame.assign(kind=np.arange(30) % 3).to_csv(tmp_path / "b.csv", index=False)
    matrix, labels = read(tmp_path / "b.csv", label="kind", drop=["b"])
    assert labels.values.dtype.kind == "i"
    assert set(matrix.values[:, matrix.columns.index("site")]) == {7.0}


def test_spaces_around_words_are_left_out(tmp_path):
    rows = [
        f'{x},{kind},"{kind} "' for x, kind in zip(X[:4, 0], ["u", "v ", "u ", "v"], strict=True)
    ]
    (tmp_path / "a.csv").write_text("\n".join(["x,type,color", *rows]))
    matrix, labels = read(tmp_path / "a.csv", label="type", categories=["color"])
    assert labels.values.tolist() == ["u", "v", "u", "v"]
    assert matrix.categories == {"color": ["u", "v"]}


def test_unknown_separator_is_named(tmp_path):
    (tmp_path / "a.csv").write_text("id~x~y\np~1~2\nq~3~4\n")
    with pytest.raises(InputError, match="separate its columns by '~': separate"):
        read(tmp_path / "a.csv")
    # One column with a sign in its name
    (tmp_path / "b.csv").write_text("km/h\n1\n2\n")
    assert read(tmp_path / "b.csv")[0].columns == ["km/h"]


def test_columns_for_categories_can_be_pasted(tmp_path):
    texts = {f"t{j}": ["u", "v"] * 40 for j in range(10)}
    frame = pd.DataFrame(
        {"x": range(80), **texts, "note": [f"note {i} of a row" for i in range(80)]}
    )
    frame.to_csv(tmp_path / "a.csv", index=False)
    names = ",".join(texts)
    # Of few rows, names are no categories
    frame[:40].to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(InputError, match=f"since they have few values: {names}$"):
        read(tmp_path / "b.csv")
    with pytest.raises(InputError, match=f"since they have few values: {names}$"):
        read(tmp_path / "a.csv")
    matrix, _ = read(tmp_path / "a.csv", drop=["note"], categories=names.split(","))
    assert len(matrix.columns) == 21
