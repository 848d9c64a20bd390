"""Exponents, their table, and the times of others."""

from dataclasses import replace

import numpy as np
import pytest
from sheets import words

from nldr.figures.results import NO_BREAK
from nldr.figures.scaling import scaling

X = "data.n_features"
METRICS = ("seconds", "r2_affine")


def with_exponents(study, exponents):
    """Return the study with seconds that are a power of the size."""
    power = study.table["method"].map(exponents).astype(float)
    seconds = study.table[X].astype(float) ** power
    return replace(study, timings=study.timings.assign(seconds=seconds.to_numpy()))


def artists(axes, first):
    return [a for a in axes.get_children() if (a.get_gid() or "").startswith(f"{first}:")]


@pytest.mark.parametrize("sizes", [(10, 100, 200, 1000), (10, 20, 100, 200, 1000)])
def test_exponents_are_drawn_and_tabulated_with_the_scores_at_the_largest_size(make_study, sizes):
    exponents = {"pca": 1.0, "tsne": 2.0, "ikd": 2.5, "random": 0.0}
    study = with_exponents(make_study(sizes=sizes, trials=1), exponents)
    figure = scaling(study, x=X, metrics=METRICS)
    shown = {text.replace("-0.00", "0.00").replace(NO_BREAK, " ") for text in words(figure)}
    for method, title in study.methods.items():
        power = exponents[method]
        interval = f" ({power:.2f} to {power:.2f})" if len(sizes) == 5 else ""
        assert {title, f"{power:.2f}{interval}"} <= shown
    rows = study.table[(study.table["method"] == "ikd") & (study.table[X] == 1000)]
    assert f"{rows['r2_affine'].item():.2g} (n = 1000)" in shown
    fits = artists(figure.axes[0], "fit")
    assert len(fits) == 4
    x, y = fits[2].get_data()
    assert np.log(y[1] / y[0]) / np.log(x[1] / x[0]) == pytest.approx(2.5)
    assert not artists(figure.axes[1], "fit")


def test_small_sizes_are_not_fitted(make_study):
    study = make_study(sizes=(10, 100, 1000, 2000), trials=1)
    figure = scaling(study, x=X, metrics=METRICS, fit_from={"seconds": 100})
    assert min(artists(figure.axes[0], "fit")[0].get_xdata()) == 100
    assert any("Sizes from 100 on are fitted." in text for text in words(figure))


@pytest.fixture
def foreign(make_study, make_published):
    """Return a function that makes a study with a published time of another method, and of ours."""

    def make(size, seconds):
        times = make_published(("other", "ikd"), (100,), {"seconds": 1.0}, None)
        times.loc[0, [X, "value"]] = size, seconds
        return make_study(trials=1, published=times.assign(data_cell=None, method_cell=None))

    return make


def test_times_of_others_are_marked_and_explained(foreign):
    study = foreign(100, 5e4)
    figure = scaling(study, x=X, metrics=METRICS)
    # The published time of a method of ours is a curve, not a mark
    (mark,) = artists(figure.axes[0], "foreign")
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (100, 5e4)
    assert figure.axes[0].get_ylim()[1] > 5e4
    assert any("1 other, 100 points in 50000 s" in text for text in words(figure))


def test_times_beyond_the_sizes_are_named_only(foreign):
    figure = scaling(foreign(5000, 10.0), x=X, metrics=METRICS)
    assert not artists(figure.axes[0], "foreign")
    assert any("(not shown) other" in text for text in words(figure))
