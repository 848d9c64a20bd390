"""Dots, bars, numbers, published rings and crosses of failures."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.stats import t
from sheets import words

from nldr.figures.dots import _set_ticks, dots
from nldr.figures.style import find_note


def marks(axes, filled=True):
    """Return the values of dots, ours or published, by row."""
    chosen = [line for line in axes.lines if line.get_gid() == ("ours" if filled else "published")]
    return {int(line.get_ydata()[0]): float(line.get_xdata()[0]) for line in chosen}


def test_dots_are_means_and_bars_are_their_intervals(make_study):
    study = make_study(sizes=(10,))
    axes, costs = dots(study, metrics=["r2_affine", "seconds"]).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == list(study.methods.values())
    values = study.table.groupby("method", sort=False)["r2_affine"]
    assert marks(axes) == pytest.approx(dict(enumerate(values.mean())))
    bars = [line.get_xdata() for line in axes.lines if line.get_marker() == "None"]
    widths = [bar[1] - bar[0] for bar in bars if len(bar) == 2 and bar[0] != bar[1]]
    ends = [(values.mean() + sign * t.ppf(0.975, 2) * values.sem()).clip(0, 1) for sign in (-1, 1)]
    np.testing.assert_allclose(sorted(widths), sorted(ends[1] - ends[0]))
    # Of costs, medians on a logarithmic axis
    assert (axes.get_xscale(), costs.get_xscale()) == ("linear", "log")
    medians = study.timings.groupby("method", sort=False)["seconds"].median()
    assert marks(costs) == pytest.approx(dict(enumerate(medians)))


def test_costs_that_are_all_zero_have_a_linear_axis(make_study):
    study = make_study(sizes=(10, 20))
    none = replace(study, timings=study.timings.assign(seconds=0.0))
    costs = dots(none, metrics=["seconds"]).axes
    assert {axes.get_xscale() for axes in costs} == {"linear"}
    # One row of panels is enough for a logarithmic axis
    cells = study.timings["data_cell"]
    seconds = np.where(cells == cells.iloc[-1], 1.0, 0.0)
    some = replace(study, timings=study.timings.assign(seconds=seconds))
    costs = dots(some, metrics=["seconds"]).axes
    assert {axes.get_xscale() for axes in costs} == {"log"}


def test_each_number_of_dimensions_has_a_row(make_study):
    study = make_study(sizes=(10,))
    pca = study.table[study.table["method"] == "pca"]
    low, high = (
        pca.assign(**{"method.n_components": n, "method_cell": f"pca@{n}", "r2_affine": n / 10})
        for n in (2, 5)
    )
    study = replace(study, table=pd.concat([low, high], ignore_index=True))
    (axes,) = dots(study, metrics=["r2_affine"]).axes
    titles = [label.get_text() for label in axes.get_yticklabels()]
    assert titles == ["PCA, 2 dimensions", "PCA, 5 dimensions"]
    assert marks(axes) == pytest.approx({0: 0.2, 1: 0.5})


def test_more_metrics_than_fit_are_refused(make_study):
    message = r"20 metrics do not fit side by side: choose some, as by params: {metrics: \[r2_aff"
    with pytest.raises(ValueError, match=message):
        dots(make_study(sizes=(10,)), metrics=["r2_affine"] * 20)


@pytest.mark.parametrize("limits", [(52, 159.9), (52, 162), (60, 200), (100, 290)])
def test_numbers_of_a_short_logarithmic_axis_do_not_touch(limits):
    axes = Figure(figsize=(4, 1)).add_axes((0.1, 0.4, 20 / (25.4 * 4), 0.5))
    axes.set(xscale="log", xlim=limits)
    _set_ticks(axes, 20, log=True)
    axes.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_visible()]
    low, high = axes.transAxes.transform([(0, 0), (1, 0)])[:, 0]
    shown = [box for box in boxes if low - 1 <= (box.x0 + box.x1) / 2 <= high + 1]
    assert shown
    assert all(left.x1 < right.x0 for left, right in pairwise(shown))


def test_published_values_are_open_circles(make_study, make_published):
    published = make_published(sizes=(10,), values={"r2_affine": 0.0})
    published["value"] = [0.5, 0.25]
    figure = dots(make_study(sizes=(10,), published=published))
    assert marks(figure.axes[0], filled=False) == {0: 0.5, 1: 0.25}
    assert marks(figure.axes[1], filled=False) == {}
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["ours", "published"]


def test_published_values_of_one_method_may_depend_on_a_parameter(make_study, make_published):
    study = make_study(methods={"ikd": "IKD"}, sizes=(10,), trials=2)
    hidden = study.table["trial"].map({0: "[16]", 1: "[32]"})
    study.table["method.hidden"], study.table["method_cell"] = hidden, "ikd@hidden=" + hidden
    theirs = make_published(methods=("ikd",), sizes=(10,), values={"r2_affine": 0.25})
    theirs["method_cell"] = "ikd@hidden=[32]"
    figure = dots(replace(study, published=theirs), metrics=["r2_affine"])
    assert marks(figure.axes[0], filled=False) == {1: 0.25}


@pytest.mark.parametrize("failed", [True, False])
def test_a_failed_method_has_a_cross_and_an_undefined_metric_none(make_study, failed):
    status = "timeout" if failed else "ok"
    study = make_study(sizes=(10,), status=lambda m, *_: status if m == "ikd" else "ok")
    study.table.loc[study.table["method"] == "ikd", "r2_affine"] = np.nan
    figure = dots(study, metrics=["r2_affine"])
    crosses = [line for line in figure.axes[0].lines if line.get_marker() == "x"]
    assert [line.get_ydata()[0] for line in crosses] == [2] * failed
    assert 2 not in marks(figure.axes[0])
    assert ("✕: failed." in find_note(figure)) == failed
    assert not figure.legends  # ours alone needs no key


def test_numbers_are_ours_then_the_published(make_study, make_published):
    theirs = make_published(methods=("ikd",), sizes=(10,), values={"r2_affine": 0.25})
    study = make_study(sizes=(10,), methods={"ikd": "IKD"}, published=theirs)
    (axes,) = dots(study, metrics=["r2_affine"]).axes
    assert words(axes, "number") == [f"{study.table['r2_affine'].mean():.3f}", "0.250"]


def test_short_labels_are_explained_in_the_note(make_study):
    study = make_study(sizes=(10,))
    study.metrics["r2_affine"] |= {"label": "µ", "title": "mean of everything"}
    assert "Metrics: µ: mean of everything." in find_note(dots(study))


def test_metrics_with_the_same_label_are_told_apart(make_study):
    study = make_study(sizes=(10,))
    for metric, k in zip(study.metrics.values(), (3, 12), strict=True):
        metric |= {"label": "trust", "title": f"trustworthiness, {k} neighbors"}
    texts = words(dots(study))
    assert sum(text.startswith("trust, 3 neighbors") for text in texts) == 1
    assert sum(text.startswith("trust, 12 neighbors") for text in texts) == 1
