from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from nldr.figures.training import training

METHODS = {"pca": "PCA", "tsne": "t-SNE", "ikd": "t-SNE, slow"}
LOSSES = {"tsne": np.array([3.0, 2.0, 1.5]), "ikd": np.array([3.0, 2.5])}


@pytest.fixture
def study(make_study):
    made = make_study(("gp", "swiss_roll"), methods=METHODS, sizes=(10,))
    return replace(made, history=lambda d, m, name: LOSSES.get(m) if name == "loss" else None)


def plots(figure):
    return [axes for axes in figure.axes if axes.get_xlabel() == "epoch"]


def test_a_plot_for_each_data_set_has_the_losses_of_what_was_trained(study):
    figure = training(study, history="loss", label="loss")
    assert len(plots(figure)) == 2
    for axes in plots(figure):
        assert [line.get_gid() for line in axes.lines] == ["loss:t-SNE", "loss:t-SNE, slow"]
        for line, values in zip(axes.lines, LOSSES.values(), strict=True):
            np.testing.assert_array_equal(line.get_ydata(), values)
            np.testing.assert_array_equal(line.get_xdata(), np.arange(len(values)) + 1)
        assert axes.get_ylabel() == "loss"
        assert {text.get_text() for text in axes.texts} == {"t-SNE", "t-SNE, slow"}


def test_plots_stand_below_the_panels_and_above_the_note(study):
    figure = training(study, history="loss")
    panels = [axes for axes in figure.axes if axes not in plots(figure) and axes.axison]
    lowest = min(axes.get_position().y0 for axes in panels)
    (note,) = (text for text in figure.texts if text.get_text().startswith("First trial"))
    assert all(axes.get_position().y1 < lowest for axes in plots(figure))
    assert all(axes.get_position().y0 > note.get_position()[1] for axes in plots(figure))


def test_names_leave_out_what_all_share(make_study):
    methods = {"a": "network, sgd, deep", "b": "network, adam, deep"}
    made = make_study(methods=methods, sizes=(10,))
    figure = training(replace(made, history=lambda d, m, name: np.arange(3.0)))
    assert [text.get_text() for text in plots(figure)[0].texts] == ["sgd", "adam"]


def test_without_histories_there_are_only_the_panels(make_study):
    assert not plots(training(make_study(sizes=(10,))))
