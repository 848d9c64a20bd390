"""Errors of single points: their means are the metrics, and the definition, point by point."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nldr.dataset import Dataset
from nldr.metrics.pointwise import pointwise_errors
from nldr.metrics.ranks import ranks

seeds = st.integers(0, 2**32 - 1)


def ranks_of(A):
    """Return the rank of each point among the neighbors of each other, 1 for the nearest."""
    distances = np.linalg.norm(A[:, None] - A, axis=2)
    np.fill_diagonal(distances, np.inf)
    return distances.argsort(axis=1).argsort(axis=1) + 1


@given(seeds, st.integers(1, 6), st.booleans())
def test_means_are_trustworthiness_and_continuity(seed, k, ties):
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(40, 12)), rng.normal(size=(40, 2))
    if ties:
        X, Z = np.rint(X), np.rint(Z)
    (errors,) = pointwise_errors(X, [Z], k=k)
    scores = ranks(Dataset(X), Z, k=[k])
    for name in ("trustworthiness", "continuity"):
        assert 1 - errors[name].mean() == pytest.approx(scores[f"{name}_k{k}"], abs=1e-14)
        assert errors[name].min() >= 0
        assert errors[name].max() <= 1


def test_each_error_is_the_penalty_of_its_own_neighbors(rng):
    n, k = 60, 5
    X, Z = rng.normal(size=(n, 4)), rng.normal(size=(n, 2))
    (errors,) = pointwise_errors(X, [Z], k=k)
    there, here = ranks_of(X), ranks_of(Z)
    for name, own, other in (("trustworthiness", here, there), ("continuity", there, here)):
        penalty = (np.maximum(other - k, 0) * (own <= k)).sum(axis=1)
        expected = 2 * penalty / (k * (2 * n - 3 * k - 1))
        np.testing.assert_allclose(errors[name], expected, atol=1e-14)


def test_stretch_is_the_log_ratio_of_radii(rng):
    n, k = 60, 5
    X, Z = rng.normal(size=(n, 4)), rng.normal(size=(n, 2))
    (errors,) = pointwise_errors(X, [Z], k=k)
    neighbors = ranks_of(X).argsort(axis=1)[:, :k]
    radii = [((A[neighbors] - A[:, None]) ** 2).sum(axis=2).mean(axis=1) ** 0.5 for A in (X, Z)]
    ratios = np.log2(radii[1] / radii[0])
    np.testing.assert_allclose(errors["distortion"], ratios - np.median(ratios), atol=1e-5)


def test_similar_embeddings_have_no_error(rng):
    X = rng.normal(size=(50, 3))
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    (errors,) = pointwise_errors(X, [7 - 1e9 * X @ rotation])
    for values in errors.values():
        np.testing.assert_allclose(values, 0, atol=1e-5)


def test_embeddings_do_not_influence_each_other(rng):
    X, first, second = (rng.normal(size=(300, d)) for d in (15, 2, 3))
    together = pointwise_errors(X, [first, second])
    for errors, Z in zip(together, (first, second), strict=True):
        (alone,) = pointwise_errors(X, [Z])
        for name, values in alone.items():
            np.testing.assert_array_equal(errors[name], values)


def test_of_many_points_some_have_errors_with_respect_to_all(rng):
    X, Z = rng.normal(size=(400, 3)), rng.normal(size=(400, 2))
    (whole,), (part,) = pointwise_errors(X, [Z]), pointwise_errors(X, [Z], max_pairs=400 * 50)
    known = ~np.isnan(part["continuity"])
    assert known.sum() == 50
    for name in ("trustworthiness", "continuity"):
        np.testing.assert_allclose(part[name][known], whole[name][known], atol=1e-14)
        assert np.isnan(part[name][~known]).all()
    # The median, which is subtracted, is that of the points that are known
    shift = part["distortion"][known] - whole["distortion"][known]
    assert np.ptp(shift) < 1e-12


def test_points_that_coincide_have_infinite_stretch():
    X = np.arange(30.0)[:, None]
    Z = np.where(X < 10, 0.0, X)
    (errors,) = pointwise_errors(X, [Z], k=2)
    assert np.isneginf(errors["distortion"][:9]).all()
    assert np.isfinite(errors["distortion"][10:]).all()


def test_too_few_points_have_no_errors_and_an_embedding_of_others_raises(rng):
    (errors,) = pointwise_errors(rng.normal(size=(24, 3)), [rng.normal(size=(24, 2))], k=12)
    assert all(np.isnan(values).all() for values in errors.values())
    assert pointwise_errors(rng.normal(size=(24, 3)), []) == []
    with pytest.raises(ValueError, match="embedding has 49 rows, the data has 50"):
        pointwise_errors(rng.normal(size=(50, 3)), [rng.normal(size=(49, 2))])
