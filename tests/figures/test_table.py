"""Means over successful trials, ranks, failures and published numbers."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.lines import Line2D
from sheets import find_faults, words

from nldr.figures.style import find_note
from nldr.figures.table import score_table

METRIC = ["r2_affine"]


def bold_scores(figure):
    scores = [text for text in figure.texts if text.get_gid() == "score"]
    return [text.get_text() for text in scores if text.get_weight() == "bold"]


def underlines(figure):
    return [a for a in figure.get_children() if isinstance(a, Line2D) and a.get_color() == "black"]


@pytest.fixture
def study(make_study):
    return make_study(sizes=(10,))


def test_scores_are_means_over_trials(study):
    means = study.table.groupby("method", sort=False)["r2_affine"].mean()
    assert words(score_table(study, metrics=METRIC), "score") == [f"{m:.3f}" for m in means]


@pytest.mark.parametrize("metric", ["r2_affine", "stress"])
def test_best_is_bold_and_second_underlined(study, metric):
    figure = score_table(study, metrics=[metric])
    methods = study.table[study.table["method"] != "random"]
    means = methods.groupby("method")[metric].mean()
    best = means.max() if metric == "r2_affine" else means.min()
    (bold,) = bold_scores(figure)
    assert float(bold) == pytest.approx(best, abs=1e-3)
    assert len(underlines(figure)) == 1


def test_failures_show_their_status_and_failed_trials_are_left_out(make_study):
    def status(method, size, trial):
        failed = "not_converged" if (method, trial) == ("pca", 0) else "ok"
        return "timeout" if method == "ikd" else failed

    study = make_study(sizes=(10,), status=status)
    figure = score_table(study, metrics=METRIC)
    assert words(figure, "failed") == ["✕ timeout"]
    scores = words(figure, "score")
    assert len(scores) == 3
    good = study.table[(study.table["method"] == "pca") & (study.table["trial"] > 0)]
    assert scores[0] == f"{good['r2_affine'].mean():.3f}"


def test_an_undefined_score_is_named_or_a_dash_if_it_suits_no_method(study):
    study.table.loc[study.table["method"] == "ikd", "r2_affine"] = np.nan
    assert words(score_table(study, metrics=METRIC), "failed") == ["✕ undefined"]
    study.table["r2_affine"] = np.nan
    assert words(score_table(study, metrics=METRIC), "failed") == ["–"] * len(study.methods)
    # A failure is not hidden
    study.table.loc[study.table["method"] == "ikd", ["status", "ok"]] = ["timeout", False]
    failed = words(score_table(study, metrics=METRIC), "failed")
    assert "✕ timeout" in failed
    assert "✕ undefined" in failed


def test_published_numbers_are_beside_ours(make_study, make_published):
    theirs = make_published(methods=("tsne", "lle"), sizes=(10, 100), values={"r2_affine": 0.0})
    theirs["value"] = [0.123, 0.456, 0.789, 0.789]
    figure = score_table(make_study(sizes=(10, 100), published=theirs), remark="Printed once.")
    assert words(figure, "published") == ["0.123", "0.456"]
    assert find_note(figure).endswith("published. Printed once.")
    plain = score_table(make_study(sizes=(1000,), published=theirs), remark="Printed once.")
    assert "rinted" not in find_note(plain)


@pytest.mark.parametrize("trials", [1, 3])
def test_numbers_of_a_row_do_not_overlap(make_study, make_published, trials):
    names = {"pca": "A method with a long title, and a parameter = 100", "tsne": "t-SNE"}
    facts = {"range": [0, None], "direction": "lower"}
    metrics = {f"kl_{i}": facts | {"title": f"KL {i}"} for i in range(4)}
    theirs = make_published(sizes=(10,), values={metric: 0.00161 for metric in metrics})
    study = make_study(methods=names, sizes=(10,), trials=trials, metrics=metrics, published=theirs)
    scores = {metric: 0.00123 * study.table["r2_affine"] for metric in metrics}
    assert not find_faults(score_table(replace(study, table=study.table.assign(**scores))))


def test_blocks_by_metric_have_the_same_numbers_and_ranks(make_study):
    study = make_study(datasets=("gp", "big_roll"), sizes=(10,), trials=1)
    tables = [score_table(study, blocks=blocks) for blocks in ("dataset", "metric")]
    by_dataset, by_metric = (words(table, "score") for table in tables)
    assert by_metric != by_dataset
    assert sorted(by_metric) == sorted(by_dataset)
    assert sorted(bold_scores(tables[1])) == sorted(bold_scores(tables[0]))
    heads = [t.get_text() for t in tables[1].texts if t.get_weight() == "bold" and not t.get_gid()]
    assert heads[1:] == ["R² after alignment ↑", "stress ↓"]


def test_narrow_columns_abbreviate_failures(make_study):
    study = make_study(
        datasets=tuple(f"gp_{i}" for i in range(9)),
        sizes=(10,),
        status=lambda m, s, t: "not_converged" if m == "ikd" else "ok",
    )
    figure = score_table(study, blocks="metric")
    assert set(words(figure, "failed")) == {"✕ nc"}
    assert "✕ nc: not converged." in find_note(figure)
    assert "±" not in find_note(figure)
