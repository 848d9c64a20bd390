"""Tests of data whose parts are of very different scales."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from nldr.methods import MVU
from nldr.methods.mvu._edges import squared_lengths
from nldr.methods.mvu._parts import parts_of, relative_error


@pytest.fixture(scope="module")
def roll():
    rng = np.random.default_rng(0)
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=120))
    return np.column_stack([t * np.cos(t), 21 * rng.uniform(size=120), t * np.sin(t)])


def variance(points):
    return np.square(points - points.mean(axis=0)).sum()


def fit(X):
    """Return an estimator, and the message of its warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        mvu = MVU(disconnected="bridges").fit(X)
    return mvu, " ".join(str(warning.message) for warning in caught)


@pytest.fixture(scope="module")
def trace(roll):
    """Return the variance of the roll alone, which is unfolded without a warning."""
    alone, message = fit(roll)
    assert message == ""
    return alone.trace_


@pytest.mark.parametrize("distance", [30, 1e3, 1e6])
def test_an_outlier_leaves_the_rest_as_it_is_or_is_named(roll, trace, distance):
    mvu, message = fit(np.vstack([roll, [distance, 0, 0]]))
    if message:
        assert "remove outliers" in message.lower()
    else:
        inside = (mvu.edges_ < 120).all(axis=1)
        squared = squared_lengths(roll, mvu.edges_[inside])
        lengths = squared_lengths(mvu.coordinates_, mvu.edges_[inside])
        assert np.abs(np.sqrt(lengths / squared) - 1).max() < 1e-3
        assert variance(mvu.coordinates_[:120]) > 0.99 * trace
    assert message or distance < 1e3

    # Points are merged only if they are repeated in their own scale
    assert np.array_equal(mvu.representatives_, np.arange(121))


def test_a_component_of_a_smaller_scale_is_named(roll):
    mvu, message = fit(np.vstack([roll, roll[:80] / 1e3 + [100, 0, 0]]))
    assert "remove outliers" in message
    assert mvu.max_relative_error_ > 1e-3


def test_a_small_gap_with_long_edges_is_named_per_part():
    """An arc with a far point at its end: lengths are right, but not how far it is unbent."""
    angle = np.linspace(0, np.pi, 30)
    arc = np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.vstack([arc, [-1, -100]])
    mvu = MVU(graph=np.eye(31, k=1))
    with pytest.warns(ConvergenceWarning, match=r"of the variance of 30 rows .* not determined"):
        mvu.fit(X)
    assert abs(mvu.duality_gap_) < 1e-2
    assert mvu.max_relative_error_ < 1e-3


@pytest.mark.parametrize(("length", "several"), [(14.9, False), (15.1, True)])
def test_an_edge_is_long_from_15_times_the_median_on(length, several):
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])
    assert parts_of(edges, np.array([1, 1, length**2, 1, 1]), 6).several is several


def test_bridges_are_long_on_purpose():
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])
    squared = np.array([1, 1, 1e4, 1, 1.0])
    assert parts_of(edges, squared, 6).several
    assert not parts_of(edges, squared, 6, np.array([[3, 2]])).several
    assert parts_of(edges, 1e2 * squared * (edges[:, 0] == 2) + 1, 6, edges[2:3]).several


def test_errors_of_repeated_points_do_not_count():
    edges, line = np.array([[0, 1], [1, 2]]), np.array([[0.0], [1e-6], [1.0]])
    parts = parts_of(edges, np.array([0.0, 1.0]), 3)
    assert relative_error(parts, np.array([0.0, 1.0]), edges, line) < 1e-5
