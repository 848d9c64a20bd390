"""Kernel matrices of a three-dimensional latent."""

from dataclasses import replace

import numpy as np

from nldr.dataset import Dataset
from nldr.figures.covariance import covariances


def test_matrices_are_the_kernels_of_the_latent(make_study):
    Z = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0]])
    study = replace(make_study(sizes=(10,)), panel=lambda d, m: (Dataset(X=Z, Z=Z), None))
    figure = covariances(study, length_scale=0.5)
    images = [axes.images[0].get_array() for axes in figure.axes if axes.images]
    assert len(images) == 4
    d = np.array([4.0, 16.0])
    np.testing.assert_allclose(images[0][0, 1:], np.exp(-d / 2))
    np.testing.assert_allclose(images[1][0, 1:], 1 / (1 + d / 2))
    np.testing.assert_allclose(images[2][0, 1:], np.exp(-np.sqrt(d)))
    np.testing.assert_allclose(images[3][0, 1:], (1 + np.sqrt(3 * d)) * np.exp(-np.sqrt(3 * d)))
