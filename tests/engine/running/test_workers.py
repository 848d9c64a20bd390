"""The warm parent serves whoever knows its secret, and nothing outlives the run."""

import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from multiprocessing import AuthenticationError

import numpy as np
import psutil
import pytest
from small import DATA, EMBED, SOURCES, Small

from nldr.engine.files import layout
from nldr.engine.files.store import digest_of, read_npz
from nldr.engine.jobs.requests import Request
from nldr.engine.running import warm
from nldr.engine.running.warm import ask
from nldr.engine.running.workers import COMMON, Workers


def test_parent_serves_only_those_who_know_the_secret(small, workers):
    with pytest.raises((AuthenticationError, EOFError, OSError)):
        ask(workers._address_of(COMMON), b"guessed", request_for(small, ()))
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.connect(workers._address_of(COMMON))
        stranger.sendall(b"nonsense")
    assert small.embed("Fine").error == ""
    assert small.rows()[0]["start"] == "warm"
    assert workers._folder.stat().st_mode & 0o77 == 0
    # Nor do methods see it
    assert small.outcome("KnowsTheSecret") == ("ok", "")


def test_packages_of_few_methods_have_a_warm_parent_of_their_own(small, workers):
    small.embed("Fine", imports=("numpy",))
    small.embed("Fine", imports=("numba",))
    small.embed("Random", imports=("numba", "numpy"))
    names = [*workers._parents]
    assert names.count(digest_of("numba")) == 1
    assert COMMON in names
    assert digest_of("numpy") not in names


def request_for(small, imports):
    return Request(small.embed_job(), "", {}, {"manifest": ""}, "", imports)


REAL = {
    "umap": ("nldr.methods.umap.UMAP", {"n_epochs": 20}, ("numba", "umap"), [16]),
    "jax": (
        "nldr.methods.networks.parametric_tsne.ParametricTSNE",
        {"perplexity": 5, "hidden": [8], "n_epochs": 2},
        ("jax", "optax", "equinox"),
        [],
    ),
    "numba": ("nldr.methods.tsne.TSNE", {"perplexity": 5}, ("openTSNE",), []),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.recipe if name == "umap" else ()) for name in REAL],
)
def test_warm_and_cold_results_are_the_same(small, tmp_path, name):
    estimator, params, imports, warm_up = REAL[name]
    params = {"n_components": 2, **params}
    small.data("scatter", params={"n_samples": 30}, expected=DATA.expected | {"n_samples": 30})
    job = replace(EMBED, estimator=estimator, params=params, random_states=[7], warm_up=warm_up)
    rows = []
    for start in ("warm", "cold"):
        small.cold = start == "cold"
        output = str(tmp_path / start / "trials-1.json")
        inputs = {"data": small.file(layout.DATA, 1)}
        assert small.run("embed", job, inputs, output, imports=imports, rows=30).error == ""
        arrays, meta = read_npz(tmp_path / start / "trial-0.npz")
        assert (meta["status"], meta["message"], meta["start"]) == ("ok", "", start)
        assert np.ptp(arrays["embedding"], axis=0).min() > 0
        rows.append(meta)
    assert rows[0]["content"] == rows[1]["content"]
    # The clock of neither has compilation in it.
    assert max(row["cpu_seconds"] for row in rows) < 5


@pytest.mark.parametrize(("rows", "compiled"), [(15, []), (16, [16]), (17, [16])])
def test_what_children_compile_is_compiled_before(small, monkeypatch, rows, compiled):
    fitted = []
    monkeypatch.setattr(warm, "warm_up", lambda _, __, n_rows: fitted.append(n_rows))
    job = replace(small.embed_job(), warm_up=[16])
    request = Request(job, "", {}, {"manifest": ""}, "", rows=rows)
    done = set()
    for _ in range(2):
        warm._compile(request, done)
    assert fitted == compiled


def test_jobs_are_run_cold_where_no_parent_starts(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", SOURCES)
    monkeypatch.setattr("nldr.engine.running.workers.PROGRAM", "nldr.engine.absent")
    workers = Workers("warm", tmp_path / "warm.log")
    small = Small(tmp_path, workers)
    assert small.data().error == ""
    assert small.rows(layout.DATA)[0]["start"] == "cold"
    assert workers.start == "cold"
    workers.stop()
    (tmp_path / "cold").mkdir()
    cold = Small(tmp_path / "cold", Workers("cold", tmp_path / "cold.log"))
    assert cold.data().error == ""


def test_nothing_outlives_the_run(tmp_path):
    """The main process is killed while a trial runs: parent, job and trial end with it."""
    code = (
        "import sys; from pathlib import Path; from small import Small; "
        "from nldr.engine.running.workers import Workers; "
        "w = Workers('warm', Path('warm.log')); s = Small(Path.cwd(), w); "
        "s.data(); s.embed('Random', params={'gate': 'gate.txt'})"
    )
    (tmp_path / "gate.txt").write_text("100")
    main = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, env=os.environ | {"PYTHONPATH": SOURCES}
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "gate.pid").is_file():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    started = psutil.Process(main.pid).children(recursive=True)
    assert len(started) >= 3
    main.send_signal(signal.SIGKILL)
    main.wait()
    _, alive = psutil.wait_procs(started, timeout=10)
    assert alive == []
    assert not (
        tmp_path / layout.EMBEDDINGS.format(data="line", method="planted", trials=1)
    ).exists()
