"""Outcomes of settings make a verdict, and the claims of a paper are judged together."""

import re

import numpy as np
import pytest

from nldr.claims import Verdict, compare, decide, final_verdict, judge, level, trend, verdict_of
from nldr.claims.conventions import CONVENTIONS, with_bounds
from nldr.claims.findings import Effect, Finding, Setting, Statement
from nldr.claims.shares import FiniteShare
from nldr.statistics.outcomes import Outcome

OUTCOMES = {"B": Outcome.BETTER, "T": Outcome.TIE, "W": Outcome.WORSE, "U": Outcome.UNCLEAR}


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ("B", "holds"),
        ("BBB", "holds"),
        ("BBU", "holds in most"),
        ("BBBW", "holds in most"),
        ("BBWW", "holds in few"),
        ("BBUU", "open"),
        ("TTU", "tie"),
        ("TTBB", "holds in few"),
        ("WTU", "holds in few"),
        ("WTT", "tie"),
        ("WWT", "fails"),
        ("U", "open"),
        ("W", "fails"),
    ],
)
def test_graded_verdicts(outcomes, verdict):
    assert verdict_of([OUTCOMES[o] for o in outcomes]) == verdict


@pytest.mark.parametrize(
    ("outcomes", "need", "verdict"),
    [("BBWW", 2, "holds"), ("BUWW", 2, "open"), ("BTWW", 2, "fails"), ("BBBB", 4, "holds")],
)
def test_a_number_of_settings(outcomes, need, verdict):
    assert verdict_of([OUTCOMES[o] for o in outcomes], need) == verdict


def test_a_verdict_is_stable_whatever_the_unclear_settings_are():
    rng = np.random.default_rng(0)
    grades = {"fails": 0, "holds in few": 0, "tie": 1, "holds in most": 2, "holds": 3}
    for _ in range(500):
        outcomes = [*rng.choice([*OUTCOMES.values()], rng.integers(1, 9))]
        before = verdict_of(outcomes)
        resolved = [rng.choice([*OUTCOMES.values()][:3]) if o == "unclear" else o for o in outcomes]
        after = verdict_of(resolved)
        if before == "open":
            continue
        if before == "holds in most":
            assert after in ("holds in most", "holds")
        elif before == "holds in few":
            assert after in ("holds in few", "fails", "tie")
        else:
            assert grades[after] == grades[before]


@pytest.fixture
def finding(plant):
    """Return a function that gives the comparison of two methods that differ by some numbers."""

    def make(differences, need="every"):
        rng = np.random.default_rng(1)
        noise = 1e-4 * rng.normal(size=(len(differences), 5))
        base = rng.uniform(0.4, 0.6, noise.shape)
        shift = np.array(differences)[:, np.newaxis]
        evidence = plant({"a": base + shift + noise, "b": base})
        return compare(evidence, "a", "b", metric="r2", quantifier=need)

    return make


def test_settings_of_all_tests_are_counted_together(finding):
    judgment = decide([finding([0.1, 0.2]), finding([0.1, -0.3, 0.0])], level=0.05)
    assert (judgment.verdict, judgment.strip) == ("holds in most", "●●●○━")
    assert judgment.counts == {"better": 3, "worse": 1, "tie": 1}
    # Most of five, counted over both tests
    most = decide([finding([0.1, 0.2], "most"), finding([0.1, -0.3, -0.2], "most")], level=0.05)
    assert most.verdict == "holds"


def test_the_weakest_part_decides(finding):
    judgment = decide([finding([0.1, 0.2]), finding([-0.1, -0.2], "most")], level=0.05)
    assert judgment.verdict == "fails"
    # The test that decides speaks first, and with its own comparison.
    assert judgment.comparison.ends[0] < 0
    assert judgment.sentence.startswith("A has a higher R² than B in 0 of 2 settings")


def test_of_many_tests_one_speaks_and_the_others_are_counted(plant, rng):
    base = rng.uniform(0.4, 0.6, (2, 5))
    evidence = plant({"a": base + 0.1 + 1e-4 * rng.normal(size=(2, 5)), "b": base})
    tests = [compare(evidence, "a", "b", metric="r2", by=bound) for bound in (0, 0.01, 0.02, 0.2)]
    sentence = decide(tests, level=0.05).sentence
    # The total decides; A is better everywhere, though not always by the bound
    assert sentence.startswith(
        "Over all 4 tests, the claim holds in 6 of 8 settings (short of the bound in 2). "
        "The R² of A is more than 0.02 higher than that of B in both settings"
    )
    assert sentence.endswith(
        " Over the other 3 tests, the claim holds in 4 of 6 settings (short of the bound in 2)."
    )
    sentence = decide(tests[:2], level=0.05).sentence
    assert sentence.startswith("Over both tests, the claim holds in all 4 settings. ")
    assert "the other" not in decide(tests[:3], level=0.05).sentence


