"""A decided claim is told with its evidence: on the terminal, as Markdown and as JSON."""

import json

import pytest

from nldr.claims.deciding import decide_all
from nldr.claims.jobs import FULL, ClaimJob, EvaluationJob
from nldr.claims.page import format_claim, format_details, format_page

TOLD = """\
mine-1: open
  A beats B. (mine, Figure 1)
  “A is far better”

As published: open
  The R² of A is more than 0.05 higher than that of B in 1 of 2 settings (unclear in 1). Unclear
  case (GP, 20 features): 0.020 higher (95 % interval from 0.014 lower to 0.054 higher, 5 paired
  trials).
  The printed numbers pass: 2 of 3. So they support the statement, as tested here, only in part.
  ●·
  ● better  ━ practically equal  ○ worse, or short of the bound  · unclear
  paired t-test (5 pairs); p = 0.070; each setting is tested at level 0.025
  other bounds: holds in few with a bound of 0.1
  at full size, scale quick, 4 cells of study mine
  effect (R²), 95 % interval, bound 0.05; outcome; trials with a result:
    A − B, GP, 10 features      0.11  0.0924 to 0.128       better     5 of 5; 5 of 5
    A − B, GP, 20 features      0.02  -0.014 to 0.054       unclear    5 of 5; 5 of 5
  Stopping rule: trials were added until no setting was unclear, up to 50, which was not enough.

Under equal tuning: not applicable
  nothing is tuned"""


@pytest.fixture
def claims(plant):
    """Return the rows of a claim that one of two settings leaves open."""
    a = [[0.60, 0.61, 0.62, 0.63, 0.64], [0.50, 0.55, 0.60, 0.65, 0.70]]
    b = [[0.50, 0.52, 0.50, 0.51, 0.52], [0.50, 0.50, 0.60, 0.60, 0.70]]
    test = {"first": "a", "second": "b", "metric": "r2", "by": "much_better"}
    cells = [(f"gp@{n}", method) for n in (10, 20) for method in "ab"]
    evaluation = EvaluationJob("mine", cells, [], False, FULL, [("nldr.claims.compare", test)])
    claim = ClaimJob(
        name="mine-1",
        paper="mine",
        statement="A beats B.",
        place="Figure 1",
        quote="A is far better",
        evaluations={
            "as_published": evaluation,
            "equal_tuning": "not applicable: nothing is tuned",
        },
        settings={"as_published": 2},
        print_passes={"as_published": "2 of 3"},
        stopped_at={"as_published": 50},
    )
    return decide_all([claim], lambda _: plant({"a": a, "b": b}))


def test_a_claim_is_told_with_each_setting_and_how_much_depends_on_its_bound(claims):
    assert format_claim(claims, "quick") == TOLD


def test_a_page_has_a_row_for_each_claim(claims):
    *_, row = format_page(claims, "quick").splitlines()
    assert row.startswith("| **mine-1** (Figure 1) A beats B. | **open** | open `●·`: The R² of A")
    assert row.endswith("5 paired trials). (at full size) | not applicable: nothing is tuned |")


def test_details_are_json_without_infinite_numbers(claims):
    rows = [claims[0] | {"low": float("-inf")}, claims[1]]
    as_published, _ = json.loads(format_details(rows, "quick"))["claims"]
    assert as_published["low"] is None
    assert [row["decision"] for row in as_published["comparisons"]] == ["better", "unclear"]
