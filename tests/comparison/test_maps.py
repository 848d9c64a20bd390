"""Maps: judged, compared, saved and loaded, with new points placed."""

import json
import re
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

import nldr
from nldr.comparison import Map, trust
from nldr.inputs import InputError

X = load_iris().data
SAVED = Path(__file__).parent / "saved"


@pytest.fixture(scope="module")
def fitted():
    gaps = X[:140].copy()
    gaps[3, 1] = np.nan
    return Map("nldr.methods.Isomap", {"n_neighbors": 8}, ("scale", "fill")).fit(gaps)


def test_new_points_lie_among_their_neighbors(fitted):
    placed, outside = fitted.transform(X[140:], return_outside=True)
    everything = np.concatenate([fitted.embedding_, placed])
    score = nldr.evaluate(X, everything, metrics="trustworthiness_k7")
    assert score["trustworthiness_k7"] > 0.9
    assert not outside.all()
    np.testing.assert_allclose(fitted.transform(X[:3]), fitted.embedding_[:3])


def test_points_outside_are_flagged(fitted):
    far = X[140:] + np.array([0, 0, 30, 0])
    assert fitted.transform(far, return_outside=True)[1].all()


def test_saved_map_is_the_same(fitted, tmp_path):
    fitted.save(tmp_path / "map.npz")
    again = nldr.load(tmp_path / "map.npz")
    np.testing.assert_array_equal(again.embedding_, fitted.embedding_)
    np.testing.assert_allclose(again.transform(X[140:]), fitted.transform(X[140:]))
    # An estimator that can be fitted anew
    assert clone(again).fit(X).embedding_.shape == (150, 2)


def test_maps_are_frames_where_scikit_learn_is_asked_for_frames():
    frame = pd.DataFrame(X, columns=list("abcd"), index=range(150, 300))
    pca = Map("sklearn.decomposition.PCA", {"n_components": 2})
    pipeline = make_pipeline(StandardScaler(), pca).set_output(transform="pandas").fit(frame)
    placed = pipeline.transform(frame[:3])
    assert placed.index.tolist() == [150, 151, 152]
    assert placed.columns.tolist() == pipeline.get_feature_names_out().tolist() == ["map0", "map1"]


@pytest.mark.parametrize("file", sorted(SAVED.glob("*.npz")), ids=lambda file: file.stem)
def test_maps_of_earlier_versions_are_read(file):
    expected = json.loads(file.with_suffix(".json").read_text())
    saved = nldr.load(file)
    new = pd.DataFrame(X[::10] + 0.01, columns=list("0123")).assign(kind=["red", "blue", None] * 5)
    placed, outside = saved.transform(new, return_outside=True)
    assert saved.index_ == expected.get("names")
    np.testing.assert_allclose(placed, expected["placed"], atol=1e-6)
    assert outside.tolist() == expected["outside"]


def test_columns_of_new_points_are_found_by_name():
    frame = load_iris(as_frame=True).data
    best = Map("sklearn.decomposition.PCA", {"n_components": 2}).fit(frame[:140])
    new = frame[140:]
    np.testing.assert_array_equal(best.transform(new[new.columns[::-1]]), best.transform(new))
    # Other columns are left out
    np.testing.assert_array_equal(best.transform(new.assign(type="setosa")), best.transform(new))
    with pytest.raises(InputError, match=r"lack columns .* data: petal width \(cm\)"):
        best.transform(new.drop(columns="petal width (cm)"))
    with pytest.raises(InputError, match="have 3 columns, the fitted data 4"):
        best.transform(new.to_numpy()[:, :3])
    gap = new.copy()
    gap.iloc[1, 3] = np.nan
    with pytest.raises(InputError, match=r"no value in row 1, column 'petal width \(cm\)'"):
        best.transform(gap)
    # Names that are numbers
    counted = Map("sklearn.decomposition.PCA", {"n_components": 2}).fit(pd.DataFrame(X))
    placed = counted.transform(pd.DataFrame(X)[[3, 1, 0, 2]])
    np.testing.assert_array_equal(placed, counted.embedding_)