def test_effect_interval_and_p_value_belong_to_one_comparison(finding):
    weakest = decide([finding([0.3, 0.0012, 0.2])], level=0.05)
    assert weakest.setting.title == "GP, 20 features"
    assert weakest.comparison.p_value == 2 * weakest.setting.tests.p_better
    contrary = decide([finding([-0.3, 0.2, -0.002, -0.1])], level=0.05)
    assert (contrary.verdict, contrary.setting.title) == ("holds in few", "GP, 10 features")
    for judgment in (weakest, contrary):
        comparison = judgment.comparison
        _, low, high = comparison.ends
        assert (low <= comparison.bound <= high) == (comparison.p_value > 0.05)


def test_settings_of_a_paper_share_a_level(finding):
    from statsmodels.stats.multitest import multipletests

    findings = {"one": [finding([0.1, 0.00012])], "two": [finding([-0.1, 0.00005])], "three": None}
    judged = judge(findings, {"three": 4})
    p = [s.tests.p_value for f in ("one", "two") for s in findings[f][0].settings] + [1.0] * 4
    significant = multipletests(p, 0.05, "fdr_bh")[0]
    level = judged["one"].level
    assert [value <= level for value in p] == significant.tolist()
    assert judged["three"] is None
    # It counts with its registered settings
    assert level < judge(findings)["one"].level
    # A claim that is run later, and finds nothing, changes no verdict.
    assert judge(findings | {"three": [finding([0.0] * 4)]}, {"three": 4})["one"].level >= level


@pytest.mark.parametrize(
    ("published", "tuned", "verdict"),
    [
        ("holds", "holds", "holds"),
        ("holds", None, "holds"),
        ("holds", "fails", "holds only as published"),
        ("holds in most", "tie", "holds only as published"),
        ("holds", "open", "holds"),
        ("holds in most", "holds", "holds in most"),
        ("fails", "holds", "fails"),
        ("open", "holds", "open"),
        ("not run", "holds", "not run"),
    ],
)
def test_verdict_from_both_evaluations(published, tuned, verdict):
    result = final_verdict(Verdict(published), tuned if tuned is None else Verdict(tuned))
    assert result is Verdict(verdict)


def test_conventions_are_numbers_of_one_meaning(plant):
    expected = {"by": 3.0, "metric": "seconds"}
    assert with_bounds({"by": "much_faster", "metric": "seconds"}) == expected
    assert with_bounds({"by": "on_par"}, 2.0) == {"by": 0.25}
    assert with_bounds({"at_least": "most"}) == {"at_least": "most"}
    assert all(c.scaled(1) == c.bound for c in CONVENTIONS.values())
    # Each says its bound, the first two in words
    said = {"on_par": 1 / 2, "far_longer": 10.0}
    for name, convention in CONVENTIONS.items():
        stated = said.get(name) or float(re.search(r"[\d.]+", convention.meaning)[0])
        assert abs(convention.bound) == stated, name
    with pytest.raises(ValueError, match="by: twice: give a number or one of on_par"):
        with_bounds({"by": "twice"})


def test_tests_of_one_claim_keep_their_units(plant, rng):
    values = 0.5 + 0.1 * np.log10([[10], [20], [30]]) + rng.normal(0, 0.001, (3, 6))
    evidence = plant({"a": values})
    tests = [
        level(evidence, ["a"], metric="r2", at_least=0.3),
        trend(evidence, ["a"], metric="r2", x="data.n_features", by=-0.5, direction="falling"),
    ]
    judgment = decide(tests, level=0.05)
    units = {finding.unit for finding, _ in judgment.comparisons}
    assert units == {"R²", "R² per tenfold number of features"}
    assert [c.above for _, c in judgment.comparisons] == [True] * 3 + [False]


def test_of_equal_exceptions_the_one_with_more_numbers_is_clearest():
    shares = [FiniteShare(0, 0, n) for n in (1, 30, 8)]
    effects = [Effect("", f"{s.n}", s, bound=0.5, above=True, delta=0.01) for s in shares]
    settings = tuple(Setting(effect.name, (effect,)) for effect in effects)
    finding = Finding(settings=settings, words=Statement("it", "holds", "does not hold"))
    assert decide([finding], level=0.05).comparison.estimate.n == 30
