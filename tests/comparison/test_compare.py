"""A comparison on small data: what it recommends, and what it does with trouble."""

import json
import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from reports import Page, unpack
from scipy.sparse import csr_array, save_npz
from sklearn.datasets import load_iris, load_wine
from sklearn.neighbors import kneighbors_graph

import nldr
from nldr.cli import main
from nldr.comparison import draws as drawing
from nldr.comparison import methods as offered
from nldr.comparison.distances import points_of_graph
from nldr.comparison.page import render
from nldr.comparison.ranking import RANDOM
from nldr.comparison.tables import table_of
from nldr.comparison.trust import errors_of_points

WINE = load_wine(as_frame=True)
NAMES = np.array(["barolo", "grignolino", "barbera"])
METHODS = ["mds", "isomap", "le", "tsne"]


@pytest.fixture(scope="module")
def wine():
    """Return a comparison of a few methods."""
    return nldr.compare(WINE.data, NAMES[WINE.target], methods=METHODS, minutes=60)


def test_every_number_has_references(wine):
    table = wine.table
    assert table.index[0] == "t-SNE"
    assert table.index[-1] == "random coordinates"
    expected = {"PCA", "MDS", "Isomap", "Laplacian eigenmaps", "t-SNE", "random coordinates"}
    assert set(table.index) == expected
    assert table.loc["random coordinates", "neighborhoods"] == pytest.approx(0.5, abs=0.05)
    assert table.loc["random coordinates", "new_points"] < 0.2
    assert table["neighborhoods"].iloc[:-1].is_monotonic_decreasing


def test_outcomes_follow_from_paired_intervals(wine):
    table = wine.table
    assert table["outcome"].iloc[0] == "best"
    assert table.loc["Isomap", "outcome"] == "worse"
    assert table.loc["Isomap", "behind_low"] > 0
    inside = table["behind"].between(table["behind_low"], table["behind_high"])
    assert inside.all()


def test_recommendation_names_aim_references_rival_and_doubt(wine):
    text = wine.recommendation
    assert re.match(r"For local neighborhoods take t-SNE \(perplexity \d+\): trustworthiness", text)
    assert "(PCA 0." in text
    assert "MDS is 0.0" in text
    doubt = (
        r"\d+ % of the points of the t-SNE map should not be trusted \(PCA (\d+) %, random .* (\d+)"
    )
    pca, random = map(int, re.search(doubt, text).groups())
    assert pca < 90 < random
    assert random == round(100 * wine.table.loc[RANDOM, "untrusted"])
    expected = ["neighborhoods", "distances", "labels", "new_points", "speed"]
    assert list(wine.recommendations) == expected
    most_continuous = wine.table.drop(index=RANDOM)["continuity"].idxmax()
    assert f"take {most_continuous}" in wine.recommendations["distances"]


def test_trust_of_points(wine):
    trust = wine.trust
    assert len(trust) == 178
    worst = trust[["intruders", "missing_neighbors"]].max(axis=1)
    bound = min(2 * worst.mean(), 0.1)
    assert (trust["trusted"] == (worst <= bound)).all()
    assert 1 - trust["trusted"].mean() == pytest.approx(wine.table.loc["t-SNE", "untrusted"])
    assert wine.stability["PCA"] > wine.stability["t-SNE"]


def test_shares_of_points_not_to_trust_have_one_bound(rng):
    points = rng.normal(size=(200, 2))
    maps = [points + noise * rng.normal(size=(200, 2)) for noise in (0.1, 0.2)]
    good, worse = (errors["doubt"].mean() for errors in errors_of_points(points, maps))
    (alone,) = errors_of_points(points, maps[1:])
    # Judged by its own mean error, the worse map would have about as few
    assert alone["doubt"].mean() < 1.5 * good < 2 * good < worse


def test_what_the_user_should_look_at_is_told(rng):
    X = np.concatenate([rng.normal(size=(60, 3)), [[900, 900, 900]]])
    result = nldr.compare(np.concatenate([X, X[:1]]), methods=["pca"])
    assert "check: outliers: rows 60: the farthest" in str(result)
    assert "check: repeated rows: 1 row(s) are equal to an earlier one: rows 61" in str(result)


