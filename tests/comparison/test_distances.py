"""Distances in place of features, for all that look at data."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA

import nldr
from nldr.cli import main

X = load_wine().data / load_wine().data.std(axis=0)
D = cdist(X, X)
Z = PCA(2).fit_transform(X)


def test_check_and_doctor_of_distances_see_the_points_that_have_them():
    of_points, of_distances = nldr.check(X, Z), nldr.check(D, Z, metric="precomputed")
    rows = ["this map", "PCA", "random coordinates"]
    pd.testing.assert_frame_equal(of_points.scores.loc[rows], of_distances.scores.loc[rows])
    findings = nldr.doctor(D, metric="precomputed")
    assert findings.n_columns == 13
    assert str(findings).startswith("distances of 178 points, which need 13 coordinates\n")
    assert "column" not in str(findings)
    with pytest.raises(ValueError, match="X has distances of points on a line: draw a hist"):
        nldr.doctor(cdist(X[:, :1], X[:, :1]), metric="precomputed")
    with pytest.raises(ValueError, match="did you mean 'precomputed'"):
        nldr.doctor(D, metric="precomputd")


def test_distances_that_are_taken_as_features_are_noticed():
    (note,) = nldr.check(D, Z).notes
    assert 'metric="precomputed"' in note
    assert nldr.doctor(D).notes == [note]
    assert note in str(nldr.doctor(D))
    # Neither an asymmetric table nor one without zeros on its diagonal
    for other in (D + np.triu(D), D + 1, X):
        assert not nldr.doctor(other).notes
    assert not nldr.doctor(D, metric="precomputed").notes


def test_rounding_errors_of_distances_are_none():
    similarities = X @ X.T / np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(X, axis=1))
    cosines = 1 - similarities
    cosines[0, 1] = cosines[1, 0] = -1e-16
    assert np.diag(cosines).any()
    assert nldr.doctor(cosines, metric="precomputed").n_rows == 178
    assert 'metric="precomputed"' in nldr.doctor(cosines).notes[0]
    cosines[0, 1] = cosines[1, 0] = -1e-3
    with pytest.raises(ValueError, match="distance of points 0 and 1 is negative"):
        nldr.doctor(cosines, metric="precomputed")


def test_commands_take_distances(tmp_path, capsys):
    np.savetxt(
        tmp_path / "D.csv",
        D,
        delimiter=",",
        header=",".join(f"p{i}" for i in range(178)),
        comments="",
    )
    np.save(tmp_path / "Z.npy", Z)
    files = str(tmp_path / "D.csv"), str(tmp_path / "Z.npy")
    assert main(["check", *files, "--distances"]) == 0
    assert "note" not in capsys.readouterr().out
    assert main(["doctor", files[0], "--distances"]) == 0
    assert "the coordinates are computed from the distances" in capsys.readouterr().out
    assert main(["doctor", files[0]]) == 0
    assert "note: D.csv is symmetric" in capsys.readouterr().out
