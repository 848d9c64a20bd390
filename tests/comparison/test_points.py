"""Places of points, saved beside what to trust, and read as a map."""

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

import nldr
from nldr.cli import main
from nldr.comparison import draws as drawing

WINE = load_wine(as_frame=True)


def test_points_not_to_trust_are_saved_beside_their_places(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    wine = WINE.data.set_index(pd.Index([f"w{i}" for i in range(178)], name="wine"))
    wine.to_csv("wine.csv")
    command = ["compare", "wine.csv", "--methods", "pca", "--out", "page.html", "--save"]
    assert main([*command, "map.csv"]) == 0
    assert "map.csv: the recommended map, and which points to trust" in capsys.readouterr().out
    saved = pd.read_csv("map.csv", index_col="name")
    assert saved.index.tolist() == wine.index.tolist()
    assert list(saved.columns[:3]) == ["x", "y", "trusted"]
    result = nldr.compare("wine.csv", methods=["pca"])
    np.testing.assert_allclose(saved[["x", "y"]], result.best.embedding_)
    assert saved["trusted"].tolist() == result.trust["trusted"].tolist()
    assert 0 < saved["trusted"].mean() < 1
    # Only the places are compared, in whatever order
    saved.sample(frac=1, random_state=0).to_csv("turned.csv")
    assert main(["diff", "map.csv", "turned.csv"]) == 0
    assert "0 of 178 points moved" in " ".join(capsys.readouterr().out.split())
    assert nldr.diff(result.points, result.best).residual < 1e-12
    assert nldr.check(wine, result.best).scores.loc["this map", "distances"] > 0.8
    assert len(nldr.plot(result.best).collections) == 1
    assert main([*command, "map.txt"]) == 2
    assert "does not end in .npz or .csv" in capsys.readouterr().err


def test_whole_numbers_in_a_map_are_noticed():
    Z = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["x", "y"])
    X, note = np.hstack([Z, Z**2]), "whole numbers in 'cluster': leave this out if it is no coord"
    with_clusters = Z.assign(cluster=np.arange(40) % 3, zero=0)
    assert note in str(nldr.check(X, with_clusters))
    assert note in str(nldr.diff(with_clusters, with_clusters))
    # Neither coordinates nor the places of a grid
    assert not nldr.check(X, Z).notes
    assert not nldr.diff(Z, Z.round()).notes


def test_points_that_were_placed_have_no_errors(monkeypatch):
    for most in ("MOST_FITTED", "MOST_SHOWN", "MOST_ROWS"):
        monkeypatch.setattr(drawing, most, 100)
    points = nldr.compare(WINE.data, methods=["pca"]).points
    assert points.index.name == "row"
    assert points[["x", "y"]].notna().all(axis=None)
    assert points["trusted"].notna().sum() == points["intruders"].notna().sum() == 100