def test_trust_does_not_depend_on_the_number_of_points(rng):
    # A plane folded onto a line is torn wherever it is dense
    shares = []
    for n in (300, 1200):
        X = rng.uniform(size=(n, 3)) * [1, 1, 0.1]
        folded = np.column_stack([np.abs(X[:, 0] - 0.3), X[:, 1]])
        (errors,) = errors_of_points(X, [folded])
        shares.append(errors["doubt"].mean())
        # Nothing lies on top of these
        assert errors["doubt"][X[:, 0] > 0.8].mean() < 0.02
        assert errors["doubt"][X[:, 0] < 0.1].mean() > 0.5
    assert shares[0] == pytest.approx(shares[1], abs=0.1)


def test_doctor_comes_first(wine):
    assert wine.best.preparation_.kinds == ("scale",)
    assert "one column dominates" in str(wine.doctor)
    assert "prepared: each column was scaled to mean 0 and standard deviation 1" in str(wine)


def test_code_makes_the_same_map(wine):
    names = {"X": WINE.data}
    exec(wine.code(), names)
    np.testing.assert_allclose(names["Z"], wine.best.embedding_)


def test_code_repeats_maps_that_depend_on_the_last_digits(rng):
    X = WINE.data.mask(rng.random(WINE.data.shape) < 0.03).assign(constant=1.0)
    result = nldr.compare(X, methods=["tsne"])
    assert result.best.path == "nldr.methods.TSNE"
    names = {"X": X}
    exec(result.code(), names)
    np.testing.assert_array_equal(names["Z"], result.best.embedding_)


def test_code_prepares_data_in_the_same_way(rng):
    counts = rng.poisson(np.exp(1.5 * rng.normal(size=(60, 40)) + rng.normal(size=(60, 1))))
    counts[7] = 0
    lacking = counts.astype(float)
    lacking[3, 1] = np.nan
    gaps = WINE.data.to_numpy().copy()
    gaps[3, 1] = np.nan
    gaps = np.column_stack([np.ones(178), gaps])
    for X in (gaps, counts, lacking, csr_array(counts)):
        result = nldr.compare(X, methods=["isomap"])
        names = {"X": X}
        exec(result.code(), names)
        np.testing.assert_allclose(names["Z"], result.best.embedding_, atol=1e-6)


def test_categories_count_as_much_as_columns_of_numbers(rng, tmp_path):
    kind = rng.choice(["red", "green", "blue"], 120)
    frame = pd.DataFrame({"a": 90 * rng.normal(size=120), "kind": kind, "b": rng.normal(size=120)})
    frame.to_csv(tmp_path / "mixed.csv", index=False)
    result = nldr.compare(tmp_path / "mixed.csv", categories=["kind"], methods=["isomap"])
    points = result.best.points_
    differ = np.flatnonzero(kind != kind[0])[0]
    apart = (points[differ] - points[0])[1:4]
    assert apart @ apart == 2
    assert 2 * points[:, 0].var() == pytest.approx(2)
    names = {}
    exec(result.code(), names)
    np.testing.assert_allclose(names["Z"], result.best.embedding_, atol=1e-6)
    result.best.save(tmp_path / "map.npz")
    again = nldr.load(tmp_path / "map.npz")
    np.testing.assert_array_equal(again.transform(frame[:5]), result.best.embedding_[:5])
    with pytest.raises(ValueError, match="is 'pink', a category that the map was not fitted to"):
        again.transform(frame.assign(kind="pink"))


def test_numbers_of_type_category_are_told(rng):
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    frame["site"] = pd.Categorical(rng.choice([10, 20], 40))
    (note,) = table_of(frame).notes
    assert note.startswith("columns of type category are used as numbers: site; if the numbers")
    assert not table_of(frame, categories=["site"]).notes
    assert not table_of(frame, label="site").notes


def test_labels_of_a_file_are_aligned_by_names(tmp_path, rng):
    frame = pd.DataFrame(rng.normal(size=(30, 3)), index=[f"s{i}" for i in range(30)])
    frame.to_csv(tmp_path / "X.csv")
    y = pd.Series(["a", "b", "b"] * 10, index=frame.index)
    for labels in (y.sample(frac=1, random_state=0), y.reset_index(drop=True)):
        assert table_of(tmp_path / "X.csv", labels).labels.values.tolist() == y.tolist()


