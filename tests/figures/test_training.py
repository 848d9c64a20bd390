"""Plots of training losses below a gallery."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sheets import words

from nldr.figures.training import training

METHODS = {"pca": "PCA", "tsne": "t-SNE", "ikd": "t-SNE, slow"}
LOSSES = {"tsne": np.array([3.0, 2.0, 1.5]), "ikd": np.array([3.0, 2.5])}


@pytest.fixture
def study(make_study):
    base = make_study(("gp", "swiss_roll"), methods=METHODS, sizes=(10,))
    return replace(base, history=lambda d, m, name: LOSSES.get(m) if name == "loss" else None)


def plots(figure):
    return [axes for axes in figure.axes if axes.get_xlabel() == "epoch"]


def test_each_dataset_has_a_plot_of_losses(study):
    figure = training(study, history="loss", label="loss")
    assert len(plots(figure)) == 2
    for axes in plots(figure):
        assert [line.get_gid() for line in axes.lines] == ["loss:t-SNE", "loss:t-SNE, slow"]
        for line, values in zip(axes.lines, LOSSES.values(), strict=True):
            np.testing.assert_array_equal(line.get_ydata(), values)
            np.testing.assert_array_equal(line.get_xdata(), np.arange(len(values)) + 1)
        assert axes.get_ylabel() == "loss"
        assert set(words(axes)) == {"t-SNE", "t-SNE, slow"}


def test_names_leave_out_what_all_have_in_common(make_study):
    methods = {"a": "network, sgd, deep", "b": "network, adam, deep"}
    study = make_study(methods=methods, sizes=(10,))
    figure = training(replace(study, history=lambda d, m, name: np.arange(3.0)))
    assert words(plots(figure)[0]) == ["sgd", "adam"]


def test_lines_of_one_method_have_different_shades_of_its_color(make_study):
    study = make_study(methods={"tsne": "t-SNE", "ikd": "IKD"}, sizes=(10,), trials=1)
    again = study.table[study.table["method"] == "ikd"]
    tables = [study.table.assign(**{"method.rate": 1}), again.assign(**{"method.rate": 2})]
    study = replace(study, table=pd.concat(tables), history=lambda d, m, name: np.arange(3.0))
    (axes,) = plots(training(study))
    colors = {line.get_gid(): line.get_color() for line in axes.lines}
    assert len(set(colors.values())) == 3
    assert colors["loss:t-SNE"] == study.looks["tsne"].color
    assert colors["loss:IKD, rate = 1"] == study.looks["ikd"].color
