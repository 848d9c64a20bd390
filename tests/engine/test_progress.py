"""Forecast and summary of a run, and the lock that admits one run per folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nldr.engine import progress
from nldr.engine.progress import Busy, describe_run, forecast, hold_lock, read_records, split_jobs


def job(rule: str, **wildcards: str) -> SimpleNamespace:
    name = SimpleNamespace(name=rule)
    return SimpleNamespace(rule=name, wildcards_dict=wildcards, done=False)


class Dag:
    def __init__(self, needed: list, cached: list) -> None:
        self.jobs, self._needed = [*needed, *cached], needed

    def needrun(self, job: SimpleNamespace) -> bool:
        return job in self._needed

    def finished(self, job: SimpleNamespace) -> bool:
        return job.done


def test_forecast_counts_and_estimates(tmp_path: Path) -> None:
    dag = Dag(
        [job("data", data="gp", trial="0"), job("embed", data="gp", method="pca", trial="0"),
         job("embed", data="gp", method="tsne", trial="0"), job("all")],
        [job("data", data="digits", trial="0")],
    )  # fmt: skip
    needed, cached = split_jobs(dag)
    assert needed == [("data", "gp"), ("embed", "gp/pca"), ("embed", "gp/tsne")]
    records = tmp_path / "records.tsv"
    assert "no earlier runs to estimate the time from" in forecast(needed, cached, 2, records)
    records.write_text("data\tgp\t3.0\nembed\tgp/pca\t7\nembed\tgp/pca\t1\nbroken\nembed\tx\tte")
    assert read_records(records) == {("data", "gp"): 3.0, ("embed", "gp/pca"): 1.0}
    text = forecast(needed, cached, 2, records)
    assert "about 2 s on 2 core(s)" in text
    assert "data           1       1" in text
    assert "embed          2       0" in text
    assert "at least 3 s on 1" in forecast([("data", "gp"), ("score", "s")], cached, 1, records)


def test_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what this run made or found up to date counts, not what an earlier one left."""
    monkeypatch.chdir(tmp_path)
    Path("results/tables").mkdir(parents=True)
    for study in "abc":
        text = 'status,message\nok,\nok,\ntimeout,"x\ny"\n'
        Path(f"results/tables/{study}.csv").write_text(text)
    made = job("table", study="b")
    made.done = True
    needed = [made, job("figure", figure="b"), job("table", study="c"), job("figure", figure="c")]
    cached = [job("table", study="a"), job("figure", figure="a"), job("figure", figure="more")]
    figures = {"a": ["a", "more"], "b": ["b"], "c": ["c"]}
    plan: Any = SimpleNamespace(
        studies={study: SimpleNamespace(figures=names) for study, names in figures.items()}
    )
    text = describe_run(Dag(needed, cached), plan, False)
    assert text.splitlines()[:3] == [
        "a: 2 ok, 1 timeout -> results/figures/a.pdf, results/figures/more.pdf",
        "b: 2 ok, 1 timeout -> no figure b",
        "c: no table in this run: see the errors above",
    ]
    assert "results/logs" in text
    assert describe_run(Dag([], [job("table", study="a")]), plan, True) == "a: 2 ok, 1 timeout"


def test_lock_ends_with_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    left = Path("results/data/gp/.tmp-1-trial-0.npz")
    left.parent.mkdir(parents=True)
    left.write_text("half")
    lock = tmp_path / ".snakemake/nldr/lock"
    code = "import sys, time; from pathlib import Path; " \
           "from nldr.engine.progress import hold_lock; " \
           f"hold_lock(Path({str(lock)!r})); print('held', flush=True); time.sleep(60)"  # fmt: skip
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "src"))
    other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    assert not left.exists()
    with pytest.raises(Busy, match=f"process {other.pid}"):
        hold_lock(lock)
    other.kill()
    other.communicate()
    hold_lock(lock)
    assert lock.read_text() == str(os.getpid())
    progress._held.pop().close()