def test_labels_that_are_put_into_another_order_are_told():
    """If only one of frame and Series was reset after shuffling, the index misleads."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 3)))
    y = pd.Series(["a", "b", "b"] * 10)
    assert not table_of(X, y).notes
    (note,) = table_of(X, y.set_axis(range(100, 130))).notes
    assert "matched by position, since only y names them" in note
    shuffled = X.sample(frac=1, random_state=0)
    table = table_of(shuffled, y)
    assert table.labels.values.tolist() == y[shuffled.index].tolist()
    (note,) = table.notes
    assert "matched by index" in note
    assert "frame.to_numpy()" in note


def test_it_is_the_same_twice(wine):
    again = nldr.compare(WINE.data, NAMES[WINE.target], methods=METHODS, minutes=60)
    pd.testing.assert_frame_equal(
        again.table.drop(columns="seconds"), wine.table.drop(columns="seconds")
    )


def test_page_holds_everything(wine, tmp_path):
    file = wine.report(tmp_path / "mine.html")
    html = file.read_text(encoding="utf-8")
    assert file.stat().st_size < 300_000
    assert wine.recommendation in html
    index = json.loads(unpack(html, "block")["explorer"])
    assert "grignolino" in json.dumps(index)
    (cloud,) = index["clouds"]
    assert len(cloud["embeddings"]) == 5
    kinds = {"trustworthiness", "continuity", "distortion", "doubt", "instability"}
    assert cloud["embeddings"][0]["errors"].keys() == kinds
    assert "proline" in [column["name"] for column in cloud["columns"]]
    page = Page(html)
    assert not [v for v in page.values("src") + page.values("srcset") if v]


def test_names_cannot_break_the_page():
    X = load_iris().data
    frame = pd.DataFrame(X, columns=["<b>a", "b", "c", "</script>"])
    result = nldr.compare(frame, np.where(X[:, 0] > 6, "<i>", "&"), methods=["pca"])
    html = render(result)
    assert "<b>a" not in html
    assert html.count("</script>") == html.count("<script")


def test_a_method_that_fails_is_reported(monkeypatch):
    build = offered.Method.build

    def broken(self, setting, seed):
        if self.key == "isomap":
            raise RuntimeError("no path")
        return build(self, setting, seed)

    monkeypatch.setattr(offered.Method, "build", broken)
    result = nldr.compare(WINE.data, methods=["Isomap", "Laplacian eigenmaps"])
    assert result.failures == [("Isomap", "RuntimeError: no path")]
    assert "failed: Isomap: RuntimeError: no path" in str(result)
    assert "Isomap" not in result.table.index
    assert "no path" in render(result)


def test_what_takes_too_long_is_left_out(monkeypatch):
    fit = drawing.fit

    def slow(method, *arguments):
        result = fit(method, *arguments)
        result.waited = 1000.0 if method.key == "tsne" else 0.01
        return result

    monkeypatch.setattr(drawing, "fit", slow)
    result = nldr.compare(WINE.data, methods=["le", "tsne"], minutes=1)
    assert "t-SNE" not in result.table.index
    assert "t-SNE is left out for lack of time" in result.notes[0]
    assert re.search(r"all methods together have \d+ of 60 s left;", result.notes[0])
    assert "--minutes" in result.notes[0]


def test_many_rows_are_sampled_and_the_others_placed(monkeypatch, rng):
    monkeypatch.setattr("nldr.comparison.draws.MOST_ROWS", 60)
    monkeypatch.setattr("nldr.comparison.draws.MOST_SHOWN", 70)
    monkeypatch.setattr("nldr.comparison.draws.MOST_FITTED", 100)
    monkeypatch.setattr("nldr.comparison.draws.PILOT_ROWS", 20)
    angle = rng.uniform(0, 3, 200)
    X = np.column_stack([np.cos(angle), np.sin(angle), 0.1 * rng.normal(size=200)])
    result = nldr.compare(X, methods=["isomap"])
    assert len(result.trust) == 100
    assert result.best.embedding_.shape == (200, 2)
    assert len(result.maps["PCA"]) == 70
    assert "have about 30 % of their rows in common" in " ".join(render(result).split())
    score = nldr.evaluate(X, result.best.embedding_, metrics="trustworthiness_k12")
    assert score["trustworthiness_k12"] > 0.9


def test_distances_that_points_cannot_have(rng):
    D = np.triu(rng.uniform(size=(60, 60)), 1)
    (note,) = table_of(D + D.T, metric="precomputed").notes
    assert int(re.search(r"closest, (\d+) % of the 12", note).group(1)) < 95
    D[3, 5] = np.nan
    with pytest.raises(ValueError, match="points 3 and 5 is missing"):
        table_of(D + D.T, metric="precomputed")


def test_equal_points_are_neighbors_in_a_graph(rng):
    copies = np.repeat(rng.normal(size=(40, 3)), 4, axis=0)
    X = np.concatenate([copies, rng.normal(size=(40, 3))])
    for k in (3, 8):
        points = points_of_graph(csr_array(kneighbors_graph(X, k, mode="distance")))[:160]
        assert np.linalg.norm(points[::4] - points[1::4], axis=1).max() < 1e-4
    with pytest.raises(ValueError, match="holds nothing but zeros, not distances"):
        points_of_graph(csr_array(kneighbors_graph(copies, 3, mode="distance")))


def test_distances_to_neighbors_take_the_place_of_points(tmp_path):
    graph = kneighbors_graph(WINE.data / WINE.data.std(), 12, mode="distance")
    save_npz(tmp_path / "graph.npz", graph)
    result = nldr.compare(tmp_path / "graph.npz", methods=["isomap"], metric="precomputed")
    share = re.search(r"(\d+) % of the neighbors in the graph are neighbors", result.notes[0])
    assert int(share.group(1)) > 60
    names = {}
    exec(result.code(), names)
    np.testing.assert_allclose(names["Z"], result.best.embedding_, atol=1e-6)
    # The map was made without the points, but is about them
    k12 = "trustworthiness_k12"
    assert nldr.evaluate(WINE.data / WINE.data.std(), names["Z"], metrics=k12)[k12] > 0.85
    with pytest.raises(ValueError, match="nothing but ones, not distances: make it with"):
        nldr.compare(kneighbors_graph(WINE.data, 12), metric="precomputed")
    with pytest.raises(ValueError, match="point 0 has no neighbor in the graph"):
        nldr.compare(csr_array((30, 30)), metric="precomputed")


def test_numbers_as_labels_color_points_and_are_no_classes(rng):
    X = load_iris().data
    result = nldr.compare(X, X[:, 0] + rng.normal(size=150), methods=["pca"])
    assert "labels" not in result.table
    assert "y, numbers" in render(result)
    # Dots and crosses of one scale of colors
    figure = result.plot()
    dots, crosses, _ = figure.axes[0].collections
    assert dots.get_clim() == crosses.get_clim()
    assert figure.axes[-1].get_ylabel() == "y"


def test_a_page_on_empty_columns_warns_of_nothing(rng):
    X = np.column_stack([rng.normal(size=(40, 3)), np.full(40, np.nan)])
    result = nldr.compare(X, methods=["pca"])
    with warnings.catch_warnings(action="error"):
        render(result)


def test_drawing_of_all_maps(wine):
    figure = wine.plot(columns=3)
    assert len(figure.axes) == 5
    (key,) = figure.legends
    assert [text.get_text() for text in key.texts] == [*sorted(NAMES), "not to trust"]
    # No title is cut off
    figure.draw_without_rendering()
    tops = [axes.title.get_window_extent().y1 for axes in figure.axes]
    assert max(tops) <= figure.bbox.y1


def test_command_needs_no_project(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame = load_iris(as_frame=True).frame
    frame["target"] = np.array(["setosa", "versicolor", "virginica"])[frame["target"]]
    frame.to_csv("iris.csv")
    command = ["compare", "iris.csv", "--label", "target"]
    assert main([*command, "--methods", "isomap,le", "--save", "map.npz"]) == 0
    output = capsys.readouterr().out
    assert "For local neighborhoods take" in output
    assert "map.npz: the recommended map, for nldr.load" in output
    assert (tmp_path / "iris.html").is_file()
    assert nldr.load("map.npz").embedding_.shape == (150, 2)
    assert main([*command, "--drop", "x"]) == 2
    assert capsys.readouterr().err.startswith("nldr: iris.csv has no column 'x'")


def test_comparison_works_without_the_engine():
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('pydantic', 'snakemake', 'psutil', 'nldr.engine')))\n"
        "import nldr, nldr.comparison.page, nldr.comparison.running, nldr.comparison.judging"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
