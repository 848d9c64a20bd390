from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist

from nldr.kernels import SquaredExponential
from nldr.methods.ikd._components import place_side_by_side, solve
from nldr.methods.ikd._coordinates import shortest_through, trilaterate

KERNEL = SquaredExponential()


def sparse_lengths(n_points, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.uniform(0, 10, (n_points, 2))
    lengths = cdist(Z, Z)
    lengths[lengths > 2.0] = np.inf
    return lengths


def test_paths_of_a_new_point_are_those_of_the_whole_graph():
    lengths = sparse_lengths(80)
    old = lengths[:-1, :-1]
    paths = shortest_path(np.where(np.isfinite(old), old, 0), directed=False)
    whole = shortest_path(np.where(np.isfinite(lengths), lengths, 0), directed=False)
    # Paths between old points may not run through the new one.
    expected = (lengths[-1:, :-1].T + paths).min(axis=0)
    assert_allclose(expected, whole[-1, :-1])
    assert_allclose(shortest_through(lengths[-1:, :-1], paths)[0], expected)


def test_paths_of_an_old_point_are_its_own():
    lengths = sparse_lengths(60)
    paths = shortest_path(np.where(np.isfinite(lengths), lengths, 0), directed=False)
    assert_allclose(shortest_through(lengths, paths), paths)


@pytest.mark.parametrize("threshold", [0.3, 0.9])
def test_trilateration_is_exact_where_similarities_are(threshold):
    rng = np.random.default_rng(0)
    Z, new = rng.uniform(-1, 1, (60, 3)), rng.uniform(-1, 1, (10, 3))
    similarity = KERNEL(cdist(new, Z, "sqeuclidean"))
    places = trilaterate(similarity, Z, np.zeros(60, dtype=int), KERNEL, threshold)
    assert_allclose(places, new, atol=1e-8)


def test_trilateration_keeps_to_the_part_of_the_most_similar_point():
    Z = np.vstack([np.eye(3), 50 + np.eye(3)])
    similarity = np.array([[0.9, 0.8, 0.7, 0.85, 0.85, 0.85]])
    place = trilaterate(similarity, Z, np.repeat([0, 1], 3), KERNEL, 0.3)
    assert np.abs(place).max() < 3


def test_trilateration_by_a_single_point_is_its_place():
    Z = np.array([[3.0, 4.0], [0.0, 0.0]])
    similarity = np.array([[0.9, 1e-3]])
    assert_allclose(trilaterate(similarity, Z, np.array([0, 1]), KERNEL, 0.3), Z[:1])


@pytest.mark.parametrize("reference", ["min_max", "min_mean", "center", 4])
def test_any_reference_solves_exact_distances_and_places_new_points(reference):
    rng = np.random.default_rng(1)
    Z, new = rng.normal(size=(30, 2)), rng.normal(size=(7, 2))
    part = solve(cdist(Z, Z, "sqeuclidean"), 2, reference)
    places = np.vstack([part.embedding, part.place(cdist(new, Z, "sqeuclidean"))])
    points = np.vstack([Z, new])
    assert_allclose(cdist(places, places), cdist(points, points), atol=1e-9)
    assert part.share == pytest.approx(1.0)
    origin = Z.mean(axis=0) if reference == "center" else Z[part.reference]
    assert_allclose(np.linalg.norm(part.embedding, axis=1), cdist([origin], Z)[0], atol=1e-9)


def test_references_are_the_rows_they_are_named_after():
    Z = np.array([-4.0, 4.5, 4.0, 3.9, 0.3, 4.2])[:, np.newaxis]
    distances = cdist(Z, Z, "sqeuclidean")
    assert solve(distances.copy(), 1, "min_max").reference == distances.max(axis=1).argmin() == 4
    assert solve(distances.copy(), 1, "min_mean").reference == distances.mean(axis=1).argmin() == 3


def test_share_is_what_the_embedding_leaves_of_the_squared_norm():
    Z = np.random.default_rng(0).normal(size=(40, 5))
    gram = (Z - Z.mean(axis=0)) @ (Z - Z.mean(axis=0)).T
    part = solve(cdist(Z, Z, "sqeuclidean"), 2, "center")
    left = np.linalg.norm(gram - part.embedding @ part.embedding.T) ** 2
    assert part.share == pytest.approx(1 - left / np.linalg.norm(gram) ** 2)


def test_parts_side_by_side_do_not_overlap():
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=(n, 2)) for n in (20, 10, 5, 1)]
    shifts = place_side_by_side(parts)
    assert shifts[0] == 0
    moved = [part[:, 0] + shift for part, shift in zip(parts, shifts, strict=True)]
    gaps = [b.min() - a.max() for a, b in pairwise(moved)]
    assert_allclose(gaps, 0.25 * np.ptp(parts[0][:, 0]))


def test_single_points_are_kept_apart():
    assert_array_equal(place_side_by_side([np.zeros((1, 2))] * 3), [0, 1, 2])
