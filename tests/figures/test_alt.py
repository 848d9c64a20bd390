"""Descriptions name what is drawn, and the best methods."""

from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

from nldr.figures.alt import describe
from nldr.figures.style import add_note


def test_it_names_kind_metrics_methods_and_datasets(make_study):
    figure = Figure()
    add_note(figure, "Bars: ±1 s.d.")
    text = describe(
        make_study(("gp", "swiss_roll")), figure, "Draw two\n    things.\n\n  More.", {}
    )
    for part in (
        "A study. Two things.",
        "Metrics: R² after alignment; stress.",
        "Methods: PCA; t-SNE; IKD; random.",
        "Datasets: gp; swiss roll.",
        "Bars: ±1 s.d.",
    ):
        assert part in text
    assert "More" not in text


def test_the_best_is_that_of_the_means_if_there_are_scores_and_no_control(make_study):
    study = make_study(sizes=(10,))
    scores = {"pca": 0.3, "tsne": 0.5, "ikd": 0.4, "random": 0.9}
    study.table["r2_affine"] = study.table["method"].map(scores)
    study.table["stress"] = study.table["r2_affine"]
    best = describe(study, Figure(), "", {})
    assert "Best by R² after alignment: t-SNE (0.500)." in best
    # Lower stress is better
    assert "Best by stress: PCA (0.300)." in describe(study, Figure(), "", {"metric": "stress"})
    blank = replace(study, table=study.table.assign(r2_affine=np.nan))
    assert "Best" not in describe(blank, Figure(), "", {})


def test_only_the_metrics_of_the_figure_are_named(make_study):
    study = make_study(sizes=(10,))
    text = describe(study, Figure(), "", {"metrics": ["seconds", "stress"]})
    assert "Metrics: fit time (s); stress." in text
    assert "Best by stress" in text
    # Other parameters of the same name are no metrics
    assert "Metrics: R² after alignment" in describe(study, Figure(), "", {"columns": "dataset"})
