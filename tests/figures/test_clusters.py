"""Scores that rank maps alike form clusters, each with a representative."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from nldr.figures.clusters import clusters, group_scores, rank_correlations, representative
from nldr.figures.style import find_note

FACTS = {"range": [0, None], "direction": "higher"}


@pytest.fixture
def study(make_study, rng):
    """Return a study with two groups of three metrics; the last one of each is reversed."""
    base = make_study(datasets=("gp", "roll"), sizes=(10,), trials=9)
    n = len(base.table)
    levels = base.table["data_cell"].map({"gp,n_features=10": 0.0, "roll,n_features=10": 50.0})
    table, metrics = base.table.assign(ok=True), {}
    for group in "ab":
        common = rng.normal(size=n)
        for i, noise in enumerate((0.4, 0.1, 0.4)):
            name = f"{group}{i}"
            sign = -1 if i == 2 else 1
            # Levels of datasets, common to all metrics, are no correlation
            table[name] = levels + sign * (common + noise * rng.normal(size=n))
            direction = "lower" if i == 2 else "higher"
            metrics[name] = FACTS | {"label": name, "title": name, "direction": direction}
    return replace(base, table=table, metrics=metrics)


def test_clusters_are_those_of_the_maps_within_datasets(study):
    names = list(study.metrics)
    directions = [facts["direction"] for facts in study.metrics.values()]
    matrix = rank_correlations(study.table, names, directions)
    np.testing.assert_allclose(matrix, matrix.T)
    assert (matrix[:3, :3] > 0.5).all()
    assert (np.abs(matrix[:3, 3:]) < 0.5).all()
    groups = group_scores(matrix, 2)
    assert sorted(sorted(group) for group in groups) == [[0, 1, 2], [3, 4, 5]]
    assert {representative(matrix, group) for group in groups} == {1, 4}


def test_a_score_that_never_varies_correlates_with_none():
    table = pd.DataFrame({"data_cell": "a", "x": [1.0, 2.0, 3.0], "y": 1.0})
    matrix = rank_correlations(table, ["x", "y"], ["higher", "higher"])
    assert matrix.tolist() == [[1, 0], [0, 1]]
    assert len(group_scores(matrix)) == 2


def test_matrix_has_frames_and_names_representatives_in_bold(study):
    figure = clusters(study)
    (axes,) = figure.axes
    assert len([patch for patch in axes.patches if patch.get_gid() == "cluster"]) == 5
    assert len([text for text in axes.texts if text.get_gid() == "correlation"]) == 36
    names = [text for text in figure.texts if text.get_ha() == "right"]
    bold = {text.get_text().split()[0] for text in names if text.get_weight() == "bold"}
    assert len(bold) == 5
    note = find_note(figure).replace("\n", " ")
    assert {*note.rpartition("representatives, ")[2].partition(".")[0].split("; ")} == bold
    assert "mean over 2 datasets" in note


def test_truths_are_below_the_clusters(study):
    figure = clusters(study, truths=["a1"])
    rows = [text.get_text() for text in figure.texts if text.get_ha() == "right"]
    assert rows[-1].split() == ["a1", "6"]
    assert sorted(row.split()[0] for row in rows[:-1]) == ["a0", "a2", "b0", "b1", "b2"]
    assert "Below: agreement with the truth" in find_note(figure).replace("\n", " ")
