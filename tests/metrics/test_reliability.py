"""Steadiness and cohesiveness: faults that they see, and each step beside the one of zadu."""

import numpy as np
import pytest

import nldr.metrics.reliability as module
from nldr.metrics import steadiness_cohesiveness
from nldr.metrics.reliability import _faults, _SharedNeighbors, _walk


@pytest.fixture(autouse=True)
def _few_groups_do(monkeypatch):
    monkeypatch.setattr(module, "_WALKS", 50)


@pytest.fixture
def clusters(rng):
    """Return points of four clusters in the plane, and their cluster."""
    y = np.arange(240) % 4
    return 12 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[y] + rng.normal(size=(240, 2)), y


def test_torn_clusters_lower_cohesiveness_and_merged_ones_steadiness(clusters, rng):
    X, y = clusters
    near = min(steadiness_cohesiveness(X, X + 0.3 * rng.normal(size=X.shape)))
    steadiness, cohesiveness = steadiness_cohesiveness(X, X + [30, 0] * (X[:, :1] % 12 < 6))
    assert steadiness > near - 0.05 > near - 0.3 > cohesiveness
    steadiness, cohesiveness = steadiness_cohesiveness(X, X - [0, 12] * (y % 2)[:, None])
    assert cohesiveness - 0.3 > steadiness
    assert near - 0.5 > steadiness


def test_each_is_the_other_of_the_reverse_and_a_random_map_is_worse(clusters, rng):
    X, _ = clusters
    near, random = X + rng.normal(size=X.shape), rng.normal(size=X.shape)
    scores = steadiness_cohesiveness(X, near)
    assert scores == steadiness_cohesiveness(near, X)[::-1]
    assert max(steadiness_cohesiveness(X, random)) < min(scores) - 0.1


def test_rotation_and_size_do_not_matter_and_calls_agree(clusters, rng):
    X, _ = clusters
    Z = X + rng.normal(size=X.shape)
    rotation = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    expected = steadiness_cohesiveness(X, Z)
    assert expected == steadiness_cohesiveness(X, Z)
    assert expected == steadiness_cohesiveness(3e150 * X, 1e-150 * Z @ rotation)
    order = rng.permutation(len(X))
    np.testing.assert_allclose(steadiness_cohesiveness(X[order], Z[order]), expected, atol=0.06)


def test_error_falls_with_the_number_of_groups(clusters, rng, monkeypatch):
    X, _ = clusters
    spreads = []
    for n_walks in (4, 36):
        monkeypatch.setattr(module, "_WALKS", n_walks)
        values = []
        for seed in range(8):
            monkeypatch.setattr(module, "SEED", seed)
            values.append(steadiness_cohesiveness(X, X @ [[1], [0.4]]))
        spreads.append(np.std(values, axis=0))
    assert (spreads[1] < 0.7 * spreads[0]).all()


@pytest.mark.parametrize("n_columns", [1, 2])
def test_steps_are_those_of_zadu(clusters, rng, n_columns):
    from zadu.measures.utils.snc_cpu import SNCCPU

    X, _ = clusters
    Z = X[:, :n_columns] + rng.normal(size=(len(X), n_columns))
    peer = SNCCPU(X, Z)
    peer.fit()
    data, image = _SharedNeighbors(X), _SharedNeighbors(Z)
    # Similarities, and the largest differences of distances
    np.testing.assert_array_equal(data.similarities, peer.raw_knn_similarity)
    difference = np.vstack(list(map(data.distances, data.blocks())))
    difference -= np.vstack(list(map(image.distances, image.blocks())))
    np.testing.assert_allclose(
        [difference.max(), -difference.min()], [peer.max_compress, peer.max_stretch]
    )
    # Distortions of the same groups, unless ties divide them otherwise
    for mode, largest, sides in (
        ("steadiness", difference.max(), (image, data)),
        ("cohesiveness", -difference.min(), (data, image)),
    ):
        sizes, agree = [], []
        for start in range(0, len(X), 12):
            members = _walk(sides[0], start, rng)
            ours = np.divide(_faults(*sides, members), [largest, 1])
            theirs = peer._measure_single_iter(mode, largest, 0.0, (members, None))
            agree.append(np.allclose(ours, theirs[:2], rtol=1e-9))
            sizes.append(len(members))
        assert np.mean(agree) >= 0.8
        # Groups are as large as theirs
        theirs = [len(peer._extract_cluster(mode, peer.walk_num)) for _ in range(100)]
        assert np.mean(sizes) == pytest.approx(np.mean(theirs), rel=0.2)


def test_many_points_are_sampled(clusters, rng, monkeypatch):
    X, _ = clusters
    Z = X + rng.normal(size=X.shape)
    whole = steadiness_cohesiveness(X, Z)
    monkeypatch.setattr(module, "_POINTS", 120)
    sampled = steadiness_cohesiveness(X, Z)
    assert sampled != whole
    np.testing.assert_allclose(sampled, whole, atol=0.15)


@pytest.mark.parametrize("n_samples", [3, 5, 9])
def test_few_points_have_a_score_or_none(clusters, n_samples):
    X, _ = clusters
    scores = steadiness_cohesiveness(X[:n_samples], X[n_samples:][:n_samples])
    assert all(np.isnan(score) or 0 <= score <= 1 for score in scores)
