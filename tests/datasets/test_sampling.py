"""Stratified choices are proportional to class sizes and nested."""

import re

import numpy as np
import pytest

from nldr.datasets._sampling import choose, stratified


@pytest.mark.parametrize("n_samples", [1, 7, 10, 100, 999, 1000])
def test_stratified_is_proportional_to_class_sizes(n_samples, rng):
    y = np.repeat(np.arange(10), [130, 70, 120, 80, 101, 99, 115, 85, 150, 50])
    chosen = stratified(y, n_samples, rng)
    assert len(np.unique(chosen)) == n_samples
    assert (np.diff(chosen) > 0).all()
    share = n_samples * np.bincount(y) / len(y)
    assert np.abs(np.bincount(y[chosen], minlength=10) - share).max() < 1


def test_stratified_chooses_all_points_equally_often(rng):
    y = np.repeat([0, 1], [8, 4])
    times = np.zeros(12)
    for _ in range(600):
        times[stratified(y, 6, rng)] += 1
    # Each point is chosen half the time; four standard deviations of a count are 49.
    assert np.abs(times - 300).max() < 49


@pytest.mark.parametrize("n_samples", [0, 5])
def test_choose_out_of_range_raises(n_samples):
    message = f"n_samples must be between 1 and 4 for Things, got {n_samples}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        choose(np.zeros(4), n_samples, np.random.default_rng(0), "Things")
