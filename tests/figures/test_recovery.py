"""Recovered latents after affine alignment."""

import numpy as np
import pytest
from sheets import words

from nldr.figures.recovery import align, recovery
from nldr.metrics.alignment import r2_affine


def test_alignment_agrees_with_r2(rng):
    Z, embedding = rng.normal(size=(50, 3)), rng.normal(size=(50, 2))
    left = ((Z - align(Z, embedding)) ** 2).sum(axis=0) / ((Z - Z.mean(axis=0)) ** 2).sum(axis=0)
    assert 1 - left.mean() == pytest.approx(r2_affine(Z, embedding))


def test_rows_are_coordinates_and_columns_are_methods(make_study):
    study = make_study(methods={"pca": "PCA", "ikd": "IKD"}, sizes=(10,), trials=1)
    figure = recovery(study, n_points=7)
    Z, embedding = study.panel("", "pca")[0].Z, study.panel("", "pca")[1]
    assert len(figure.axes) == 4
    truth, result = figure.axes[1].lines
    np.testing.assert_array_equal(truth.get_ydata(), Z[:7, 1])
    np.testing.assert_allclose(result.get_ydata(), align(Z, embedding)[:7, 1])


def test_failed_methods_are_crossed_out(make_study):
    study = make_study(methods={"pca": "PCA"}, sizes=(10,), status=lambda m, n, t: "timeout")
    axes = recovery(study).axes[0]
    assert words(axes) == ["✕ timeout"]
    assert [line.get_gid() for line in axes.lines] == ["truth"]
