"""Planted truths are decided wrongly as seldom as promised."""

import pytest

from nldr.claims.rates import Scenario, simulate

N_PAPERS = 100  # of ten claims each


@pytest.mark.parametrize(
    ("noise", "trials"),
    [
        *(("normal", trials) for trials in (2, 3, 5, 10, 50)),
        *(("skewed", trials) for trials in (2, 5, 50)),
        *(("failing", trials) for trials in (3, 10)),
    ],
)
def test_wrong_verdicts_and_false_settings_are_rare(rng, noise, trials):
    rates = simulate(Scenario(trials, noise), N_PAPERS, rng)
    assert rates.wrong_verdicts <= 0.025
    assert rates.false_settings <= 0.05
    # Enough trials decide most claims.
    assert rates.decided >= {2: 0.0, 3: 0.02, 5: 0.15, 10: 0.35, 50: 0.7}[trials]


def test_the_stopping_rule_keeps_the_rates(rng):
    rates = simulate(Scenario(None, "normal"), N_PAPERS, rng)
    assert rates.wrong_verdicts <= 0.025
    assert rates.false_settings <= 0.05
    assert rates.mean_trials < 40
    assert rates.decided >= 0.65


def test_claims_whose_settings_agree_are_decided_more_often_than_before(rng):
    rates = simulate(Scenario(5, "normal", consistent=True), N_PAPERS, rng)
    assert rates.wrong_verdicts <= 0.025
    assert rates.decided > 1.3 * rates.former_decided
