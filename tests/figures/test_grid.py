"""Panels by rows and columns, shared axes and published curves."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sheets import words

from nldr.figures.grid import grid

X = "data.n_features"


@pytest.fixture
def mismatch(make_study):
    """Return a study of two methods, of which one has a kernel parameter."""
    study = make_study(methods={"ikd": "IKD", "pca": "PCA"}, trials=2)
    both = []
    for kernel in ("se", "matern"):
        rows = study.table[(study.table["method"] == "ikd") | (kernel == "se")].copy()
        rows["method.kernel"] = np.where(rows["method"] == "ikd", kernel, "")
        rows.loc[rows["method"] == "ikd", "method_cell"] = f"ikd@kernel={kernel}"
        rows["r2_affine"] += 0.01 * (kernel == "matern")
        both.append(rows)
    table = pd.concat(both, ignore_index=True)
    return make_study(methods={"ikd": "IKD", "pca": "PCA"}, table=table)


def lines(axes, prefix="ours:"):
    return {
        line.get_gid().removeprefix(prefix): line.get_ydata()
        for line in axes.lines
        if (line.get_gid() or "").startswith(prefix)
    }


def test_methods_are_in_all_columns_without_the_parameter_and_published_curves_in_theirs(
    mismatch, make_published
):
    theirs = make_published(("ikd",), (10, 100, 10), {"r2_affine": 0.0}, np.nan)
    theirs = theirs.assign(value=[0.3, 0.4, 0.9], data_cell=np.nan, method_cell=np.nan)
    theirs["method.kernel"] = ["se", "se", "other"]
    study = replace(mismatch, published=theirs)
    figure = grid(study, x=X, columns="method.kernel", metrics=["r2_affine"])
    assert len(figure.axes) == 2
    first, second = map(lines, figure.axes)
    assert set(first) == set(second) == {"IKD", "PCA"}
    np.testing.assert_array_equal(first["PCA"], second["PCA"])
    np.testing.assert_allclose(second["IKD"] - first["IKD"], 0.01)
    first, second = (lines(axes, "published:") for axes in figure.axes)
    np.testing.assert_array_equal(first["ikd"], [0.3, 0.4])
    assert second == {}


def test_failures_are_named_in_the_last_column_only(make_study):
    study = make_study(status=lambda m, n, t: "timeout" if (m, n) == ("pca", 1000) else "ok")
    figure = grid(study, x=X)
    strips = [axes for axes in figure.axes if "failed" in words(axes)]
    named = ["PCA" in words(strip) for strip in strips]
    assert named == [False, True]


def test_lines_that_the_last_column_lacks_are_in_the_legend(make_study):
    study = make_study(sizes=(10, 20), trials=1)
    table = study.table.assign(**{"method.kernel": "se"})
    both = pd.concat([table, table.assign(**{"method.kernel": "rq"})], ignore_index=True)
    both["method_cell"] += both["method.kernel"]
    kept = (both["method"] != "pca") | (both["method.kernel"] == "se")
    study = replace(study, table=both[kept])
    figure = grid(study, x="data.n_features", columns="method.kernel", metrics=["r2_affine"])
    ends = {text for axes in figure.axes for text in words(axes)}
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["PCA"]
    assert ends == {"t-SNE", "IKD", "random"}


@pytest.mark.parametrize(
    ("value", "label", "heading"),
    [
        ("gamma_exponential", None, "kernel: γ-exponential"),
        ("gamma_exponential", "inference kernel", "inference kernel: γ-exponential"),
        (True, None, "kernel: yes"),
        (False, None, "kernel: no"),
    ],
)
def test_headings_name_the_parameter(make_study, value, label, heading):
    study = make_study(sizes=(10, 20), trials=1)
    study = replace(study, table=study.table.assign(**{"method.kernel": value}))
    params = {"x": X, "columns": "method.kernel", "metrics": ["r2_affine"]}
    figure = grid(study, **params | ({"column_label": label} if label else {}))
    assert heading in words(figure)


def test_labels_of_axes_are_clear_of_numbers_and_neighbors(make_study):
    study = make_study(sizes=(10, 100))
    study.metrics["r2_affine"]["label"] = "a label that is so long that it breaks into two lines"
    study.table["stress"] /= 1e4
    figure = grid(study, x="data.n_features", metrics=["r2_affine", "stress", "seconds"])
    figure.draw_without_rendering()
    boxes = [axes.get_window_extent() for axes in figure.axes]
    for axes in figure.axes:
        label = axes.yaxis.label.get_window_extent()
        numbers = [text.get_window_extent() for text in axes.get_yticklabels() if text.get_text()]
        assert not any(label.overlaps(box) for box in [*numbers, *boxes])
        assert label.x0 >= 0
