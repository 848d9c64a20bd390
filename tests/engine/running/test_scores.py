"""Scorers that share a process."""

import pytest

from nldr.engine.files.layout import SCORES
from nldr.engine.jobs.specs import Limits
from nldr.engine.running import scores


@pytest.fixture
def tasks(monkeypatch):
    """Let planted scorers share processes, and return the function of each task that is run."""
    functions = []
    outcomes = scores.outcomes

    def counted(request, tasks, start):
        functions.extend(task.function.rpartition(".")[2] for task in tasks)
        return outcomes(request, tasks, start)

    monkeypatch.setattr(scores, "SHARING", "planted.")
    monkeypatch.setattr(scores, "outcomes", counted)
    return functions


@pytest.fixture
def cell(small):
    """Return a cell whose scores are run by this process, in which functions are replaced."""
    small.embed("Random", trials=2)
    small.cold = True
    return small


def test_scorers_of_an_embedding_share_a_process(cell, tasks, monkeypatch):
    names = ("spread", "metric_raises", "metric_omits")
    cell.score(*names, "doubled", trials=2)
    together = cell.rows(SCORES, 2)
    # One process for each trial, and one for each scorer that uses the scores of another
    assert tasks == ["score_all", "score_all", "score", "score"]
    assert [failure["scorer"] for failure in together[0]["failures"]][:2] == list(names[1:])
    monkeypatch.setattr(scores, "SHARING", "nldr.")
    cell.score(*names, "doubled", trials=2, code="edited")
    assert cell.rows(SCORES, 2) == together


@pytest.mark.parametrize(
    ("function", "message"),
    [("metric_dies", "the process died of SIGABRT"), ("metric_hangs", "ended at its limit of 1 s")],
)
def test_scorer_that_ends_its_process_costs_its_own_scores(cell, tasks, function, message):
    cell.score("spread", function, trials=2, limits=Limits(1, 2000))
    for row in cell.rows(SCORES, 2):
        assert [failure["message"] for failure in row["failures"]] == [message]
        assert row["scores"]["count"] == 20
    assert tasks == ["score_all", "score_all", *["score"] * 4]