def test_rows_and_columns_of_anndata_are_matched_by_name(tmp_path):
    def annotated(rows, columns):
        names = [f"cell {i}" for i in rows], [f"gene {j}" for j in columns]
        data = SimpleNamespace(X=X[np.ix_(rows, columns)], obsm={}, uns={})
        data.obs_names, data.var_names = names
        return data

    rows = np.arange(100)
    best = Map("sklearn.decomposition.PCA", {"n_components": 2}).fit(annotated(rows, range(4)))
    best.save(tmp_path / "map.npz")
    for map_ in (best, nldr.load(tmp_path / "map.npz")):
        other = annotated(rows[::-1], [3, 2, 1, 0])
        np.testing.assert_allclose(map_.transform(other), best.embedding_[::-1])
        map_.write_to(other)
        np.testing.assert_array_equal(other.obsm["X_nldr"], best.embedding_[::-1])
    with pytest.raises(InputError, match="lack columns of the fitted data: gene 3"):
        best.transform(annotated(rows, range(3)))
    with pytest.raises(InputError, match="adata has 10 rows, the map 100"):
        best.write_to(annotated(rows[:10], range(4)))
    with pytest.raises(InputError, match="adata has rows with other names"):
        best.write_to(annotated(rows + 1, range(4)))
    with pytest.raises(InputError, match="adata is DataFrame: pass an AnnData object"):
        best.write_to(pd.DataFrame(X))
    with pytest.raises(InputError, match=r"save writes \.npz; result\.points\.to_csv writes"):
        best.save(tmp_path / "map.csv")


def test_numbers_as_categories_may_be_missing(rng, tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=rng.choice([1.0, 2, np.nan], 150))
    best = Map("sklearn.decomposition.PCA", {"n_components": 2}, ("fill",), None, ["kind"])
    best.fit(frame).save(tmp_path / "map.npz")
    assert best.categories_ == {"kind": ["1", "2"]}
    whole = frame.dropna().astype({"kind": int})
    placed = nldr.load(tmp_path / "map.npz").transform(whole)
    np.testing.assert_array_equal(placed, best.embedding_[whole.index])
    old = Map("sklearn.decomposition.PCA", {"n_components": 2}, (), None, {"kind": ["1.0", "2.0"]})
    assert old.fit(whole).embedding_.shape == (len(whole), 2)


def test_fitted_rows_of_many_columns_stay_where_they_are(rng, tmp_path):
    wide = np.column_stack([np.ones(100), rng.normal(size=(100, 30))])
    best = nldr.compare(wide, methods=["pca"]).best
    np.testing.assert_array_equal(best.transform(wide[:9]), best.embedding_[:9])
    best.save(tmp_path / "map.npz")
    again = clone(nldr.load(tmp_path / "map.npz")).fit(wide)
    assert again.points_.shape == (100, 30)


def test_nothing_else_is_loaded(tmp_path, fitted):
    np.savez(tmp_path / "other.npz", X=X)
    with pytest.raises(InputError, match="not a saved map, it holds X"):
        nldr.load(tmp_path / "other.npz")
    with pytest.raises(InputError, match="does not exist"):
        nldr.load(tmp_path / "none.npz")
    about = {"format": 1, "nldr": "9", "path": "os.system", "params": {}, "kinds": []}
    for change, message in (
        ({}, "names 'os.system'"),
        ({"format": 99}, "written by nldr 9: update"),
        ({"path": fitted.path, "kinds": ["evil"]}, "names 'evil'"),
    ):
        np.savez(tmp_path / "bad.npz", about=np.array(json.dumps(about | change)))
        with pytest.raises(InputError, match=message):
            nldr.load(tmp_path / "bad.npz")
    np.savez(tmp_path / "pickled.npz", about=np.array([{}], dtype=object))
    with pytest.raises(InputError, match="not a saved map"):
        nldr.load(tmp_path / "pickled.npz")


def test_saved_networks_are_loaded(tmp_path):
    pytest.importorskip("jax")
    from nldr.methods import Autoencoder

    network = Autoencoder(hidden=(4,), n_epochs=1, random_state=0).fit(X)
    network.save(tmp_path / "network.npz")
    assert isinstance(nldr.load(tmp_path / "network.npz"), Autoencoder)


