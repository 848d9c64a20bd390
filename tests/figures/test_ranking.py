"""Rankings show the numbers of the tables, both ways of treating failures, and their limits."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import wilcoxon
from sheets import words

from nldr.figures.ranking import comparison_matrix, critical_difference, read_scores
from nldr.figures.style import find_note

METRIC = "r2_affine"


@pytest.fixture
def ranked(make_study):
    """Return a study of ten datasets on which IKD is best and PCA worst, with a control."""
    study = make_study(datasets=tuple(f"d{i}" for i in range(10)), sizes=(10,))
    shift = study.table["method"].map({"ikd": 0.3, "tsne": 0.1, "pca": 0.0, "random": 0.5})
    return replace(study, table=study.table.assign(r2_affine=0.1 * study.table[METRIC] + shift))


def fail(study, method, datasets):
    table = study.table.copy()
    failed = (table["method"] == method) & table["dataset"].isin(datasets)
    table.loc[failed, "ok"] = False
    table.loc[failed, [METRIC, "stress"]] = np.nan
    return replace(study, table=table)


def cells(figure):
    """Return the texts of the matrix, three for each pair."""
    return np.array(words(figure.axes[0])).reshape(-1, 3)


def means(study, method):
    table = study.table[study.table["method"] == method]
    return table.groupby("dataset", sort=False)[METRIC].mean().to_numpy()


def test_cells_are_differences_wins_and_corrected_p_values_bold_if_significant(ranked):
    figure = comparison_matrix(ranked, metric=METRIC)
    result = cells(figure)
    difference = means(ranked, "ikd") - means(ranked, "tsne")
    expected = [f"{difference.mean():+.3f}", "10/0/0", f"p = {3 * wilcoxon(difference).pvalue:.3f}"]
    assert result[0].tolist() == expected
    # The other way round, below the diagonal
    assert result[2].tolist()[:2] == [f"−{difference.mean():.3f}", "0/0/10"]
    assert {text.get_weight() for text in figure.axes[0].texts} == {"bold"}
    equal = ranked.table.assign(r2_affine=0.5)
    texts = comparison_matrix(replace(ranked, table=equal), metric=METRIC).axes[0].texts
    assert {text.get_weight() for text in texts} == {"normal"}


def test_many_methods_are_numbered_and_their_cells_have_no_p_values(ranked):
    table = ranked.table[ranked.table["method"] == "ikd"]
    names = [f"m{i}" for i in range(15)]
    tables = [
        table.assign(method=name, method_cell=name, r2_affine=table[METRIC] * (1 - 0.01 * i))
        for i, name in enumerate(names)
    ]
    titles = {name: f"a method of a long name, {name}" for name in names}
    many = replace(ranked, table=pd.concat(tables, ignore_index=True), methods=titles)
    figure = comparison_matrix(many, metric=METRIC)
    texts = [text.get_text() for text in figure.axes[0].texts]
    difference = f"{0.01 * table[METRIC].mean():+.3f}".replace("0.", ".", 1)
    assert texts[:2] == [difference, "10/0"]
    heads = [text.get_text() for text in figure.texts]
    assert {"15", "15  a method of a long name, m14"} <= set(heads)


def test_rows_are_ordered_by_mean_and_without_controls(ranked):
    scores = read_scores(ranked, METRIC)
    assert scores.methods == ["IKD", "t-SNE", "PCA"]
    assert scores.solved == ["10 of 10"] * 3
    lower = dict(ranked.metrics[METRIC], direction="lower")
    turned = read_scores(replace(ranked, metrics={METRIC: lower}), METRIC)
    assert turned.methods == ["PCA", "t-SNE", "IKD"]


def test_failed_runs_are_penalized_above_the_diagonal_and_left_out_below(ranked):
    study = fail(ranked, "ikd", ["d0", "d1", "d2", "d3"])
    scores = read_scores(study, METRIC)
    ikd = scores.methods.index("IKD")
    assert scores.solved[ikd] == "6 of 10"
    assert (scores.penalized[:4, ikd] == 0).all()
    assert np.isnan(scores.unpenalized[:4, ikd]).all()
    result = cells(comparison_matrix(study, metric=METRIC))
    wins = set(result[:, 1])
    assert "6/0/4" in wins  # IKD above the diagonal: it loses where it failed
    assert {"6/0/0", "0/0/6"} & wins


def test_penalty_without_worst_value_is_the_worst_on_the_dataset(ranked):
    study = fail(ranked, "ikd", ["d0"])
    scores = read_scores(study, "stress")
    ikd = scores.methods.index("IKD")
    known = study.table[(study.table["dataset"] == "d0") & (study.table["method"] != "random")]
    assert scores.penalized[0, ikd] == pytest.approx(known["stress"].max())
    note = find_note(comparison_matrix(study, metric="stress"))
    assert "a failed run has the worst value on its dataset" in note


def test_ranks_and_groups(ranked):
    figure = critical_difference(ranked, metric=METRIC)
    texts = words(figure.axes[0], "method")
    assert texts == ["IKD  1.00", "t-SNE  2.00", "3.00  PCA"]
    assert not [line for line in figure.axes[0].lines if line.get_gid() == "group"]
    equal = replace(ranked, table=ranked.table.assign(r2_affine=0.5))
    axes = critical_difference(equal, metric=METRIC).axes[0]
    (group,) = [line for line in axes.lines if line.get_gid() == "group"]
    assert group.get_xdata().tolist() == [2.0, 2.0]  # all ranks are tied


def test_lower_diagram_says_why_it_is_missing(ranked):
    study = fail(ranked, "ikd", ["d0", "d1", "d2", "d3", "d4"])
    figure = critical_difference(study, metric=METRIC)
    assert len(figure.axes) == 1
    texts = [text.get_text() for text in figure.texts]
    assert any(t.startswith("The 5 datasets that all methods solved: no ranking") for t in texts)


def test_too_few_datasets_are_said(ranked):
    few = replace(ranked, table=ranked.table[ranked.table["dataset"].isin(["d0", "d1", "d2"])])
    figure = comparison_matrix(few, metric=METRIC)
    assert set(cells(figure)[:, 2]) == {"p –"}
    note = find_note(figure)
    assert "can be significant with 3 datasets" in note
    assert "no p-values below 6 datasets" in note
    assert "Wilcoxon" not in note


@pytest.mark.parametrize("draw", [comparison_matrix, critical_difference])
def test_single_dataset_is_refused_in_the_figure(ranked, draw):
    one = replace(ranked, table=ranked.table[ranked.table["dataset"] == "d0"])
    figure = draw(one, metric=METRIC)
    assert not figure.axes
    text = figure.texts[-1].get_text().replace("\n", " ")
    assert "this needs at least 2 datasets and 2 methods, and " in text
    assert "is known for 1 and 3 of them" in text
