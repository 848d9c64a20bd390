"""Forecast, lines of finished studies and summary of a run."""

import re
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from nldr.engine.files.layout import Outputs
from nldr.engine.jobs.requests import Reply
from nldr.engine.planning.steps import step_of
from nldr.engine.running import progress
from nldr.engine.running.progress import BuildProgress

OK = Reply(made=1)
DAMAGED = Reply(made=2, notes=("cache.jsonl: 2 line(s) are damaged",))


def job(rule, **wildcards):
    return SimpleNamespace(rule=SimpleNamespace(name=rule), wildcards_dict=wildcards)


class Dag:
    def __init__(self, needed, cached):
        self.jobs, self._needed = [*needed, *cached], needed

    def needrun(self, job):
        return job in self._needed


def study(name, *figures):
    return [job("table", study=name), *(job("figure", figure=figure) for figure in figures)]


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """Work in an empty folder and collect what the user is told."""
    monkeypatch.chdir(tmp_path)
    Path("results/smoke/tables").mkdir(parents=True)
    for name in "ab":
        Path(Outputs("smoke").table.format(study=name)).write_text(
            'status,message\nok,\nok,\ntimeout,"x\ny"\n'
        )
    told = []
    monkeypatch.setattr(progress, "tell", told.append)
    # Only what is forecast for a job counts.
    monkeypatch.setattr(progress, "STEP_SECONDS", 0.0)
    monkeypatch.setattr(progress, "START_SECONDS", 0.0)
    # Runs that a test does not end stay silent
    monkeypatch.setattr(progress, "QUIET_SECONDS", 3600.0)
    return told


@pytest.fixture
def plan():
    studies = {"a": ["a", "more"], "b": ["b"]}
    ten_seconds = SimpleNamespace(seconds=lambda cores: 10.0)
    return SimpleNamespace(
        config=SimpleNamespace(scale="quick"),
        forecast=SimpleNamespace(needed=lambda step: ten_seconds),
        studies={
            name: SimpleNamespace(figures=figures, study=SimpleNamespace(published=None))
            for name, figures in studies.items()
        },
        order=list(studies),
        broken={},
        claims_mistake=None,
        unused_mistakes=[],
        printed_numbers=[],
        verdict_files=lambda name: [],
        outputs=Outputs("smoke"),
        figure_files=lambda name: [f"results/smoke/figures/{f}.pdf" for f in studies[name]],
    )


def finish(run, jobs, reply=OK):
    for one in jobs:
        run.finished(step_of(one.rule.name, one.wildcards_dict), reply, "results/logs/x.log")


def test_without_a_terminal_a_line_tells_how_far_the_run_is(shown, plan, monkeypatch):
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.01)
    run = BuildProgress(plan, Dag(study("a", "a", "more"), [job("data", data="x")]), 1)
    finish(run, study("a", "a")[:1])
    count = len(shown)
    while len(shown) < count + 2:
        time.sleep(0.01)
    assert re.fullmatch(r"\[.*\] 1/3 jobs, .* left", shown[-1])
    run.close(True)
    time.sleep(0.05)
    assert shown[-1].startswith("done in")


def test_one_line_per_finished_study(shown, plan):
    first, second = study("a", "a", "more"), study("b", "b")
    data = [job("data", data="gp", trials="2")]
    run = BuildProgress(plan, Dag([*data, *first, *second, job("all")], [job("data", data="x")]), 2)
    assert shown.pop() == "6 jobs to run, 1 done before: about 30 s on 2 core(s)"
    finish(run, data + first[:2])
    assert shown == []
    finish(run, first[2:])
    line = "a: 2 ok, 1 timeout -> results/smoke/figures/a.pdf, results/smoke/figures/more.pdf"
    assert re.fullmatch(r"\[\d+ s\] " + re.escape(line), shown.pop())
    finish(run, second)
    assert shown.pop().endswith("b: 2 ok, 1 timeout -> results/smoke/figures/b.pdf")
    run.close(True)
    assert re.fullmatch(r"done in \d+ s", shown.pop())
    assert shown == []


def test_what_is_done_before_is_not_reported(shown, plan):
    run = BuildProgress(plan, Dag(study("b", "b"), study("a", "a", "more")), 1)
    finish(run, study("b", "b"))
    run.close(True)
    assert not any("a:" in line for line in shown)


def test_failures_and_lost_jobs_are_told(shown, plan):
    embed = [job("embed", data="gp", method="pca", trials="2")]
    data = [job("data", data="gp", trials="2")]
    run = BuildProgress(plan, Dag([*embed, *data, *study("a", "a", "more")], []), 1)
    failed = Reply(made=2, failures=(("timeout", "too slow"), ("error", "x")))
    finish(run, embed, failed)
    assert len(shown) == 1  # methods that fail are in the table
    finish(run, data, Reply(made=1, failures=(("error", "no such file"),)))
    assert shown[-1] == "data gp/2: no such file\n  log: results/logs/x.log"
    finish(run, [job("score", data="gp", method="pca", scorers="x", trials="2")], DAMAGED)
    assert shown[-1] == "cache.jsonl: 2 line(s) are damaged"
    finish(run, study("a", "a", "more")[:1], Reply(error="the disk is full"))
    assert shown[-1] == "table a: the disk is full\n  log: results/logs/x.log"
    finish(run, study("a", "a", "more")[1:])
    run.close(False)
    assert "a: not finished in this run: see the messages above" in shown
    failed = "; failed fits and scores: 2 error, 1 timeout: see nldr status --scale quick"
    assert any(line.endswith(failed) for line in shown)
    assert shown[-1].startswith("1 job(s) recorded nothing")


def test_run_that_went_well_leaves_no_study_unfinished(shown, plan):
    """With --touch, for example, no job is told."""
    BuildProgress(plan, Dag(study("a", "a"), []), 1).close(True)
    assert not any("not finished" in line for line in shown)


def test_jobs_that_did_not_run_are_not_lost(shown, plan):
    BuildProgress(plan, Dag(study("a", "a"), []), 1).close(False)
    assert shown[-1].startswith("done in")


def test_broken_studies_are_told_at_the_end(shown, plan):
    plan.broken["claims"] = "workflow/studies/claims.yaml: rename the file"
    plan.claims_mistake = "workflow/claims/mine.yaml: unknown key"
    BuildProgress(plan, Dag([], []), 1).close(True)
    assert shown[-2:] == [
        "study claims was left out: workflow/studies/claims.yaml: rename the file",
        "the file of claims was left out: workflow/claims/mine.yaml: unknown key",
    ]


def test_time_left_follows_the_pace(shown, plan, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    embeds = [job("embed", data="gp", method=name, trials="1") for name in "abcd"]
    run = BuildProgress(plan, Dag(embeds, []), 2)
    assert shown == ["4 jobs to run, 0 done before: about 20 s on 2 core(s)"]
    assert run._status() == "20 s left"
    # Two of four jobs took twice as long as expected.
    clock[0] = 20.0
    failures = (("error", "x"), ("invalid_input", "missing values"))
    finish(run, embeds[:2], Reply(made=1, failures=failures))
    assert run._status() == "2 failed, 20 s left"
    finish(run, embeds[2:], Reply(made=1))
    assert run._status() == "2 failed, making the report"


def test_cells_are_named_by_their_wildcards():
    wildcards = {"trials": "5", "scorers": "ranks", "data": "gp", "method": "pca"}
    assert step_of("score", wildcards).cell == "gp/pca/ranks/5"
    assert step_of("figure", {"figure": "gallery"}).cell == "gallery"
    assert step_of("report", {}).cell == "report"
