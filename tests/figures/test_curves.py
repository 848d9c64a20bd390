"""Lines, bars, failures and published curves of a parameter study."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sheets import find_faults, words

from nldr.figures import style
from nldr.figures.curves import curves, summarize
from nldr.figures.panels import LANE

X = "data.n_features"


def gids(figure, first):
    """Return the artists whose gid is ``first:name``, by name."""
    by_name = {}
    for axes in figure.axes:
        for artist in axes.get_children():
            if (artist.get_gid() or "").startswith(first + ":"):
                by_name.setdefault(artist.get_gid().removeprefix(first + ":"), []).append(artist)
    return by_name


def timeouts(method, size, trial):
    return "timeout" if method == "tsne" and size == 1000 else "ok"


def test_lines_are_means_and_bars_are_their_intervals(make_study):
    study = make_study()
    figure = curves(study, metrics=["r2_affine"])
    for method, title in study.methods.items():
        rows = study.table[study.table["method"] == method]
        mean = rows.groupby(X)["r2_affine"].mean()
        half = t.ppf(0.975, 2) * rows.groupby(X)["r2_affine"].sem()
        (line,) = gids(figure, "ours")[title]
        assert np.array_equal(line.get_xdata(), mean.index)
        assert np.allclose(line.get_ydata(), mean)
        (bars,) = gids(figure, "bars")[title]
        ends = np.array([bar[:, 1] for bar in bars.get_segments()])
        # R² does not exceed 1, and neither do the bars
        assert np.allclose(ends, np.stack([mean - half, mean + half], axis=1).clip(0, 1))


def test_costs_are_medians_with_quartiles_on_a_logarithmic_axis(make_study):
    study = make_study()
    figure = curves(study, metrics=["seconds"])
    rows = study.timings.assign(x=study.table[X])[study.table["method"] == "ikd"]
    seconds = rows.groupby("x")["seconds"]
    assert np.allclose(gids(figure, "ours")["IKD"][0].get_ydata(), seconds.median())
    ends = np.array([bar[:, 1] for bar in gids(figure, "bars")["IKD"][0].get_segments()])
    assert np.allclose(ends, np.stack([seconds.quantile(0.25), seconds.quantile(0.75)], axis=1))
    assert figure.axes[0].get_yscale() == figure.axes[0].get_xscale() == "log"


def test_fitted_attributes_of_a_wide_range_are_logarithmic(make_study):
    study = make_study()
    sizes = study.table[X].astype(float)
    for power, scale in ((-2, "log"), (-0.1, "linear")):
        study = replace(study, table=study.table.assign(**{"fit.duality_gap": sizes**power}))
        (axes,) = curves(study, metrics=["fit.duality_gap"]).axes
        assert (axes.get_yscale(), axes.get_ylabel()) == (scale, "duality gap")


def test_failed_cells_leave_a_gap_and_a_cross(make_study):
    study = make_study(status=timeouts)
    figure = curves(study)
    for line in gids(figure, "ours")["t-SNE"]:
        assert np.array_equal(np.isfinite(line.get_ydata()), [True, True, False])
    crosses = gids(figure, "failed")
    assert set(crosses) == {"t-SNE"}
    for cross in crosses["t-SNE"]:
        assert cross.get_xdata().tolist() == [1000]
        assert cross.get_color() == study.looks["tsne"].color
    assert not gids(figure, "some failed")


def test_rows_of_failures_beyond_four_make_panels_higher(monkeypatch, make_study):
    study = make_study(status=timeouts)
    (plot, *_), height = curves(study).axes, curves(study).get_figheight()
    monkeypatch.setattr("nldr.figures.panels.LANES", 0)
    higher = curves(study)
    assert higher.get_figheight() * 25.4 == pytest.approx(height * 25.4 + LANE)
    # The row goes below the plot, which is then as high as without failures
    assert higher.axes[0].bbox.height > plot.bbox.height


def test_failed_trials_are_left_out_and_their_shares_have_a_heading(make_study):
    def status(method, size, trial):
        return "not_converged" if (method, size) == ("ikd", 10) and trial < 2 else "ok"

    study = make_study(trials=5, status=status)
    figure = curves(study, metrics=["r2_affine"])
    shares = gids(figure, "some failed")["IKD"]
    assert [share.get_text() for share in shares] == ["40"]
    rows = study.table[(study.table["method"] == "ikd") & (study.table[X] == 10)]
    kept = rows.loc[rows["trial"] > 1, "r2_affine"].mean()
    assert gids(figure, "ours")["IKD"][0].get_ydata()[0] == pytest.approx(kept)
    figure.draw_without_rendering()
    (heading,) = [
        text for axes in figure.axes for text in axes.texts if text.get_text() == "failed, %"
    ]
    assert heading.get_window_extent().x1 <= shares[0].get_window_extent().x0
    strip = shares[0].axes
    x, _ = strip.transAxes.transform(shares[0].get_position())
    assert x == pytest.approx(strip.transData.transform((10, 0))[0])


def test_shares_of_failed_trials_do_not_overlap(make_study):
    def status(method, size, trial):
        return "not_converged" if method == "ikd" and trial < 2 else "ok"

    sizes = (100, 101, 500)  # the first two are less than one number apart
    figure = curves(make_study(sizes=sizes, trials=5, status=status), metrics=["r2_affine"])
    figure.draw_without_rendering()
    boxes = [share.get_window_extent() for share in gids(figure, "some failed")["IKD"]]
    assert len(boxes) == 3
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


@pytest.mark.parametrize("sizes", [(10,), (10, 100)])
def test_few_values_are_dots_side_by_side(make_study, sizes):
    figure = curves(make_study(sizes=sizes), metrics=["r2_affine"])
    lines = [lines[0] for lines in gids(figure, "ours").values()]
    assert {drawn.get_linestyle() for drawn in lines} == {"None"}
    assert all(drawn.get_marker() not in ("", "None") for drawn in lines)
    left = [drawn.get_transform().transform((10, 0))[0] for drawn in lines]
    assert len(set(left)) == len(lines)


def test_published_curves_are_behind_ours(make_study, make_published):
    figure = curves(make_study(published=make_published()))
    behind, ours = gids(figure, "published"), gids(figure, "ours")
    assert set(behind) == {"pca", "tsne"}
    for line in behind["tsne"]:
        assert line.get_linestyle() == "--"
        assert line.get_zorder() < ours["t-SNE"][0].get_zorder()
    assert behind["tsne"][0].get_ydata().tolist() == [0.5] * 3
    assert behind["tsne"][1].get_ydata().tolist() == [3.0] * 3
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["ours", "published"]
    assert any("another machine" in text for text in words(figure))


def test_published_curves_are_in_the_panel_of_their_dataset_and_metric(make_study, make_published):
    published = make_published(("pca",), values={"stress": 0.6}, dataset="roll")
    study = make_study(("gp", "roll"), published=published)
    figure = curves(study, metrics=["r2_affine", "stress"])
    # One row of panels per dataset, one panel per metric
    (line,) = gids(figure, "published")["pca"]
    assert line.axes is figure.axes[3]


def test_each_dataset_has_a_row_of_panels(make_study):
    figure = curves(make_study(("gp", "swiss_roll")), metrics=["r2_affine", "stress", "seconds"])
    assert len(figure.axes) == 6
    tops = [round(axes.get_position().y1, 6) for axes in figure.axes]
    assert len(set(tops[:3])) == len(set(tops[3:])) == 1
    assert tops[0] > tops[3]
    assert figure.axes[1].get_ylabel() == "stress ↓"
    assert words(figure).count("swiss roll") == 1
    assert [text for text in words(figure) if len(text) == 1] == list("abcdef")


def test_different_sample_sizes_are_not_averaged(make_study):
    study = make_study()
    twice = pd.concat([study.table, study.table.assign(**{"data.n_samples": 99, "data_cell": "b"})])
    points = summarize(replace(study, table=twice), "r2_affine", X)
    assert set(points["row"]) == {"gp, n_samples = 50", "gp, n_samples = 99"}
    assert (points["n_trials"] == 3).all()


def test_a_method_without_the_parameter_is_constant(make_study):
    study = make_study(sizes=(10,), trials=4)
    neighbors = (5 + study.table["trial"] % 2).astype(str).where(study.table["method"] != "pca", "")
    study = replace(study, table=study.table.assign(**{"method.n_neighbors": neighbors}))
    points = summarize(study, "r2_affine", "method.n_neighbors").set_index("method")
    assert points.loc["pca", "x"].tolist() == [5, 6]
    assert points.loc["pca", "n_trials"].tolist() == [4, 4]
    assert points.loc["pca", "center"].nunique() == 1
    assert points.loc["ikd", "n_trials"].tolist() == [2, 2]


def test_lines_of_one_method_differ_in_shade_and_marker(make_study):
    study = make_study(sizes=(10, 20), trials=2)
    kernel = study.table["trial"].map({0: "se", 1: "rq"}).where(study.table["method"] == "ikd", "")
    study = replace(study, table=study.table.assign(**{"method.kernel": kernel}))
    lines = gids(curves(study, metrics=["r2_affine"]), "ours")
    one, other = lines["IKD, kernel = se"][0], lines["IKD, kernel = rq"][0]
    assert one.get_color() == study.looks["ikd"].color
    assert other.get_color() == style.mixed(study.looks["ikd"].color, "black", 0.45)
    assert one.get_marker() != other.get_marker()


def test_names_do_not_overlap(make_study):
    methods = {f"method {i}": f"method {i}" for i in range(14)}
    study = make_study(methods=methods)
    same = replace(study, table=study.table.assign(r2_affine=0.5))
    figure = curves(same, metrics=["r2_affine"])
    assert len(gids(figure, "name")) == 14
    assert not find_faults(figure)
