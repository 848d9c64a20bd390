"""Diffusion maps: a closed form on a circle, and diffusion distances by another way."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform

from nldr.methods import DiffusionMaps
from nldr.methods.spectral import diffusion
from nldr.neighborhoods.graphs import DisconnectedGraphWarning

ANGLES = 2 * np.pi * np.arange(60) / 60


def circle(angles):
    return np.column_stack([np.cos(angles), np.sin(angles)])


@pytest.mark.parametrize("alpha", [0, 1])
@pytest.mark.parametrize("time", [0, 2.5])
def test_circle_has_its_closed_form(alpha, time):
    maps = DiffusionMaps(4, bandwidth=0.3, alpha=alpha, time=time).fit(circle(ANGLES))
    # The matrix is circulant: its eigenvalues are the Fourier transform of a row
    row = np.exp(-(2 - 2 * np.cos(ANGLES)) / 0.3)
    values = [np.sum(row * np.cos(k * ANGLES)) / row.sum() for k in (1, 1, 2, 2)]
    assert_allclose(maps.eigenvalues_, values, rtol=1e-10)
    radii = np.linalg.norm(maps.embedding_[:, :2], axis=1)
    assert_allclose(radii, np.sqrt(2) * values[0] ** time, rtol=1e-10)
    # New points have the same functions, cos and sin, up to the error of the sum over the circle
    new = maps.transform(circle(ANGLES + 0.05))
    turn = np.array([[np.cos(0.05), -np.sin(0.05)], [np.sin(0.05), np.cos(0.05)]])
    forward, backward = maps.embedding_[:, :2] @ turn, maps.embedding_[:, :2] @ turn.T
    assert min(np.abs(new[:, :2] - way).max() for way in (forward, backward)) < 1e-6


@pytest.mark.parametrize(("alpha", "time"), [(0, 1), (0.5, 3), (1, 2)])
def test_distances_are_diffusion_distances(alpha, time, rng):
    X = rng.normal(size=(25, 3))
    maps = DiffusionMaps(24, alpha=alpha, time=time).fit(X)
    kernel = np.exp(-squareform(pdist(X, "sqeuclidean")) / maps.bandwidth_)
    density = kernel.sum(axis=0)
    kernel /= density[:, None] ** alpha * density**alpha
    steps = kernel / kernel.sum(axis=1, keepdims=True)
    stationary = kernel.sum(axis=0) / kernel.sum()
    after = np.linalg.matrix_power(steps, time) / np.sqrt(stationary)
    assert_allclose(pdist(maps.embedding_), pdist(after), rtol=1e-7)
    assert_allclose(maps.transform(X), maps.embedding_, atol=1e-7)


def test_iterative_and_dense_solvers_agree(rng, monkeypatch):
    X = rng.uniform(size=(200, 2)) * [3, 1]
    dense = DiffusionMaps(3).fit_transform(X)
    monkeypatch.setattr(diffusion, "DENSE_UP_TO", 0)
    assert_allclose(DiffusionMaps(3).fit_transform(X), dense, atol=1e-8)


def test_clusters_whose_eigenvalues_are_close_are_solved_by_the_dense_solver(rng, monkeypatch):
    X = np.concatenate([rng.normal(size=(40, 5)) + 8 * center for center in range(5)])
    dense = DiffusionMaps(3, n_neighbors=30).fit_transform(X)
    monkeypatch.setattr(diffusion, "DENSE_UP_TO", 0)
    monkeypatch.setattr(diffusion, "MOST_RESTARTS", 1)
    assert_allclose(DiffusionMaps(3, n_neighbors=30).fit_transform(X), dense, atol=1e-12)


def test_bandwidth_is_that_of_neighbors_and_far_new_rows_join_the_nearest():
    line = np.arange(50.0)[:, np.newaxis]
    maps = DiffusionMaps(1, n_neighbors=4).fit(line)
    assert maps.bandwidth_ == 4  # two neighbors on each side
    assert np.isfinite(maps.transform([[1e6]])).all()


def test_parts_out_of_reach_are_named_in_a_warning_to_the_caller(rng):
    X = np.concatenate([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 100])
    with pytest.warns(DisconnectedGraphWarning, match="does not reach all points") as record:
        DiffusionMaps(n_neighbors=5).fit(X)
    assert record[0].filename == __file__
