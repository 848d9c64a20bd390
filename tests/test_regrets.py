"""The page on scores that pick maps: its tables, and what its words say of the record."""

import json
import lzma

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, load
from scipy.stats import t, zscore

from nldr.comparison.words import AIMS
from nldr.figures.regret import METHOD, RANDOM
from nldr.statistics.picking import Maps

regrets = load(ROOT / "docs/regrets.py")
MEAN = "trustworthiness and continuity"
DISTANCES = (
    *("distance Spearman ρ", "distance Pearson r", "stress", "non-metric stress"),
    "random triplets",
)


@pytest.fixture(scope="module")
def content():
    """Return what was gathered of the record."""
    return json.loads((ROOT / regrets.REGRETS).read_text(encoding="utf-8"))


def test_compare_fixes_settings_by_one_draw_and_picks_the_method_by_the_others():
    # By map: trustworthiness, continuity and truth in three draws
    values = {
        ("failed", "a0"): ([0.9, 0.9, 0.9], [0.9, np.nan, 1.0], [0.1, 0.1, 0.1]),  # in one draw
        ("a", "a1"): ([0.1, 0.9, 0.9], [0.1, 1.0, 1.0], [0.9, 0.9, 0.9]),  # not its setting
        ("a", "a2"): ([0.9, 0.9, 0.9], [0.7, 0.8, 0.3], [0.5, 0.7, 0.7]),  # better in one draw
        ("b", "b1"): ([0.9, 0.1, 0.1], [0.5, 0.7, 0.7], [0.3, 0.6, 0.4]),  # taken
        ("b", "b2"): ([0.5, 0.9, 0.9], [0.8, 0.9, 0.9], [0.8, 0.8, 0.8]),  # by continuity alone
    }
    rows = [
        {
            **dict.fromkeys(("dataset", "data_cell"), "roll"),
            **{"trial": trial, "method": method, "method_cell": cell, "ok": True},
            **{"trustworthiness_k12": trust, "continuity_k12": continuity, "truth": truth},
        }
        for (method, cell), columns in values.items()
        for trial, (trust, continuity, truth) in enumerate(zip(*columns, strict=True))
    ]
    names = ("trustworthiness_k12", "continuity_k12", "truth")
    maps = Maps(pd.DataFrame(rows), dict.fromkeys(names, "higher"))
    result = regrets.regrets_of_compare(maps, "truth", "continuity_k12")
    assert result == pytest.approx([np.nan, 0.3, 0.5], nan_ok=True)


def test_tables_and_sentences_have_the_numbers_of_the_record(tmp_path):
    def entry(mean, beats):
        return {"t": {"regret": [mean, mean - 0.01, mean + 0.01], "beats_method": beats}}

    def way(low, outcome):
        return [{"interval": [low + 0.01, low, low + 0.02], "outcome": outcome}] * 2

    aim = {"name": "groups", "words": "by it", "goal": 0.02}
    content = {
        "truths": [{"name": "t", "label": "hit", "n_datasets": 5}],
        "scores": {"x": entry(0.2, False), "y": entry(0.1, True)},
        "goals": [aim | {"pair": way(-0.03, "better"), "compare": way(0.5, "unclear")}],
    }
    claim = {"claim": regrets.DOUBT, "basis": "as_published", "decision": "fails", "threshold": 3}
    claim |= {"worse": 2, "better": 0, "comparisons": [{"effect": e} for e in (4.0, 0.5, 1.5)]}
    for file in (regrets.REGRETS, regrets.CLAIMS):
        (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / regrets.REGRETS).write_text(json.dumps(content))
    (tmp_path / regrets.CLAIMS).write_bytes(lzma.compress(json.dumps({"claims": [claim]}).encode()))
    assert regrets.show("scores", tmp_path).splitlines() == [
        "| map picked by | hit (5 datasets) |",
        "|---|---:|",
        "| y | **0.100** (0.090 to 0.110) |",
        "| x | 0.200 (0.190 to 0.210) |",
    ]
    _, _, pair, compare = regrets.show("goals", tmp_path).splitlines()
    assert pair.startswith("| groups | ≤ 0.02 | pair of scores")
    assert pair.endswith("| −0.020 (−0.030 to −0.010) | yes |")
    assert "| `nldr compare`, by it | 0.510 (0.500 to 0.520) | unclear |" in compare
    text = regrets.show("doubt", tmp_path)
    assert "**fails**: of 3 datasets, the ratio is below 3 on 2." in text
    assert "at least 3 on none. Its median is 1.50, its range 0.50 to 4.00. On 2 more" in text
    (tmp_path / regrets.REGRETS).write_text("{}")
    assert regrets.show("goals", tmp_path) == regrets.ABSENT


def test_words_of_the_page_are_true_of_the_record(content):
    assert len(content["truths"]) == 5
    truths = ("latent_neighbors_k12", "latent_spearman", "neighborhood_hit_k7", "silhouette")
    means, beating = {}, {}
    for truth in truths:
        means[truth] = {title: row[truth]["regret"][0] for title, row in content["scores"].items()}
        beating[truth] = {t for t, row in content["scores"].items() if row[truth]["beats_method"]}
    lowest = {truth: min(values, key=values.get) for truth, values in means.items()}
    assert lowest == dict(zip(truths, (MEAN, "continuity", "continuity", METHOD), strict=True))
    assert beating["silhouette"] == set()
    distances = means["latent_spearman"]
    assert distances[MEAN] - distances["continuity"] < 0.01
    assert all(distances[RANDOM] - distances[name] < 0.04 for name in DISTANCES)
    neighborhoods, *others = content["goals"]
    ways = [goal[way] for goal in (neighborhoods, *others) for way in ("pair", "compare")]
    assert len(ways) == 6
    assert all(reached["outcome"] in ("worse", "unclear") for reached, _ in ways)
    assert neighborhoods["compare"][1]["outcome"] == "better"


def test_compare_recommends_for_distances_by_the_score_of_the_page():
    title, score, *_ = AIMS["distances"]
    (aim,) = (aim for aim in regrets.AIMS if aim.name == title)
    assert aim.score == f"{score}_k12"


def test_pair_of_a_claim_is_judged_like_compare(content):
    """The outcomes of both rows of an aim come from the same test."""
    claims = regrets._claims(ROOT)
    for goal in content["goals"]:
        claim = claims[goal["claim"]]
        for entry, comparison in zip(goal["pair"], claim["comparisons"], strict=True):
            n, (center, low, _) = comparison["n"], entry["interval"]
            # Values with the mean and interval of the record
            units = zscore(np.arange(n), ddof=1)
            values = center + units * (center - low) * np.sqrt(n) / t.ppf(0.975, n - 1)
            outcome = regrets._outcome(values, comparison["threshold"], claim["level"])
            assert outcome["outcome"] == entry["outcome"]
