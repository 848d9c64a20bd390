"""What would settle a claim: the command, its cells, and their cost."""

import re

import pytest
from conftest import our_plan

from nldr.cli.claims import next_step
from nldr.engine.planning.claims import deciding_cells

NAME = "ikd-24"


@pytest.fixture
def step(tmp_path, monkeypatch):
    """Return a function that asks for the next step, in a folder without results."""
    monkeypatch.chdir(tmp_path)

    def ask(decision, needs_trials=False, stopped_at=None):
        row = {"claim": NAME, "needs_trials": needs_trials, "stopped_at": stopped_at}
        published = row | {"basis": "as_published", "decision": decision}
        return next_step(our_plan("paper"), [published, row | {"decision": "holds"}])

    return ask


def seconds(text):
    """Return the forecast of a step."""
    number, unit = re.search(r"about ([\d.]+) (s|min|h) of one core", text).groups()
    return float(number) * {"s": 1, "min": 60, "h": 3600}[unit]


def test_cells_and_trials_are_told_with_their_cost(step):
    evaluation = our_plan("paper").claims[NAME].as_published
    n_cells = len(deciding_cells(our_plan("paper").studies[evaluation.study], evaluation))
    missing = step("not run")
    assert missing.startswith(f"nldr claim {NAME} --build --scale paper: {n_cells} cells, about ")
    more = step("open", needs_trials=True)
    assert f"--trials until_decided: {n_cells} cells with up to 50 trials, about " in more
    assert 2 * seconds(missing) < seconds(more) < 11 * seconds(missing)


def test_nothing_is_asked_for_where_it_settles_nothing(step):
    assert step("holds") == ""
    assert step("open").startswith("more trials do not help")
    assert step("open", needs_trials=True, stopped_at=50).startswith("more trials do not help")
