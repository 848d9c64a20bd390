"""Outcomes of differences, agreement of maps, and sentences."""

import numpy as np
import pandas as pd
import pytest

from nldr.claims.findings import Effect
from nldr.comparison.draws import Draws, Fit
from nldr.comparison.methods import catalog, choose
from nldr.comparison.ranking import MARGIN, _with_outcomes, _word, rank
from nldr.comparison.scores import place, score, score_new
from nldr.comparison.stability import align_maps, stability
from nldr.comparison.words import recommendations
from nldr.inputs import InputError
from nldr.statistics.location import locate


def three_sided(differences):
    """Return the test of differences between two methods."""
    return Effect("", "", locate(differences), bound=0.0, above=True, delta=MARGIN).tests


@pytest.mark.parametrize(
    ("differences", "outcome"),
    [
        ([-0.051, -0.049, -0.050, -0.052], "worse"),
        ([-0.0031, -0.0029, -0.0032, -0.0030], "slightly worse"),
        ([0.001, -0.001, 0.0012, -0.0008], "tie"),
        ([-0.05, 0.06, -0.02, 0.04], "unclear"),
    ],
)
def test_outcomes_of_four_draws(differences, outcome):
    assert _word(three_sided(differences), 0.05) == outcome


def test_random_coordinates_do_not_raise_the_level_for_others():
    # One of ten is behind with a p-value between 0.05 / 10 and twice 0.05 / 11
    ahead, behind, chance = [0.0] * 4, [-0.11, -0.12, -0.19, -0.19], [0.1, -0.1, 0.11, -0.12]
    assert 0.005 < three_sided(behind).p_value < 0.0091
    keys = ["best", "one", *"abcdefghi", "random"]
    values = dict.fromkeys(keys, chance) | {"best": ahead, "one": behind}
    values["random"] = [-0.5, -0.5, -0.5, -0.501]
    scored = {
        key: [Fit(key, 0, d, np.arange(2), scores={"neighborhoods": v}) for d, v in enumerate(some)]
        for key, some in values.items()
    }
    table = _with_outcomes(pd.DataFrame({"key": keys}), Draws([], scored=scored))
    assert set(table["outcome"][1:-1]) == {"unclear"}
    # Nor do others that are unclear lower theirs
    assert table["outcome"].iloc[-1] == "worse"


def test_same_maps_are_stable_and_random_ones_are_not(rng):
    Z, rows = rng.normal(size=(100, 2)), rng.permutation(120)[:100]
    other = rng.permutation(120)[:100]
    everywhere = np.zeros((120, 2))
    everywhere[rows] = Z
    everywhere[np.setdiff1d(np.arange(120), rows)] = 9
    turned = everywhere[other] @ [[0, 2], [-2, 0]]
    share, of_points = stability([(rows, Z), (other, turned)], 120)
    assert share == 1
    assert np.isnan(of_points).sum() == 120 - len(np.intersect1d(rows, other))
    assert stability([(rows, Z), (other, rng.normal(size=(100, 2)))], 120)[0] < 0.3


def test_new_points_of_a_plane_are_placed_exactly(rng):
    plane = rng.uniform(size=(200, 2))
    X = plane @ np.linalg.qr(rng.normal(size=(5, 2)))[0].T
    inside = np.array([[0.5, 0.5], [0.4, 0.6]])
    placed = place(X[:200], plane, inside @ np.linalg.lstsq(plane, X, rcond=None)[0])
    np.testing.assert_allclose(placed, inside, atol=0.02)
    assert score_new(X[:150], plane[:150], X[150:]) > 0.9
    assert score(X, plane, None)["neighborhoods"] > 0.9


def test_alignment_leaves_what_cannot_be_aligned(rng):
    A, noise = rng.normal(size=(2, 500, 2))
    aligned, residual = align_maps(A, 7 - 2 * A)
    np.testing.assert_allclose(aligned, A)
    assert residual == pytest.approx(0, abs=1e-12)
    assert align_maps(A, noise)[1] > 0.9


