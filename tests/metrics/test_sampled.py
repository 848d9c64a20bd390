"""Properties of metrics that use samples of pairs; test_peers compares their values."""

import numpy as np
import pytest

import nldr
import nldr.metrics._large
import nldr.metrics.density
import nldr.metrics.geodesic
import nldr.metrics.nonmetric
import nldr.metrics.persistence
import nldr.metrics.radii
import nldr.metrics.relative_ranks
import nldr.metrics.silhouette
import nldr.metrics.triplets
from nldr.metrics._sampled import all_or_random_pairs, squared_between
from nldr.metrics.geodesic import geodesic_spearman
from nldr.metrics.relative_ranks import mean_relative_rank_errors
from nldr.metrics.triplets import _triplets

# Value of a perfect map, and of one that is a single point
ENDS = {
    "random_triplet_accuracy": (1, 0.5),
    "centroid_triplet_accuracy": (1, 0.5),
    "nonmetric_stress": (0, np.nan),
    "radius_spearman_k15": (1, np.nan),
    "persistence_distance": (0, np.nan),
    "distance_consistency": (None, 0.25),
    "label_trustworthiness": (1, None),
    "label_continuity": (1, 1),
    "class_angular_distortion": (0, None),
    "mrre_false_k10": (0, None),
    "mrre_missing_k10": (0, None),
    "dimension_difference": (0, None),
    "geodesic_spearman_k10": (None, np.nan),
    "steadiness": (1, np.nan),
    "cohesiveness": (1, np.nan),
}


@pytest.fixture
def points(rng):
    """Return points of four classes."""
    y = np.arange(120) % 4
    return 4 * rng.normal(size=(4, 5))[y] + rng.normal(size=(120, 5)), y


@pytest.mark.parametrize("metric", ENDS)
@pytest.mark.filterwarnings("ignore:.*not defined for these")
def test_perfect_and_collapsed_maps(metric, points):
    X, y = points
    perfect, collapsed = ENDS[metric]
    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))[0]
    ours = nldr.evaluate(X, 100 - 7 * X @ rotation, y, metrics=metric)[metric]
    if perfect is not None:
        assert ours == pytest.approx(perfect, abs=1e-9)
    if collapsed is not None:
        value = nldr.evaluate(X, np.full((120, 2), 0.1), y, metrics=metric)[metric]
        np.testing.assert_allclose(value, collapsed, atol=1e-12)


@pytest.mark.parametrize(
    ("metric", "module", "few", "error"),
    [
        ("mrre_false_k10", nldr.metrics.relative_ranks, {"_POINTS": 200}, 0.03),
        ("mrre_missing_k10", nldr.metrics.relative_ranks, {"_POINTS": 200}, 0.03),
        ("radius_spearman_k15", nldr.metrics.radii, {"_POINTS": 200}, 0.15),
        ("nonmetric_stress", nldr.metrics.nonmetric, {"_PAIRS": 20_000}, 0.01),
        ("persistence_distance", nldr.metrics.persistence, {"_POINTS": 300}, 0.06),
        ("random_triplet_accuracy", nldr.metrics.triplets, {"_TRIPLETS": 20_000}, 0.015),
        (
            "geodesic_spearman_k10",
            nldr.metrics.geodesic,
            {"_ALL_PAIRS": 100, "_SOURCES": 100, "_TARGETS": 200},
            0.12,
        ),
        ("trustworthiness_k12", nldr.metrics._large, {"MAX_EXACT": 399, "_POINTS": 150}, 0.02),
        ("continuity_k12", nldr.metrics._large, {"MAX_EXACT": 399, "_POINTS": 150}, 0.02),
        ("q_nx_k12", nldr.metrics._large, {"MAX_EXACT": 399, "_POINTS": 150}, 0.03),
        ("r_nx_auc", nldr.metrics._large, {"MAX_EXACT": 399, "_POINTS": 150}, 0.03),
        ("silhouette", nldr.metrics.silhouette, {"MAX_EXACT": 300}, 0.02),
        ("kl_0.1", nldr.metrics.density, {"MAX_EXACT": 300}, 0.02),
    ],
)
def test_samples_are_deterministic_and_near_the_whole(metric, module, few, error, monkeypatch, rng):
    X = rng.normal(size=(400, 6))
    Z, y = X[:, :2], X[:, 0] > 0
    whole = nldr.evaluate(X, Z, y, metrics=metric)[metric]
    for name, size in few.items():
        monkeypatch.setattr(module, name, size)
    sampled = nldr.evaluate(X, Z, y, metrics=metric)[metric]
    assert sampled == nldr.evaluate(X, Z, y, metrics=metric)[metric]
    assert sampled != whole
    assert sampled == pytest.approx(whole, abs=error)


def test_triplets_and_pairs_are_of_distinct_points(monkeypatch):
    monkeypatch.setattr(nldr.metrics.triplets, "_TRIPLETS", 60_000)
    few, many = np.array(_triplets(20)), np.array(_triplets(60))
    assert len(np.unique(few, axis=1).T) == few.shape[1] == 20 * 19 * 18 / 2
    for triplets in (few, many):
        assert all((triplets[i] != triplets[i - 1]).all() for i in range(3))
    # Random points are uniform
    counts = np.array([np.bincount(row, minlength=60) for row in many])
    np.testing.assert_allclose(counts, 1000, atol=160)
    first, second = all_or_random_pairs(50, 100)
    assert (first != second).all()


def test_geodesics_bend_with_the_data_and_see_gaps():
    angle = np.linspace(0, 1.6 * np.pi, 90)[:, None]
    arc = np.hstack([np.cos(angle), np.sin(angle)])
    unrolled, same = geodesic_spearman(arc, angle, [4]), geodesic_spearman(arc, arc, [4])
    assert unrolled > 0.999 > 0.95 > same
    # Two pieces that no edge joins: the pairs between them are the farthest, all alike
    two, k = np.vstack([arc, arc + 50]), [4]
    near, far = (np.vstack([angle, angle + shift]) for shift in (5, 500))
    assert geodesic_spearman(two, far, k) > geodesic_spearman(two, near, k)
    # Copies of a point are at distance 0 of it
    copies = np.repeat(arc, 5, axis=0)
    assert geodesic_spearman(copies, np.repeat(angle, 5, axis=0), [15]) > 0.999


def test_ties_do_not_help_in_relative_ranks(rng):
    X, order = rng.normal(size=(150, 3)), rng.normal(size=(150, 2))
    collapsed = mean_relative_rank_errors(X, np.zeros((150, 2)), [5])
    random = mean_relative_rank_errors(X, order, [5])
    np.testing.assert_allclose(collapsed, random, atol=0.15)
    assert np.isnan(mean_relative_rank_errors(X[:10], order[:10], [4, 5])[0]).tolist() == [0, 1]


def test_distances_are_exact_where_squares_overflow():
    squared = squared_between(np.array([[0.0], [3e300], [9e300]]), [0, 0], [1, 2])
    assert 9 * squared[0] == pytest.approx(squared[1])


@pytest.mark.parametrize("metric", [name for name in ENDS if "dimension" not in name])
@pytest.mark.filterwarnings("ignore:.*not defined for these")
def test_two_points_of_one_class_have_no_value(metric):
    value = nldr.evaluate(np.zeros((2, 3)), np.zeros((2, 2)), [0, 0], metrics=metric)[metric]
    assert np.isnan(value)
