"""Whether there are groups in the data."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

import nldr
from nldr.comparison.groups import look_for_groups
from nldr.datasets import swiss_roll


def test_groups_are_compared_with_none(rng):
    centers = np.eye(3, 6)[np.arange(120) % 3]
    grouped = nldr.compare(9 * centers + rng.normal(size=(120, 6)), methods=["pca"])
    assert grouped.groups.count == 3
    assert "fall into at least 3 groups" in str(grouped)
    none = nldr.compare(rng.normal(size=(120, 6)), methods=["pca"])
    assert not none.groups.are_real
    assert "no clear gaps" in str(none)
    assert "There may still be groups" in " ".join(str(none).split())


def test_groups_of_few_or_repeated_rows(rng):
    few = rng.normal(size=(20, 5)) + np.repeat([[0], [100]], 10, axis=0)
    assert look_for_groups(few).count == 2
    assert "by a factor of over 1000 at the widest gap" in look_for_groups(few).words
    copies = np.repeat(rng.normal(size=(3, 4)), 40, axis=0)
    assert not look_for_groups(copies).are_real
    assert (
        "It is unknown whether there are groups: most rows repeat others"
        in look_for_groups(copies).words
    )


def test_parts_of_the_graph_are_not_denied():
    points = np.random.default_rng(2).normal(size=(120, 20))
    points[:24, 0] += 8
    groups = look_for_groups(points)
    assert (groups.are_real, groups.parts) == (False, 2)
    assert "unclear whether there are groups: the graph of 10 neighbors falls" in groups.words


@pytest.mark.parametrize("seed", range(1, 4))
def test_two_normals_are_told_apart(seed):
    points = np.random.default_rng(seed).normal(size=(120, 6))
    assert "a clear gap needs 4.5" in look_for_groups(points).words
    points[:60, 0] += 6
    assert look_for_groups(points).count == 2


@pytest.mark.parametrize("seed", range(3))
def test_the_shape_of_data_is_no_gap(seed):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 6.28, 400)
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.05 * rng.normal(size=(400, 2))
    roll = swiss_roll(n_samples=600, height=30, noise=0.1, rng=rng).X
    in_ten = np.hstack([circle, np.zeros((400, 8))]) + 0.1 * rng.normal(size=(400, 10))
    assert not look_for_groups(circle).are_real
    assert not look_for_groups(in_ten).are_real
    assert not look_for_groups(roll).are_real
    moons = make_moons(400, noise=0.05, random_state=seed)[0]
    assert look_for_groups(moons).count == 2
