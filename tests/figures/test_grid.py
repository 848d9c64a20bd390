"""Panels by rows and columns, shared axes and published curves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

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
        for line in axes.lines if (line.get_gid() or "").startswith(prefix)
    }  # fmt: skip


def test_methods_without_the_parameter_are_in_all_columns(mismatch):
    figure = grid(mismatch, x=X, columns="method.kernel", metrics=["r2_affine"])
    assert len(figure.axes) == 2
    first, second = (lines(axes) for axes in figure.axes[:2])
    assert set(first) == set(second) == {"IKD", "PCA"}
    np.testing.assert_array_equal(first["PCA"], second["PCA"])
    np.testing.assert_allclose(second["IKD"] - first["IKD"], 0.01)


def test_panels_of_a_metric_share_their_limits(mismatch):
    figure = grid(mismatch, x=X, columns="method.kernel", metrics=["r2_affine"])
    assert len({axes.get_ylim() for axes in figure.axes}) == 1


def test_each_metric_has_a_column(make_study):
    study = make_study()
    figure = grid(study, x=X, metrics=["r2_affine", "seconds"])
    assert [axes.get_yscale() for axes in figure.axes[:2]] == ["linear", "log"]
    expected = study.table[study.table["method"] == "pca"].groupby(X)["r2_affine"].mean()
    np.testing.assert_allclose(lines(figure.axes[0])["PCA"], expected)


def test_published_curves_are_in_the_panels_of_their_parameters(mismatch):
    theirs = pd.DataFrame({
        "dataset": np.nan, "method": "ikd", "method.kernel": ["se", "se", "other"],
        X: [10.0, 100.0, 10.0], "metric": "r2_affine", "value": [0.3, 0.4, 0.9], "sd": np.nan,
        "data_cell": np.nan, "method_cell": np.nan,
    })  # fmt: skip
    study = replace(mismatch, published=theirs)
    figure = grid(study, x=X, columns="method.kernel", metrics=["r2_affine"])
    first, second = (lines(axes, "published:") for axes in figure.axes[:2])
    np.testing.assert_array_equal(first["ikd"], [0.3, 0.4])
    assert second == {}


def test_headings_of_a_true_or_false_parameter_name_it(mismatch):
    table = mismatch.table[mismatch.table["method"] == "ikd"].copy()
    table["method.kernel"] = table["method.kernel"] == "se"
    study = replace(mismatch, table=table, methods={"ikd": "IKD"})
    figure = grid(study, x=X, columns="method.kernel", metrics=["r2_affine"])
    assert {"kernel: yes", "kernel: no"} <= {text.get_text() for text in figure.texts}


def test_unknown_parameter_raises(mismatch):
    with pytest.raises(ValueError, match=r"'method\.kernl': no such column; choose from"):
        grid(mismatch, x=X, columns="method.kernl", metrics=["r2_affine"])


def test_failures_are_named_in_the_last_column_only(make_study):
    study = make_study(status=lambda m, n, t: "timeout" if (m, n) == ("pca", 1000) else "ok")
    figure = grid(study, x=X)
    strips = [axes for axes in figure.axes if "failed" in [t.get_text() for t in axes.texts]]
    named = ["PCA" in [text.get_text() for text in strip.texts] for strip in strips]
    assert named == [False, True]
