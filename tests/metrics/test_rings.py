"""Rings of rotating objects: closed, torn, undefined."""

import numpy as np
import pytest

from nldr.dataset import Dataset
from nldr.metrics.rings import is_torn, rings


def circle(angles):
    return np.column_stack([np.cos(angles), np.sin(angles)])


def turning(n_objects, n_poses):
    """Return objects on a turntable, and the angle of each row."""
    angles = np.tile(2 * np.pi * np.arange(n_poses) / n_poses, n_objects)
    labels = np.repeat(np.arange(n_objects), n_poses)
    return Dataset(X=np.zeros((len(angles), 3)), Z=circle(angles), y=labels), angles


def cut(n_poses, gap):
    """Return poses on a circle with a chord of length ``gap``, in units of its diameter."""
    angles = np.linspace(0, 2 * np.pi - 2 * np.arcsin(gap), n_poses)
    return circle(angles)


def test_share_of_closed_rings():
    data, angles = turning(n_objects=4, n_poses=72)
    embedding = circle(angles) * 3 + 10 * np.asarray(data.y)[:, None]
    assert rings(data, embedding) == {"rings_closed": 1.0}
    # One object on a half circle, whose ends are apart
    embedding[:72] = circle(angles[:72] / 2)
    assert rings(data, embedding) == {"rings_closed": 0.75}


def test_longest_step_is_a_quarter_of_the_diameter():
    assert not is_torn(cut(200, 0.24))
    assert is_torn(cut(200, 0.26))


def test_rows_may_be_in_any_order_and_without_labels_there_is_one_object(rng):
    data, angles = turning(n_objects=2, n_poses=40)
    order = rng.permutation(80)
    assert rings(data.rows(order), circle(angles)[order]) == {"rings_closed": 1.0}
    data, angles = turning(n_objects=1, n_poses=50)
    assert rings(Dataset(X=data.X, Z=data.Z), circle(angles)) == {"rings_closed": 1.0}


def test_random_points_and_collapsed_rings_are_torn(rng):
    data, _ = turning(n_objects=5, n_poses=72)
    assert rings(data, rng.standard_normal((360, 2))) == {"rings_closed": 0.0}
    assert rings(data, np.ones((360, 2))) == {"rings_closed": 0.0}


def test_thirteen_poses_are_enough_for_a_closed_circle():
    data, angles = turning(n_objects=2, n_poses=13)
    assert rings(data, circle(angles)) == {"rings_closed": 1.0}
    data, angles = turning(n_objects=2, n_poses=12)
    assert is_torn(circle(angles[:12]))
    assert np.isnan(rings(data, circle(angles))["rings_closed"])


@pytest.mark.parametrize("Z", [None, np.arange(40.0)[:, None], np.ones((40, 2))])
def test_data_without_poses_have_no_score(Z):
    data = Dataset(X=np.zeros((40, 2)), Z=Z)
    assert np.isnan(rings(data, np.zeros((40, 2)))["rings_closed"])
