"""Matrices are ordered by label, and the number below says how well they tell labels apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from nldr.dataset import DataSet
from nldr.figures.adjacency import adjacency, kernel_matrix


@pytest.fixture
def study(make_study):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    data = DataSet(X=rng.normal(size=(60, 5)) + 100 * y[:, np.newaxis], y=y)
    made = make_study(methods={"pca": "PCA", "tsne": "t-SNE"}, sizes=(10,), trials=1)
    embedded = {"pca": data.X[:, :2], "tsne": rng.normal(size=(60, 2))}
    return replace(made, panel=lambda d, m: (data, embedded.get(m)))


def test_matrices_are_ordered_by_label(study):
    images = [axes.images[0].get_array() for axes in adjacency(study).axes if axes.images]
    assert len(images) == 4
    np.testing.assert_array_equal(images[0], np.kron(np.eye(3), np.ones((20, 20))))
    assert images[1][:20, :20].min() > images[1][:20, 20:].max()


def test_areas_tell_what_is_seen_from_chance(study):
    areas = [float(t.get_text()[4:]) for t in adjacency(study).texts if "AUC" in t.get_text()]
    assert areas[:3] == [1, 1, 1]
    assert areas[3] == pytest.approx(0.5, abs=0.06)


def test_length_scale_is_the_median_distance_of_what_belongs_together():
    points = np.array([[0.0], [1.0], [10.0], [13.0]])
    same = np.kron(np.eye(2), np.ones((2, 2))).astype(bool)
    expected = np.exp(-0.5 * (np.abs(points - points.T) / 2.0) ** 2)
    np.testing.assert_allclose(kernel_matrix(points, same), expected)


def test_data_without_labels_are_refused(make_study):
    with pytest.raises(ValueError, match="one data set with labels"):
        adjacency(make_study(sizes=(10,)))
