"""Claims about scores that pick maps, on planted regrets."""

import numpy as np
import pandas as pd
import pytest

from nldr.claims import Evidence, decide, mean_regret, picked, picks

FACTS = {"range": [0, 1], "direction": "higher"}
FAMILIES = {"first": ["a"], "second": ["b"]}


@pytest.fixture
def plant(rng):
    """Return evidence in which the score picks maps with some regret, on each of ten datasets."""

    def make(regrets):
        rows = []
        for cell, regret in enumerate(regrets):
            for trial in range(5):
                noise = rng.normal(scale=0.001)
                truths = [0.9, 0.9 - regret + noise, 0.3]
                for k, (truth, score) in enumerate(zip(truths, [0.5, 0.9, 0.1], strict=True)):
                    name = "ab"[cell % 2]
                    unit = {"dataset": name, "data_cell": f"{name}@n={cell}", "trial": trial}
                    unit |= {"method": f"m{k}", "method_cell": f"m{k}", "ok": True}
                    rows.append(unit | {"t": score, "opposite": -score, "r2": truth})
        metrics = {name: {"label": name, **FACTS} for name in ("t", "opposite", "r2")}
        return Evidence(
            table=pd.DataFrame(rows),
            methods={"m0": "M0", "m1": "M1", "m2": "M2"},
            datasets={"a": "A", "b": "B"},
            metrics=metrics,
        )

    return make


@pytest.mark.parametrize(("bad", "verdict"), [(1, "holds"), (2, "holds"), (3, "fails")])
def test_share_of_datasets_decides(plant, bad, verdict):
    finding = picks(plant([0.005] * (10 - bad) + [0.2] * bad), ["t"], truth="r2")
    judgment = decide([finding], 0.05)
    assert (str(judgment.verdict), finding.need) == (verdict, 8)
    assert [s.title for s in finding.settings][:2] == ["A, n = 0", "A, n = 2"]
    assert judgment.sentence.startswith("The map that t picks is")


def test_mean_regret_of_the_pair_chosen_elsewhere(plant):
    evidence = plant([0.1] * 10)
    params = {"truth": "r2", "families": FAMILIES}
    (setting,) = mean_regret(evidence, ["t", "opposite"], at_most=0.2, **params).settings
    (comparison,) = setting.comparisons
    assert comparison.estimate.center == pytest.approx(0.1, abs=0.002)
    assert (comparison.test, comparison.words[-13:]) == ("t-test of 10 datasets", " 10 datasets)")
    # The best single method is M0, which has no regret
    against = mean_regret(evidence, ["t", "opposite"], **params)
    assert str(decide([against], 0.05).verdict) == "fails"


def test_score_that_picks_the_best_map_has_no_regret(plant):
    finding = picks(plant([0.1]), ["r2"], truth="r2", at_most=0)
    assert str(decide([finding], 0.05).verdict) == "holds"


def test_level_of_the_picked_maps(plant):
    finding = picked(plant([0.1] * 4), ["t"], truth="r2", at_least=0.7)
    assert str(decide([finding], 0.05).verdict) == "holds"
    centers = [s.comparisons[0].estimate.center for s in finding.settings]
    np.testing.assert_allclose(centers, 0.8, atol=0.002)
