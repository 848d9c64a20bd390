"""One run at a time works in a folder; it records what it made and says what it lost."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import ROOT, our_plan
from snakemake.iocontainers import Wildcards

from nldr.engine.cost.records import read_records
from nldr.engine.files.layout import LOG, RECORDS
from nldr.engine.files.store import write_manifest
from nldr.engine.jobs.requests import Reply
from nldr.engine.running.build import Build, Busy, JobFailed

CELL = "gp@n_features=10@n_samples=100"


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Return a build in an empty folder whose jobs reply at once."""
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    build = Build(our_plan())
    build.requests = []
    build.reply = Reply(made=3, cpu_seconds=0.5)

    def run(request):
        build.requests.append(request)
        return build.reply

    workers = SimpleNamespace(run=run, stopped=False)
    workers.stop = lambda: setattr(workers, "stopped", True)
    monkeypatch.setattr(build, "_start", lambda: workers)
    # Runs that a test does not end stay silent
    monkeypatch.setattr("nldr.engine.running.progress.QUIET_SECONDS", 3600.0)
    build._workers = workers
    yield build
    if build._lock is not None:
        build._lock.close()


def run_data(build):
    wildcards = Wildcards(fromdict={"data": CELL, "trials": "2"})
    log = [LOG.format(stage="data", cell=f"{CELL}/2")]
    build.run("data", wildcards, {}, {"manifest": Path("results/x.json")}, log, 1)


def test_job_is_sent_with_its_files_and_recorded(build):
    write_manifest("results/x.json", key="", trials=[{"bytes": 10}])
    run_data(build)
    (request,) = build.requests
    assert request.manifest == "results/x.json"
    assert request.log == f"results/logs/data/{CELL}/2.log"
    assert request.job == build.plan.data_job(CELL, 2)
    (record,) = read_records(Path(RECORDS)).values()
    assert (record.work.stage, record.work.data, record.trials) == ("data", CELL, 3)


def test_job_that_recorded_nothing_fails_and_is_not_recorded(build):
    build.reply = Reply(error="the disk is full")
    with pytest.raises(JobFailed, match=rf"^data {CELL}/2: the disk is full$"):
        run_data(build)
    assert not Path(RECORDS).exists()


def test_a_name_of_nothing_ends_the_run(build, capsys):
    with pytest.raises(SystemExit) as ended:
        build.owner("galery")
    assert ended.value.code == 1
    assert capsys.readouterr().err.strip().endswith("did you mean 'gallery'?")


def test_failed_trials_do_not_fail_the_job(build):
    build.reply = Reply(made=1, failures=(("timeout", "too slow"),))
    run_data(build)


def test_report_shows_what_earlier_runs_built_by_name(build):
    first, other = list(build.plan.studies)[:2]
    build.plan.selected = [first]
    table = Path(build.plan.outputs.table.format(study=other))
    table.parent.mkdir(parents=True)
    table.write_text("")
    build.report()
    (request,) = build.requests
    assert [*request.job.studies] == [first, other]


def begin(build):
    dag = SimpleNamespace(jobs=[])
    build.begin(SimpleNamespace(dag=dag, cores=2))


@pytest.fixture
def interrupts():
    """Put the handlers back that a run replaces."""
    before = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)}
    yield
    for name, handler in before.items():
        signal.signal(name, handler)


def test_remains_of_a_crash_are_removed(build, interrupts):
    left = Path("results/data/gp/.tmp-1-trial-0.npz")
    left.parent.mkdir(parents=True)
    left.write_text("half")
    begin(build)
    assert not left.exists()
    build.end(True)


def test_results_from_the_future_are_dated_as_of_now(build, interrupts, capsys):
    past, future = Path("results/past.csv"), Path("results/future.csv")
    for path, year in ((past, 2020), (future, 2100)):
        path.write_text("x")
        os.utime(path, (seconds := time.mktime((year, 1, 1, 0, 0, 0, 0, 0, 0)), seconds))
    before = time.time()
    begin(build)
    assert past.stat().st_mtime < before - 1e6
    assert before - 60 < future.stat().st_mtime < time.time() + 1
    assert "the clock was set back: 1 result(s) get the current date" in capsys.readouterr().err
    build.end(True)


def test_lock_ends_with_its_process(build, interrupts):
    code = (
        "import sys, time; from nldr.engine.running.build import Build; "
        "b = Build.__new__(Build); b.hold_lock(); print('held', flush=True); time.sleep(60)"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert other.stdout.readline() == "held\n"
    left = Path("results/.tmp-1-x")
    left.write_text("of the other run")
    with pytest.raises(Busy, match="another run works in this folder"):
        begin(build)
    assert left.exists()
    other.kill()
    other.communicate()
    begin(build)
    build.end(True)


def test_end_of_the_run_while_the_report_is_made_is_one_line(
    build, interrupts, capsys, monkeypatch
):
    begin(build)
    monkeypatch.setattr(build, "_targets", lambda: ["gallery"])
    monkeypatch.setattr(build._workers, "run", lambda _: os.kill(os.getpid(), signal.SIGTERM))
    with pytest.raises(SystemExit) as ended:
        build.end(True)
    assert ended.value.code == 130
    assert build._workers.stopped
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "interrupted while making the report: `nldr report` makes it from what is built"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_ends_the_jobs_first(build, interrupts, number):
    begin(build)
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), number)
    assert build._workers.stopped


def test_second_signal_does_not_stop_the_workers_within_their_stop(build, interrupts, monkeypatch):
    calls = []

    def stop():
        calls.append("begin")
        if len(calls) == 1:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.05)
        calls.append("end")

    begin(build)
    monkeypatch.setattr(build._workers, "stop", stop)
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    assert calls == ["begin", "end"]
