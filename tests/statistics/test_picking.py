"""Picks among maps: regret by hand, ties, failed maps, and choices without a family."""

import numpy as np
import pandas as pd
import pytest

from nldr.statistics.picking import Maps

DIRECTIONS = {"good": "higher", "bad": "lower", "blind": "higher", "truth": "higher"}
FAMILIES = {"first": ["a", "b"], "second": ["c", "d"]}


@pytest.fixture
def maps(rng):
    """Return four datasets with three trials of six maps; ``good`` sees the truth."""
    rows = [
        {"dataset": d, "data_cell": d, "trial": t, "method": f"m{k // 2}", "method_cell": f"m{k}"}
        for d in "abcd"
        for t in range(3)
        for k in range(6)
    ]
    truth = rng.uniform(size=len(rows))
    scores = {"truth": truth, "good": 3 * truth + 1, "bad": truth, "blind": rng.uniform(size=72)}
    return Maps(pd.DataFrame(rows).assign(ok=True, **scores), DIRECTIONS)


def test_regret_is_the_best_minus_what_is_picked(maps):
    units = maps.table.groupby(["dataset", "trial"])
    spread = units["truth"].max() - units["truth"].min()
    assert maps.regrets("good", "truth") == pytest.approx(0)
    np.testing.assert_allclose(maps.regrets("bad", "truth"), spread)
    blind = [rows["truth"].max() - rows["truth"][rows["blind"].idxmax()] for _, rows in units]
    np.testing.assert_allclose(maps.regrets("blind", "truth"), blind)
    np.testing.assert_allclose(maps.picked("bad", "bad"), units["truth"].min())
    assert len(maps.per_dataset(maps.regrets("blind", "truth"))) == 4


def test_ties_count_by_their_mean_and_failed_maps_are_no_candidates(maps):
    table = maps.table.assign(blind=0.5)
    units = table.groupby(["dataset", "trial"])["truth"]
    tied = Maps(table, DIRECTIONS)
    np.testing.assert_allclose(tied.regrets("blind", "truth"), units.max() - units.mean())
    np.testing.assert_allclose(tied.mean_regrets("truth"), units.max() - units.mean())
    failed = Maps(table.assign(ok=table["method"] != "m1"), DIRECTIONS)
    assert np.isnan(failed.regrets_of_method("m1", "good", "truth")).all()
    assert not np.isnan(failed.regrets("bad", "truth")).any()


def test_choices_do_not_see_the_family_that_they_are_judged_on(maps):
    table = maps.table.copy()
    # Each score is right on one family, and wrong on the other
    signed = np.where(table["dataset"].isin(["a", "b"]), 1.0, -1.0) * table["truth"]
    turned = Maps(table.assign(blind=signed, bad=signed), DIRECTIONS)
    regrets, chosen = turned.combined(["blind", "bad"], "truth", FAMILIES)
    assert chosen == {"first": ("bad",), "second": ("blind",)}
    in_second = turned.families(FAMILIES) == "second"
    expected = turned.regrets("blind", "truth")
    np.testing.assert_allclose(regrets[in_second], expected[in_second])
    _, methods = turned.best_method("good", "truth", FAMILIES)
    assert {*methods.values()} <= {"m0", "m1", "m2"}
    with pytest.raises(ValueError, match="dataset 'c' has no family: add it to families"):
        turned.families({"first": ["a", "b"]})