def test_settings_fit_the_data_and_packages_are_named(monkeypatch, rng):
    points = rng.normal(size=(40, 3))
    methods, _ = choose(len(points), None)
    assert max(next(m for m in methods if m.key == "tsne").settings) <= 13
    # Few rows leave every method as many settings
    for n_rows in (16, 19, 50):
        settings = [m.settings for m in catalog(n_rows).values() if m.parameter]
        assert {len(values) for values in settings} == {3}
    monkeypatch.setattr("nldr.comparison.methods.find_spec", lambda name: None)
    installed, lines = choose(len(points), None)
    assert {m.key for m in methods} - {m.key for m in installed} <= {"umap", "pacmap"}
    assert lines == [
        "UMAP is left out, it is not installed: pip install 'nldr[umap]'",
        "PaCMAP is left out, it is not installed: pip install 'nldr[modern]'",
    ]
    with pytest.raises(InputError, match=r"pip install 'nldr\[umap\]'"):
        choose(len(points), ["umap"])


def row(key, score, **others):
    values = {
        "key": key,
        "setting": "",
        "neighborhoods": score,
        "trustworthiness": score,
        "continuity": score,
        "distances": 0.5,
        "new_points": 0.5,
        "stability": 0.5,
        "seconds": 1.0,
        "behind": 0.9 - score,
        "behind_low": 0.89 - score,
        "behind_high": 0.91 - score,
        "outcome": "worse",
    }
    return values | others


def test_sentences_tell_ties_chance_and_failure():
    def text(rival, pca=0.5):
        rows = {
            "t-SNE": row("tsne", 0.9, outcome="best"),
            "X": rival,
            "PCA": row("pca", 0.7, distances=pca),
            "random coordinates": row("random", 0.5),
        }
        table = pd.DataFrame.from_dict(rows, orient="index")
        return recommendations(table, {"tsne": 0.0})["neighborhoods"]

    assert "X is practically equal." in text(row("x", 0.9, outcome="tie"))
    assert "X is only slightly worse, but keeps the distances" in text(
        row("x", 0.9, outcome="slightly worse", distances=0.8)
    )
    wide = {"outcome": "unclear", "behind_low": -0.01, "behind_high": 0.05}
    assert "X is 0.020 ± 0.030 behind, which may be chance. No point" in text(
        row("x", 0.88, **wide, distances=np.nan)
    )
    # What may be as good comes before what keeps distances
    assert "X is 0.020 ± 0.010 behind, which may be chance among so many methods." in text(
        row("x", 0.88, outcome="unclear"), pca=0.8
    )
    assert "but keeps the distances in the data better (0.80 vs. 0.50)" in text(
        row("x", 0.85, distances=0.8)
    )
    assert "No point of the t-SNE map" in text(row("x", 0.85))
    assert "No method keeps" not in text(row("x", 0.85))


def test_global_distances_are_judged_by_continuity():
    """Not by the correlation with the distances in the data, which picks wrong maps."""
    rows = {
        "t-SNE": row("tsne", 0.9, outcome="best"),
        "Isomap": row("isomap", 0.8, continuity=0.95, distances=0.7),
        "PCA": row("pca", 0.7, distances=0.9),
        "random coordinates": row("random", 0.5),
    }
    text = recommendations(pd.DataFrame.from_dict(rows, orient="index"), {})["distances"]
    assert "take Isomap: continuity 0.95 (PCA 0.70, random coordinates 0.50). The evidence" in text
    rows["t-SNE"]["continuity"] = 0.94
    text = recommendations(pd.DataFrame.from_dict(rows, orient="index"), {})["distances"]
    assert "take Isomap" in text
    assert "Within 0.02 of it, so hardly worse: t-SNE. The evidence is weak: in" in text


def test_labels_are_scored_on_the_draws_that_have_several_classes():
    """A class of a single row is missing in some draws, which say nothing about labels."""

    def labels_of(*scores):
        values = {"neighborhoods": 0.5, "trustworthiness": 0.5, "continuity": 0.5, "distances": 0.5}
        fits = [
            Fit("pca", 0, draw, np.arange(9), seconds=1.0, scores=values | {"labels": score})
            for draw, score in enumerate(scores)
        ]
        (pca,) = choose(100, ["pca"])[0]
        table, _ = rank(Draws([pca], {"pca": 0}, {"pca": fits, "random": fits}), 9)
        return table["labels"].iloc[0], recommendations(table, {})["labels"]

    value, text = labels_of(0.5, np.nan, 0.7)
    assert value == pytest.approx(0.6)
    assert "take PCA" in text
    assert "no method can be recommended" in labels_of(np.nan, np.nan)[1]
