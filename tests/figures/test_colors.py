"""Colors of latent coordinates and labels."""

from itertools import combinations

import matplotlib
import numpy as np
import pytest
from sheets import color_difference

from nldr.dataset import Dataset
from nldr.figures import colors

X = np.zeros((100, 3))


def test_latent_takes_precedence_over_labels():
    latent, labels = np.linspace(0, 1, 100)[:, None], np.arange(100) % 2
    by_latent = colors.point_colors(Dataset(X=X, Z=latent, y=labels))
    by_label = colors.point_colors(Dataset(X=X, y=labels))
    plain = colors.point_colors(Dataset(X=X))
    assert [len(np.unique(c, axis=0)) for c in (by_latent, by_label, plain)] == [98, 2, 1]


def test_labels_take_precedence_where_classes_share_latent_points():
    pose = np.tile(np.linspace(0, 1, 25), 4)[:, None]
    objects = np.repeat(np.arange(4), 25)
    data = Dataset(X=X, Z=pose, y=objects)
    assert np.array_equal(colors.point_colors(data), colors.label_colors(4)[objects])
    # Repeated points of one class do not matter
    same_pose = Dataset(X=X, Z=pose, y=np.tile(np.arange(25), 4))
    assert len(np.unique(colors.point_colors(same_pose), axis=0)) == 25
    assert not colors.by_label(same_pose)


def test_one_latent_coordinate_of_any_scale_is_mapped_to_viridis():
    z = np.linspace(0, 1, 101)[:, None]
    data = Dataset(X=np.zeros((101, 1)), Z=1000 * z - 7)
    expected = matplotlib.colormaps["viridis"](np.clip((z[:, 0] - 0.01) / 0.98, 0, 1))[:, :3]
    assert np.abs(colors.point_colors(data) - expected).max() < 0.02


def test_a_constant_latent_has_one_color():
    assert len(np.unique(colors.point_colors(Dataset(X=X, Z=np.ones((100, 2)))), axis=0)) == 1


def test_labels_need_not_start_at_zero():
    colors_of_points = colors.point_colors(Dataset(X=X[:3], y=np.array([7, -1, 7])))
    assert np.array_equal(colors_of_points, colors.label_colors(2)[[1, 0, 1]])


@pytest.mark.parametrize("n_labels", [20, 33])
def test_every_label_has_its_own_color(n_labels):
    assert len(np.unique(colors.label_colors(n_labels), axis=0)) == n_labels


def test_ten_labels_are_distinct_in_normal_and_deuteranopic_vision():
    pairs = combinations(colors.label_colors(10), 2)
    assert min(color_difference(*pair) for pair in pairs) > 8
