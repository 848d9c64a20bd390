"""One panel per metric with one curve per kind of damage."""

import numpy as np
import pytest

from nldr.figures.damage import damage

X = "method.amount"


@pytest.fixture
def study(make_study):
    base = make_study(methods={"noise": "noise", "shuffle": "shuffle"}, sizes=(10, 100, 1000))
    base.table[X] = base.table["data.n_features"] / 1000
    base.table["data_cell"] = base.timings["data_cell"] = "gp"
    base.table["method_cell"] += base.table[X].astype(str)
    return base


def test_each_metric_has_a_panel_with_its_better_end_and_a_line_per_kind_of_damage(study):
    figure = damage(study)
    assert len(figure.axes) == len(study.metrics)
    for axes, metric in zip(figure.axes, study.metrics, strict=True):
        for line in axes.lines:
            rows = study.table[study.table["method"] == line.get_gid().removeprefix("ours:")]
            np.testing.assert_allclose(line.get_ydata(), rows.groupby(X)[metric].mean())
        assert len(axes.lines) == 2
        is_above = axes.texts[0].get_va() == "top"
        assert is_above == (study.metrics[metric]["direction"] == "higher")
