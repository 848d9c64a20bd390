"""Means of methods over datasets, ordered by the first metric, with controls at the end."""

from dataclasses import replace

import pytest

from nldr.figures.style import find_note
from nldr.figures.survey import means_of, survey


def test_dots_are_means_of_datasets_and_controls_come_last(make_study):
    def status(method, size, trial):
        return "timeout" if method == "tsne" and trial == 0 else "ok"

    study = make_study(datasets=("gp", "swiss_roll"), status=status)
    figure = survey(study, metrics=["stress", "r2_affine"])
    titles = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert titles[-1] == "random"
    assert "t-SNE (6 of 18)" in titles
    means = means_of(study, "stress")
    assert means.shape == (6, 4)
    drawn = [line for line in figure.axes[0].lines if line.get_gid() == "mean"]
    centers = [float(line.get_xdata()[0]) for line in drawn]
    assert centers[:3] == pytest.approx(sorted(means.mean()[["pca", "tsne", "ikd"]]))
    assert {line.get_marker() for line in drawn} & {"", "None"} == set()
    assert centers[3] == pytest.approx(means["random"].mean())
    assert "mean over 6 datasets" in find_note(figure).replace("\n", " ")
    assert "bars: 95 % confidence" in find_note(figure)
    assert "In parentheses: failed trials." in find_note(figure)


def test_a_dataset_that_a_method_failed_on_does_not_favor_it(make_study):
    """Its mean is as if it differed from the other methods there as it does elsewhere."""

    def status(method, size, trial):
        return "timeout" if method == "tsne" and size == 100 else "ok"

    study = make_study(datasets=("gp", "swiss_roll"), status=status)
    means = means_of(study, "stress")
    center = means[["pca", "tsne", "ikd"]].mean(axis=1)
    expected = center.mean() + (means["tsne"] - center).mean()
    assert means["tsne"].isna().any()
    assert means["tsne"].mean() != pytest.approx(expected)
    axes = survey(study, metrics=["stress"]).axes[0]
    titles = [label.get_text() for label in axes.get_yticklabels()]
    drawn = [line for line in axes.lines if line.get_gid() == "mean"]
    dot = drawn[next(i for i, title in enumerate(titles) if title.startswith("t-SNE"))]
    assert float(dot.get_xdata()[0]) == pytest.approx(expected)


def test_note_explains_only_what_is_drawn(make_study):
    """A single dataset has no intervals, and here no trial has failed."""
    study = make_study()
    study = replace(
        study, table=study.table[study.table["data_cell"] == study.table["data_cell"][0]]
    )
    figure = survey(study, metrics=["stress"])
    drawn = [line.get_gid() for line in figure.axes[0].lines]
    assert drawn == ["mean"] * 4 + [drawn[-1]]  # and the line above the controls
    assert find_note(figure) == "Dots: means on one dataset. Arrows point to better values."
