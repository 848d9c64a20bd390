"""Paired differences, their intervals, and the sentences about them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from nldr.figures.differences import differences, interval, paired
from nldr.figures.style import find_note

OPTIONS = {"parameter": "method.graph", "reference": "none", "metrics": ["r2_affine"]}


@pytest.fixture
def graphs(make_study, rng):
    """Return a study of one method with three values of a parameter and two of another."""
    study = make_study(datasets=("gp", "swiss_roll"), methods={"ikd": "IKD"}, sizes=(10,))
    tables = []
    for graph in ("none", "near", "far"):
        for width in (1, 2):
            name = f"ikd@graph={graph}@width={width}"
            cell = {"method_cell": name, "method.graph": graph, "method.width": width}
            tables.append(study.table.assign(**cell, r2_affine=rng.uniform(size=6)))
    return replace(study, table=pd.concat(tables, ignore_index=True))


def marks(axes):
    return [float(line.get_xdata()[0]) for line in axes.lines if line.get_gid() == "difference"]


def scores(study, graph, width, dataset="gp"):
    table = study.table
    rows = (table["method.graph"] == graph) & (table["method.width"] == width)
    return table.loc[rows & (table["dataset"] == dataset), "r2_affine"].to_numpy()


def test_dots_are_mean_paired_differences_with_their_intervals(graphs):
    figure = differences(graphs, **OPTIONS)
    assert len(figure.axes) == 3  # one block per dataset, and their mean
    expected = [
        (scores(graphs, graph, width) - scores(graphs, "none", width)).mean()
        for graph in ("near", "far")
        for width in (1, 2)
    ]
    assert marks(figure.axes[0]) == pytest.approx(expected)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["width = 1", "width = 2"]
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["near − none", "far − none"]
    # Intervals are those of the paired t-test
    one, two = scores(graphs, "near", 1), scores(graphs, "none", 1)
    expected = ttest_rel(one, two).confidence_interval(0.95)
    assert interval(one - two)[1:] == pytest.approx((expected.low, expected.high))
    bars = [line.get_xdata() for line in figure.axes[0].lines if line.get_marker() == "None"]
    assert any(np.allclose(bar, expected) for bar in bars)


def test_interval_of_few_values():
    assert np.isnan(interval([])).all()
    assert interval([0.5, np.nan])[0] == 0.5
    assert np.isnan(interval([0.5, np.nan])[1:]).all()


def test_failed_trials_have_no_difference(graphs):
    table = graphs.table.copy()
    table.loc[table["method_cell"] == "ikd@graph=none@width=1", "ok"] = False
    pairs = paired(replace(graphs, table=table), "r2_affine", "method.graph", "none")
    assert pairs["difference"].isna().equals(pairs["line"] == "width = 1")
    figure = differences(replace(graphs, table=table), **OPTIONS)
    failed = [line for line in figure.axes[0].lines if line.get_gid() == "failed"]
    assert len(failed) == 2
    assert len(marks(figure.axes[0])) == 2


def test_last_row_is_the_mean_over_settings_that_have_all_trials(graphs):
    table = graphs.table.copy()
    lost = (table["method_cell"] == "ikd@graph=near@width=1") & (table["trial"] == 0)
    table.loc[lost & (table["dataset"] == "gp"), "ok"] = False
    study = replace(graphs, table=table)
    figure = differences(study, **OPTIONS)
    complete = [(2, "gp"), (1, "swiss_roll"), (2, "swiss_roll")]
    each = [
        scores(study, "near", width, name) - scores(study, "none", width, name)
        for width, name in complete
    ]
    assert marks(figure.axes[-1])[0] == pytest.approx(np.mean(each))
    pairs = paired(study, "r2_affine", "method.graph", "none")
    groups = pairs.groupby(["value", "row", "line"])["difference"]
    bounds = [interval(group) for _, group in groups]
    above, below = sum(b[1] > 0 for b in bounds), sum(b[2] < 0 for b in bounds)
    assert f"{above} of 8 intervals are above 0, {below} below (about 0.4" in find_note(figure)


def test_single_trial_has_no_interval(graphs):
    study = replace(graphs, table=graphs.table[graphs.table["trial"] == 0])
    figure = differences(study, parameter="method.graph", reference="none")
    assert "0 of 0 intervals are above 0" in find_note(figure)
