"""Rankings and paired statistics have their known values, and refuse too small samples."""

import numpy as np
import pytest

from nldr.statistics.pairs import resample_means, signed_rank_posterior
from nldr.statistics.ranking import rank_methods


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


def test_ranks_and_pairs(rng):
    from scipy.stats import friedmanchisquare, wilcoxon

    scores = rng.normal([0, 0.2, 0.4, 3], size=(12, 4))
    ranking = rank_methods(scores)
    # Friedman's statistic from the mean ranks, without ties
    statistic = 12 * 12 / (4 * 5) * (ranking.ranks**2).sum() - 3 * 12 * 5
    assert friedmanchisquare(*scores.T).statistic == pytest.approx(statistic, rel=1e-10)
    assert ranking.p_value == friedmanchisquare(*scores.T).pvalue
    assert ranking.ranks.argmin() == 3
    assert ranking.p_pairs[3, 0] >= wilcoxon(scores[:, 3], scores[:, 0]).pvalue
    assert (ranking.p_pairs == ranking.p_pairs.T).all()


def test_direction_reverses_ranks(rng):
    scores = rng.normal(size=(6, 3))
    assert rank_methods(scores, higher_is_better=False).ranks == pytest.approx(
        4 - rank_methods(scores).ranks
    )


def test_equal_scores_are_no_difference():
    ranking = rank_methods(np.ones((6, 3)))
    assert (ranking.p_value, ranking.ranks.tolist()) == (1, [2, 2, 2])
    assert (ranking.p_pairs == 1).all()


def test_too_small_samples_are_refused(rng):
    with pytest.raises(ValueError, match="at least 6 datasets and 3 methods"):
        rank_methods(np.ones((5, 3)))
    with pytest.raises(ValueError, match="at least 6 datasets and 3 methods"):
        rank_methods(np.ones((9, 2)))


def test_missing_scores_are_refused(rng):
    x = np.append(np.ones(7), np.nan)
    with pytest.raises(ValueError, match="a score is missing: leave out the dataset"):
        rank_methods(np.column_stack([x, x, x]))


def test_false_positives_are_as_rare_as_promised():
    rng = np.random.default_rng(0)
    from scipy.stats import wilcoxon

    p = [wilcoxon(rng.normal(size=10)).pvalue for _ in range(1000)]
    assert np.mean(np.array(p) < 0.05) < 0.07
