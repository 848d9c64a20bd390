from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sheets import words

from nldr.figures.ellipses import NAME, NOTE, draw_ellipses
from nldr.figures.gallery import gallery


def test_ellipses_bound_the_squared_distance_of_two_deviations(rng):
    factor = rng.standard_normal((2, 2))
    covariance = factor @ factor.T
    figure, axes = plt.subplots()
    draw_ellipses(axes, np.array([[3.0, 4.0]]), covariance[None], ["black"])
    collections = axes.collections[0]
    # Points on the ellipse, from its widths, heights and angle
    turn = np.radians(collections.get_angles()[0])
    axis = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    t = np.linspace(0, 6, 9)
    halves = collections.get_widths()[0] / 2, collections.get_heights()[0] / 2
    points = axis @ np.array([halves[0] * np.cos(t), halves[1] * np.sin(t)])
    distances = (points * np.linalg.solve(covariance, points)).sum(axis=0)
    np.testing.assert_allclose(distances, 4.0)
    np.testing.assert_array_equal(collections.get_offsets(), [[3.0, 4.0]])
    plt.close(figure)


@pytest.mark.parametrize(("n_known", "drawn"), [(50, True), (49, False)])
def test_panels_show_covariances_of_all_points_only(make_study, n_known, drawn):
    recorded = np.tile(np.eye(2), (n_known, 1, 1))
    study = make_study(methods={"pca": "PCA", "ikd": "IKD"}, sizes=(10,), trials=1)
    histories = {("pca", NAME): recorded}
    figure = gallery(replace(study, history=lambda *names: histories.get(names[1:])))
    ellipses = [c for axes in figure.axes for c in axes.collections if c.get_gid() == "ellipses"]
    assert len(ellipses) == drawn
    assert any(NOTE in text for text in words(figure)) == drawn
    plt.close(figure)
