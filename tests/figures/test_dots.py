import numpy as np
import pandas as pd
import pytest

from nldr.figures.dots import dots
from nldr.figures.results import Published


def marks(axes, filled=True):
    """Places of dots, ours or published, by row."""
    lines = [line for line in axes.lines if line.get_marker() == "o"]
    chosen = [line for line in lines if (line.get_markerfacecolor() != "white") == filled]
    return {int(line.get_ydata()[0]): float(line.get_xdata()[0]) for line in chosen}


def test_dots_are_means_and_bars_standard_deviations(make_study):
    study = make_study(sizes=(10,))
    figure = dots(study, metrics=["r2_affine"])
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == list(study.methods.values())
    values = study.table.groupby("method", sort=False)["r2_affine"]
    assert marks(axes) == pytest.approx(dict(enumerate(values.mean())))
    bars = [line.get_xdata() for line in axes.lines if line.get_marker() == "None"]
    widths = [bar[1] - bar[0] for bar in bars if len(bar) == 2 and bar[0] != bar[1]]
    np.testing.assert_allclose(sorted(widths), sorted(2 * values.std()))


def test_costs_are_medians_on_a_logarithmic_axis(make_study):
    study = make_study(sizes=(10,))
    (axes,) = dots(study, metrics=["seconds"]).axes
    assert axes.get_xscale() == "log"
    medians = study.timings.groupby("method", sort=False)["seconds"].median()
    assert marks(axes) == pytest.approx(dict(enumerate(medians)))


def test_each_data_set_is_a_block_and_blocks_share_their_axis(make_study):
    figure = dots(make_study(datasets=("gp", "swiss_roll"), sizes=(10,)))
    assert len(figure.axes) == 4
    upper, lower = figure.axes[:2]
    assert upper.get_xlim() == lower.get_xlim()
    assert upper.get_position().y0 > lower.get_position().y1
    assert {"gp", "swiss roll"} <= {text.get_text() for text in figure.texts}


def test_published_values_stand_beside_ours(make_study):
    table = pd.DataFrame({"data": ["GP", "GP"], "name": ["t-SNE", "pca"], "r2": [0.25, 0.5]})
    published = Published(table, {"data": "dataset", "name": "method"}, {"r2_affine": ["r2"]})
    figure = dots(make_study(sizes=(10,), published=published))
    assert marks(figure.axes[0], filled=False) == {0: 0.5, 1: 0.25}
    assert marks(figure.axes[1], filled=False) == {}
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["ours", "published"]


def test_published_values_may_go_by_a_parameter(make_study):
    table = pd.DataFrame({"data": "gp", "n": [10, 100], "r2": [0.25, 0.5]})
    published = Published(table, {"data": "dataset", "n": "data.n_features"}, {"r2_affine": ["r2"]})
    figure = dots(
        make_study(sizes=(10, 1000), methods={"ikd": "IKD"}, published=published),
        metrics=["r2_affine"],
    )
    assert [marks(axes, filled=False) for axes in figure.axes] == [{0: 0.25}, {}]


def test_a_failed_method_has_a_cross(make_study):
    study = make_study(sizes=(10,), status=lambda m, *_: "timeout" if m == "ikd" else "ok")
    figure = dots(study, metrics=["r2_affine"])
    crosses = [line for line in figure.axes[0].lines if line.get_marker() == "x"]
    assert [line.get_ydata()[0] for line in crosses] == [2]
    assert 2 not in marks(figure.axes[0])
    assert "failed" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_an_unknown_metric_is_an_error(make_study):
    with pytest.raises(ValueError, match="'speed' is neither in the study nor a cost"):
        dots(make_study(), metrics=["speed"])
