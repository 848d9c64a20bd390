"""Order of the matrices, and areas under the ROC curve."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sheets import words

from nldr.dataset import Dataset
from nldr.figures.adjacency import adjacency, kernel_matrix


@pytest.fixture
def study(make_study, rng):
    y = np.arange(60) % 3
    data = Dataset(X=rng.normal(size=(60, 5)) + 100 * y[:, np.newaxis], y=y)
    base = make_study(methods={"pca": "PCA", "tsne": "t-SNE"}, sizes=(10,), trials=1)
    embedded = {"pca": data.X[:, :2], "tsne": rng.normal(size=(60, 2))}
    return replace(base, panel=lambda d, m: (data, embedded.get(m)))


def test_matrices_are_ordered_by_label_and_areas_tell_separated_classes_from_noise(study):
    figure = adjacency(study)
    images = [axes.images[0].get_array() for axes in figure.axes if axes.images]
    assert len(images) == 4
    np.testing.assert_array_equal(images[0], np.kron(np.eye(3), np.ones((20, 20))))
    assert images[1][:20, :20].min() > images[1][:20, 20:].max()
    # The numbers below each matrix: of all pairs, and of the largest class
    values = [re.match(r"AUC ([\d.]+), largest class ([\d.]+)", text) for text in words(figure)]
    areas = [(float(match[1]), float(match[2])) for match in values if match]
    assert areas[:3] == [(1, 1)] * 3
    assert areas[3] == pytest.approx((0.5, 0.5), abs=0.1)


def test_length_scale_is_the_median_distance_of_marked_pairs():
    points = np.array([[0.0], [1.0], [10.0], [13.0]])
    same = np.kron(np.eye(2), np.ones((2, 2))).astype(bool)
    expected = np.exp(-0.5 * (np.abs(points - points.T) / 2.0) ** 2)
    np.testing.assert_allclose(kernel_matrix(points, same), expected)
