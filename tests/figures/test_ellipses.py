import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from nldr.dataset import Dataset
from nldr.figures import style
from nldr.figures.ellipses import NAME, NOTE, draw_ellipses
from nldr.figures.gallery import gallery
from nldr.figures.results import StudyResults


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
    local = [
        collections.get_widths()[0] / 2 * np.cos(t),
        collections.get_heights()[0] / 2 * np.sin(t),
    ]
    points = axis @ np.array(local)
    distances = (points * np.linalg.solve(covariance, points)).sum(axis=0)
    np.testing.assert_allclose(distances, 4.0)
    np.testing.assert_array_equal(collections.get_offsets(), [[3.0, 4.0]])
    plt.close(figure)


@pytest.mark.parametrize(("n_known", "drawn"), [(3, True), (2, False)])
def test_panels_show_covariances_of_all_points_only(n_known, drawn):
    table = pd.DataFrame(
        {
            "dataset": "d",
            "data_cell": "d",
            "method": ["a", "b"],
            "method_cell": ["a", "b"],
            "trial": 0,
            "ok": True,
            "status": "ok",
        }
    )
    line = Dataset(X=np.eye(3), Z=np.arange(3.0)[:, None])
    known = np.tile(np.eye(2), (n_known, 1, 1))
    results = StudyResults(
        title="Lines",
        methods={"a": "A", "b": "B"},
        roles={},
        looks={"a": style.look("#000", "o")},
        datasets={"d": "D"},
        metrics={},
        table=table,
        timings=table,
        published=None,
        panel=lambda data, method: (line, np.eye(3)[:, :2]),
        history=lambda *names: known if names[1:] == ("a", NAME) else None,
    )
    figure = gallery(results)
    ellipses = [c for axes in figure.axes for c in axes.collections if c.get_gid() == "ellipses"]
    assert len(ellipses) == drawn
    assert any(NOTE in text.get_text().replace("\n", " ") for text in figure.texts) == drawn
    plt.close(figure)