# --- judgment -------------------------------------------------------------------------------------


def test_a_good_map_and_a_bad_one(rng):
    good = nldr.check(X, PCA(2).fit_transform(X), prepare=False)
    assert good.scores.loc["this map", "trustworthiness"] > 0.95
    assert good.trust["trusted"].mean() > 0.8
    # t-SNE and PCA stand beside it, and random coordinates, of which nothing should be trusted
    shares = good.scores["untrusted"]
    assert shares["this map"] == 1 - good.trust["trusted"].mean()
    assert shares["this map"] == pytest.approx(shares["PCA"])
    assert shares["random coordinates"] > 0.95
    assert re.search(
        r"\d+ % of the points should not be trusted \(t-SNE \d+ %, PCA \d+ %, random coordinates",
        " ".join(str(good).split()),
    )
    bad = nldr.check(X, rng.normal(size=(150, 2)))
    assert "hardly resembles the data" in str(bad)
    assert not bad.trust["trusted"].any()


def test_a_map_of_data_as_they_are_is_told_how_to_be_judged():
    wine = load_wine().data
    assert "prepare=False" in str(nldr.check(wine, wine[:, -2:]))
    assert "prepare=False" not in str(nldr.check(wine, wine[:, -2:], prepare=False))
    assert "prepare=False" not in str(nldr.check(wine, PCA(2).fit_transform(scale(wine))))


def test_rows_whose_errors_are_unknown_are_not_doubted(monkeypatch, rng):
    few = partial(trust.pointwise_errors, max_pairs=50 * 100)
    monkeypatch.setattr(trust, "pointwise_errors", few)
    Z = rng.normal(size=(100, 2))
    judgment = nldr.check(Z, Z)
    assert len(judgment.trust) == 50
    assert "0 % of the points should not be trusted" in " ".join(judgment.sentences)


def test_a_map_with_more_dimensions_than_columns_that_differ(rng):
    repeated = X[:, [0, 1, 1]]
    assert "PCA" not in nldr.check(repeated, repeated).scores.index
    assert "Trustworthiness" in str(nldr.check(repeated, repeated))


def test_parts_of_data_and_map(rng):
    disk = rng.normal(size=(100, 3))
    split = disk[:, :2] + 90 * (disk[:, :1] > 0)
    torn, joined = nldr.check(disk, split), nldr.check(split, disk[:, :2])
    assert "falls into 2 parts: the gaps between them are not in the data" in torn.sentences[-1]
    assert "it hides the gaps" in joined.sentences[-1]


@pytest.mark.parametrize("names", ["cell", 0], ids=["text", "numbers"])
def test_a_saved_map_keeps_the_names_of_its_rows(names, rng, tmp_path):
    order = rng.permutation(len(X))
    index = [f"{names}{i}" for i in order] if names else order
    frame = pd.DataFrame(X[order], index=index)
    best = Map("sklearn.decomposition.PCA", {"n_components": 2}).fit(frame)
    best.save(tmp_path / "map.npz")
    other = pd.DataFrame(best.embedding_, index=index).sample(frac=1, random_state=0)
    for map_ in (best, nldr.load(tmp_path / "map.npz"), tmp_path / "map.npz"):
        assert nldr.diff(map_, other).residual < 1e-12


def test_a_map_without_names_goes_by_position():
    """After a frame was shuffled, its index would be taken as positions in such a map."""
    shuffled = pd.DataFrame(X).sample(frac=1, random_state=0)
    best = Map("sklearn.decomposition.PCA", {"n_components": 2}).fit(shuffled.to_numpy())
    frame = pd.DataFrame(best.embedding_, index=shuffled.index)
    assert nldr.diff(frame, best).residual < 1e-12
    # A new frame that holds the map only looks as if it named its rows
    (note,) = nldr.diff(frame, pd.DataFrame(best.embedding_)).notes
    assert "matched by index" in note
    assert (
        note.replace("Z1", "X").replace("Z2", "Z")
        in nldr.check(shuffled, pd.DataFrame(best.embedding_)).notes
    )


