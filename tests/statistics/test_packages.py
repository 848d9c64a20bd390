"""Statistics agree with statsmodels and baycomp."""

import numpy as np
import pytest

from nldr.statistics.pairs import signed_rank_masses
from nldr.statistics.ranking import compare_all, correct, rank_methods


def test_holm_agrees_with_statsmodels(rng):
    from statsmodels.stats.multitest import multipletests

    for n in (1, 2, 15):
        p = rng.uniform(0, 0.2, n)
        assert correct(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-6)


def test_pairwise_tests_agree_with_statsmodels_and_scipy(rng):
    from scipy.stats import wilcoxon
    from statsmodels.stats.multitest import multipletests

    scores = rng.normal([0, 0.3, 0.6, 2], size=(11, 4))
    pairs = [(i, j) for i in range(4) for j in range(i)]
    raw = [wilcoxon(scores[:, i], scores[:, j]).pvalue for i, j in pairs]
    expected = multipletests(raw, method="holm")[1]
    p_values = compare_all(scores).p_values
    assert [p_values[pair] for pair in pairs] == pytest.approx(expected, abs=1e-6)
    assert (rank_methods(scores).p_pairs == p_values).all()
    assert (p_values == p_values.T).all()


def test_friedman_test_is_an_analysis_of_variance_of_ranks(rng):
    from scipy.stats import chi2, rankdata
    from statsmodels.regression.linear_model import OLS

    # With ties: the sum of squares between methods, in units of the variance within datasets
    scores = rng.integers(0, 6, (12, 4)).astype(float)
    ranks = rankdata(-scores, axis=1)
    fit = OLS(ranks.ravel(), np.tile(np.eye(4), (12, 1))).fit()
    variance = ((ranks - 2.5) ** 2).sum() / (12 * 3)
    ranking = rank_methods(scores)
    assert ranking.ranks == pytest.approx(fit.params, abs=1e-6)
    between = 12 * ((fit.params - 2.5) ** 2).sum()
    assert ranking.p_value == pytest.approx(chi2.sf(between / variance, 3), abs=1e-6)


@pytest.mark.parametrize("rope", [0.1, 0.5])
def test_masses_of_the_posterior_agree_with_baycomp(rng, rope):
    from baycomp import SignedRankTest

    x, y = rng.normal(0.3, 1, 9), rng.normal(0, 1, 9)
    theirs = SignedRankTest.sample(y, x, rope, nsamples=500, random_state=3)
    # The same weights, from the same generator
    weights = np.random.RandomState(3).dirichlet(np.append(0.5, np.ones(9)), 500)
    masses = signed_rank_masses(x - y, rope, weights)
    assert masses == pytest.approx(theirs, abs=1e-6)
