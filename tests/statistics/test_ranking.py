"""Rankings and paired statistics have their known values, and refuse too small samples."""

import numpy as np
import pytest

from nldr.statistics.pairs import resample_means, signed_rank_posterior
from nldr.statistics.ranking import groups_of_equals, rank_methods


def test_posterior_of_two_observations(rng):
    # Weights (w0, w1) ~ Dirichlet(1/2, 1): the mass within the region is w0², the rest lies to the
    # right, and wins if w0 < 1/√2; w0 ~ Beta(1/2, 1), so that P = √(1/√2).
    left, none, right = signed_rank_posterior(np.array([3.0]), 1.0, rng, n_samples=100_000)
    assert left == 0
    assert right == pytest.approx(np.sqrt(1 / np.sqrt(2)), abs=0.006)
    assert none == pytest.approx(1 - right)


def test_bootstrap_samples_have_the_spread_of_a_mean(rng):
    values = rng.normal([0, 5], [1, 3], size=(200, 2))
    means = resample_means(values, rng, 4000)
    assert means.mean(axis=0) == pytest.approx(values.mean(axis=0), abs=0.02)
    assert means.std(axis=0) == pytest.approx(values.std(axis=0) / np.sqrt(200), rel=0.05)


def test_direction_reverses_ranks(rng):
    scores = rng.normal(size=(6, 3))
    assert rank_methods(scores, higher_is_better=False).ranks == pytest.approx(
        4 - rank_methods(scores).ranks
    )


def test_equal_scores_are_no_difference():
    ranking = rank_methods(np.ones((6, 3)))
    assert (ranking.p_value, ranking.ranks.tolist()) == (1, [2, 2, 2])
    assert (ranking.p_pairs == 1).all()


def test_small_samples_and_missing_scores_are_refused():
    for shape in ((5, 3), (9, 2)):
        with pytest.raises(ValueError, match="at least 6 datasets and 3 methods"):
            rank_methods(np.ones(shape))
    with pytest.raises(ValueError, match="a score is missing: leave out the dataset"):
        rank_methods(np.full((8, 3), np.nan))


@pytest.mark.parametrize(
    ("different", "groups"),
    [
        ([], [[2, 0, 1]]),
        ([(0, 2)], [[0, 1]]),
        ([(1, 2)], [[2, 0], [0, 1]]),
        ([(0, 1), (0, 2), (1, 2)], []),
    ],
)
def test_groups_of_equals_are_the_largest(different, groups):
    """No method alone, and no part of another group; a pair at the level differs."""
    p = np.ones((3, 3))
    for pair in different:
        p[pair] = p[pair[::-1]] = 0.05
    assert groups_of_equals([1.9, 2.8, 1.3], p) == groups