def test_columns_are_named_as_for_compare(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd"))
    named = frame.assign(kind=np.repeat(["u", "v", "w"], 50), day="monday")
    named.to_csv(tmp_path / "X.csv", index=False)
    Z = PCA(2).fit_transform(X)
    expected = nldr.check(frame, Z, pd.DataFrame({"kind": named["kind"]}))
    for data in (named, tmp_path / "X.csv"):
        judgment = nldr.check(data, Z, label="kind", drop=["day"])
        assert str(judgment) == str(expected)
    with pytest.raises(InputError, match="did you mean 'kind'"):
        nldr.check(named, Z, label="knid")


def test_difference_of_two_maps(rng):
    Z = rng.normal(size=(80, 2))
    turned = 3 * Z @ [[0, 1], [1, 0]] + 7
    same = nldr.diff(Z, turned)
    np.testing.assert_allclose(same.aligned, Z, atol=1e-9)
    assert not len(same.moved)
    assert same.residual == nldr.diff(Z, Z[:, ::-1] / 3).residual == 0
    assert "0 % of the variance differs" in str(same)
    turned[[3, 9]] *= -4
    assert set(nldr.diff(Z, turned).moved) <= {3, 9}
    names = [f"s{i}" for i in range(80)]
    permuted = pd.DataFrame(turned, index=names).sample(frac=1, random_state=0)
    again = nldr.diff(pd.DataFrame(Z, index=names), permuted)
    assert not again.notes
    assert again.table["name"].tolist() == names
    assert set(again.table["name"].iloc[again.moved]) <= {"s3", "s9"}
    assert "neighbors: s" in " ".join(str(again).split())
    # Numbers of rows are no names, and arrays go by position
    (note,) = nldr.diff(pd.DataFrame(Z), permuted).notes
    assert note in str(nldr.diff(pd.DataFrame(Z), permuted))
    assert not nldr.diff(Z, permuted).notes
    assert again.residual == pytest.approx(nldr.diff(Z, turned).residual)


def test_files_and_commands(tmp_path, capsys):
    from nldr.cli import main

    names = [f"s{i}" for i in range(150)]
    frame = load_iris(as_frame=True).data.set_index(pd.Index(names))
    frame.to_csv(tmp_path / "X.csv")
    pd.DataFrame(PCA(2).fit_transform(X)).to_csv(tmp_path / "Z.csv")
    assert main(["check", str(tmp_path / "X.csv"), str(tmp_path / "Z.csv")]) == 0
    output = capsys.readouterr().out
    assert "Trustworthiness 0." in output
    assert "note: rows were matched by position, since only X.csv names" in output
    check = ["check", str(tmp_path / "X.csv"), str(tmp_path / "Z.csv"), "--out"]
    assert main([*check, str(tmp_path / "points.csv")]) == 0
    points = pd.read_csv(tmp_path / "points.csv", index_col="row")
    trust = nldr.check(X, PCA(2).fit_transform(X)).trust
    assert points.pop("name").tolist() == names
    pd.testing.assert_frame_equal(points, trust)
    assert (points["trusted"] == ~(points["false_neighbors"] | points["torn"])).all()
    assert main([*check, str(tmp_path / "Z.csv")]) == 2
    assert "would replace the data" in capsys.readouterr().err
    assert main(["diff", str(tmp_path / "Z.csv"), str(tmp_path / "Z.csv")]) == 0
    assert "0 of 150 points moved" in capsys.readouterr().out
    # A saved map knows the names of its rows
    nldr.compare(frame, methods=["pca"]).best.save(tmp_path / "saved.npz")
    frame.sample(frac=1, random_state=0).to_csv(tmp_path / "permuted.csv")
    assert main(["check", str(tmp_path / "permuted.csv"), str(tmp_path / "saved.npz")]) == 0
    output = capsys.readouterr().out
    assert "note: rows" not in output
    assert "Trustworthiness 0.9" in output
    assert main(["doctor", str(tmp_path / "X.csv")]) == 0
    assert "intrinsic dimension" in capsys.readouterr().out
    assert main(["doctor", "none.csv"]) == 2
    assert "none.csv does not exist" in capsys.readouterr().err
