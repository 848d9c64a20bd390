"""Every published number of a study has a verdict, and only cells of full size decide it."""

import math
from dataclasses import replace

import pytest
from printed import NEAR, NUMBERS, PUBLISHED, rows

from nldr.claims.published import verdicts
from nldr.claims.published.verdicts import WIDEST_MARGIN, format_page


@pytest.fixture
def decide(tmp_path):
    """Return a function that decides and returns the rows by setting."""

    def run(job, table, published=PUBLISHED):
        path = tmp_path / "published.csv"
        path.write_text(published)
        result = verdicts.decide(job, table, path)
        return {row["setting"].removeprefix("dataset=gp, method="): row for row in result}

    return run


def test_each_published_number_of_the_study_has_a_verdict(decide):
    rows_by_setting = decide(NUMBERS, rows("isomap", NEAR))
    # LLE is a method of another study; seconds are those of another machine.
    assert {setting: row["verdict"] for setting, row in rows_by_setting.items()} == {
        "PCA, n=10": "not run",
        "Isomap, n=10": "reproduced",
        "Isomap, n=20": "not run",
        "t-SNE, n=10": "not run",
        "Unheard of, n=10": "not run",
    }
    row = rows_by_setting["Isomap, n=10"]
    assert row["number"] == "2 r2"
    assert (row["cell"], row["trials"], row["scale"]) == ("gp@n=10/isomap", 6, "quick")
    assert float(row["ours"]) == pytest.approx(0.7)
    assert float(row["low"]) < float(row["difference"]) < float(row["high"])


EXACT = replace(NUMBERS, exact=[("gp@n=10", "tsne")])


@pytest.mark.parametrize(
    ("job", "method", "scores", "verdict"),
    [
        (NUMBERS, "isomap", [score + 0.1 for score in NEAR], "better"),
        (NUMBERS, "isomap", [score - 0.1 for score in NEAR], "worse"),
        (NUMBERS, "isomap", [0.6, 0.8, 0.7], "undecided"),
        (NUMBERS, "isomap", [0.7], "undecided"),
        (NUMBERS, "isomap", [0.7, math.inf], "undecided"),
        (NUMBERS, "isomap", [-math.inf, math.inf], "undecided"),
        # One trial decides where there is no randomness
        (NUMBERS, "tsne", [0.801], "undecided"),
        (EXACT, "tsne", [0.801], "reproduced"),
        (EXACT, "tsne", [0.84], "better"),
        # Of one published run, t-SNE's, the margin of two s.d. tells what chance may have done.
        (NUMBERS, "tsne", [0.76, 0.84] * 4, "cannot tell"),
        (NUMBERS, "tsne", [0.78, 0.82] * 4, "reproduced"),
    ],
)
def test_verdict_follows_the_interval(decide, job, method, scores, verdict):
    title = NUMBERS.published.titles["method"][method]
    row = decide(job, rows(method, scores))[f"{title}, n=10"]
    assert row["verdict"] == verdict
    assert verdict != "cannot tell" or float(row["margin"]) > WIDEST_MARGIN


def test_cells_of_another_size_decide_nothing(decide):
    job = replace(NUMBERS, full=[("gp@n=10", "pca")])
    row = decide(job, rows("isomap", NEAR))["Isomap, n=10"]
    assert (row["verdict"], row["scale"]) == ("not run", "quick, reduced")
    assert row["cell"] == "gp@n=10/isomap"


def test_failure_of_all_trials_counts_at_full_size(decide):
    failed = rows("isomap", [0.1], status="timeout")
    row = decide(NUMBERS, failed)["Isomap, n=10"]
    assert (row["verdict"], row["trials"], row["cell"]) == ("no result", 0, "gp@n=10/isomap")
    job = replace(NUMBERS, full=[("gp@n=10", "pca")])
    assert decide(job, failed)["Isomap, n=10"]["verdict"] == "not run"


@pytest.mark.parametrize(
    ("n_trials", "verdict"), [(8, "cannot tell"), (200, "reproduced"), (2, "undecided")]
)
def test_mean_of_several_published_trials_may_be_known_within_a_wide_margin(
    decide, n_trials, verdict
):
    # The published s.d. is .07, and the interval is that of both means.
    text = PUBLISHED.replace("gp,Isomap,10,0.700,0.010", "gp,Isomap,10,0.700,0.070")
    scores = [0.7 + (0.07 if trial % 2 else -0.07) for trial in range(n_trials)]
    row = decide(NUMBERS, rows("isomap", scores), text)["Isomap, n=10"]
    assert row["verdict"] == verdict


def test_page_counts_verdicts_and_lists_what_was_run(decide):
    text = format_page([*decide(NUMBERS, rows("isomap", NEAR)).values()])
    assert text.startswith(
        "5 comparisons with published numbers: 1 reproduced, 0 better, 0 worse, 0 no result, "
        "0 cannot tell, 0 undecided, 4 not run."
    )
    assert "Isomap" in text
    assert "Unheard of" not in text
