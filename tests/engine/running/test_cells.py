"""A job makes the trials that are missing, and whatever happens leaves whole files or none."""

import json
import os
import re
import resource
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psutil
import pytest
from conftest import flip, flip_secretly
from small import DATA as DATA_JOB
from small import SOURCES, Small

from nldr.engine.files.layout import DATA, EMBEDDINGS, SCORES
from nldr.engine.files.store import read_npz
from nldr.engine.jobs.specs import Limits
from nldr.engine.running.cells import PEAK_UNITS
from nldr.engine.running.workers import COMMON


def times(small, trials):
    return [small.made(trial=trial).stat().st_mtime_ns for trial in range(trials)]


def contents(small, trials, pattern=EMBEDDINGS):
    return [row["content"] for row in small.rows(pattern, trials)]


# --- trials -------------------------------------------------------------------------------------


def test_more_trials_add_only_the_missing_ones(small):
    assert small.embed("Random", trials=2).made == 2
    before, result = times(small, 2), contents(small, 2)
    assert small.embed("Random", trials=4).made == 2
    assert times(small, 2) == before
    assert contents(small, 4)[:2] == result
    assert len(set(contents(small, 4))) == 4
    # Fewer trials, and the same again, are there already.
    assert small.embed("Random", trials=3).made == small.embed("Random", trials=4).made == 0
    assert small.rows(trials=2) == small.rows(trials=4)[:2]


def test_trials_of_data_have_their_own_embeddings_and_scores(small):
    assert small.data("scatter", trials=3).made == 3
    assert small.embed("Fine", trials=3, data_trials=3).made == 3
    for trial in range(3):
        X = np.random.default_rng(trial).normal(size=(20, 3))
        np.testing.assert_array_equal(small.read(DATA, trial)[0]["X"], X)
        np.testing.assert_array_equal(small.read(trial=trial)[0]["embedding"], X[:, :2])
    assert small.score("distance_from_data", trials=3, data_trials=3).error == ""
    assert [row["scores"]["spread"] for row in small.rows(SCORES, 3)] == [0.0] * 3


def test_changed_parameters_replace_all_trials(small):
    small.embed("Random", trials=2)
    before = contents(small, 2)
    assert small.embed("Random", trials=2, params={"n_components": 1}).made == 2
    assert not set(before) & set(contents(small, 2))
    assert small.embed("Random", trials=2, code="edited", params={"n_components": 1}).made == 2
    # Limits are no part of a result.
    same = {"code": "edited", "params": {"n_components": 1}, "seconds": 59}
    assert small.embed("Random", trials=2, **same).made == 0


def test_changed_data_replace_the_embedding_and_same_data_do_not(small):
    small.embed("Fine")
    assert small.data(code="edited").made == 1
    assert small.embed("Fine").made == 0
    small.data(params={"n_samples": 21}, expected=DATA_JOB.expected | {"n_samples": 21})
    assert small.embed("Fine").made == 1


def test_trial_that_reached_a_limit_is_repeated_under_a_larger_one(small):
    assert small.outcome("Loops", seconds=0.2) == ("timeout", "ended at its limit of 0.2 s")
    assert small.embed("Loops", seconds=0.2).made == 0
    assert small.embed("Loops", seconds=0.1).made == 0
    assert small.embed("Loops", seconds=0.3).made == 1
    small.embed("Raises")
    assert small.embed("Raises", seconds=1000).made == 0


# --- killed at any moment -----------------------------------------------------------------------


def kill_in_a_trial(small, kill, trial=2, trials=4):
    """Run trials, kill something when one of them is running, and return the reply."""
    gate = small.folder / "gate.txt"
    gate.write_text(str(100 + trial))
    with ThreadPoolExecutor() as pool:
        reply = pool.submit(small.embed, "Random", trials, params={"gate": str(gate)})
        waiting = small.folder / "gate.pid"
        deadline = time.monotonic() + 30
        while not waiting.is_file() or not waiting.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process = psutil.Process(int(waiting.read_text()))
        gate.unlink()  # a second attempt does not wait
        kill(process)
        result = reply.result(timeout=60)
    _, alive = psutil.wait_procs([process], timeout=10)
    assert alive == []
    return result


def check_repair(small):
    """Check that a repeated job makes what is missing, and that results are as without the kill."""
    before = times(small, 2)
    reply = small.embed("Random", trials=4, params={"gate": str(small.folder / "gate.txt")})
    assert (reply.error, reply.made <= 2) == ("", True)
    assert times(small, 2) == before
    assert small.leftovers() == []
    for trial in range(4):
        expected = np.random.default_rng(100 + trial).normal(size=(20, 2))
        np.testing.assert_array_equal(small.read(trial=trial)[0]["embedding"], expected)


@pytest.mark.parametrize(
    ("number", "how"),
    [(signal.SIGKILL, "killed from outside"), (signal.SIGTERM, "ended by SIGTERM")],
)
def test_trial_that_is_killed_from_outside_records_nothing(small, number, how):
    reply = kill_in_a_trial(small, lambda trial: trial.send_signal(number))
    assert how in reply.error
    assert reply.killed
    assert not Path(small.file(EMBEDDINGS, 4)).exists()
    assert not small.made(trial=2).exists()
    check_repair(small)


def test_job_that_is_killed_is_run_again(small):
    reply = kill_in_a_trial(small, lambda trial: trial.parent().kill())
    assert (reply.error, reply.made) == ("", 2)
    check_repair(small)


def test_jobs_go_on_if_the_warm_parent_ends(own):
    parent = own.workers._parents[COMMON]
    reply = kill_in_a_trial(own, lambda _: os.kill(parent.pid, signal.SIGKILL))
    assert (reply.error, reply.made) == ("", 2)
    assert [row["start"] for row in own.rows(trials=4)] == ["warm"] * 4
    assert own.workers._parents[COMMON] != parent
    check_repair(own)
    # The end of the run leaves neither a socket nor the parent
    folder = own.workers._folder
    own.workers.stop()
    assert not folder.exists()
    assert own.workers._parents[COMMON].poll() is not None


@pytest.mark.parametrize(("start", "trial"), [("warm", 2), ("cold", 0)])
def test_end_of_the_run_is_no_result(own, start, trial):
    own.workers.start = start
    reply = kill_in_a_trial(own, lambda _: own.workers.stop(), trial, trial + 1)
    assert reply.error == "the run was ended"
    assert not Path(own.file(EMBEDDINGS, trial + 1)).exists()


# --- methods that harm the engine ---------------------------------------------------------------

WHY = "the process of its job was ended in 3 of 3 attempts"


def test_method_that_kills_its_parent_costs_its_own_trials(small):
    reply = small.embed("KillsItsParent", trials=2)
    assert (reply.error, reply.killed) == ("", False)
    assert [(row["status"], row["message"]) for row in small.rows(trials=2)] == [("error", WHY)] * 2
    assert small.embed("KillsItsParent", trials=2).made == 0


def test_metric_that_kills_its_parent_costs_its_own_scores(small):
    small.embed("Fine")
    assert small.score("metric_kills_its_parent", "spread").error == ""
    (row,) = small.rows(SCORES)
    assert row["scores"]["count"] == 20
    assert row["failures"] == [
        {"scorer": "metric_kills_its_parent", "status": "error", "message": WHY}
    ]


def test_method_that_changes_the_folder_has_a_result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", SOURCES)
    small = Small(Path(), None)
    small.data()
    assert small.outcome("ChangesFolder") == ("ok", "")
    assert small.made().is_file()


def test_method_that_replaces_the_library_costs_its_own_trial(small):
    why = "its file is damaged: the method may have changed functions of a library"
    assert small.outcome("ReplacesTheLibrary") == ("error", why)
    assert small.embed("ReplacesTheLibrary").made == 0
    assert small.score("spread").error == ""


# --- failures of the machine --------------------------------------------------------------------


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_file_system_that_is_full(small, tmp_path):
    folder = tmp_path / "results/embeddings"
    folder.mkdir(parents=True)
    if os.system(f"mount -t tmpfs -o size=64k tmpfs {folder} 2>/dev/null"):
        pytest.skip("this machine allows no mounts")
    try:
        (folder / "ballast").write_bytes(b"x" * 60_000)
        reply = small.embed("Random", trials=2)
        assert "No space left on device" in reply.error
        assert small.leftovers() == []
        assert not Path(small.file(EMBEDDINGS, 2)).exists()
        (folder / "ballast").unlink()
        assert small.embed("Random", trials=2).error == ""
        assert len(small.rows(trials=2)) == 2
    finally:
        os.system(f"umount {folder}")


def truncate(path):
    path.write_bytes(path.read_bytes()[:-50])


def change_numbers(path):
    arrays, meta = read_npz(path)
    np.savez(path, meta=np.array(json.dumps(meta)), embedding=arrays["embedding"] + 1)


@pytest.mark.parametrize("damage", [truncate, flip_secretly, Path.unlink])
def test_damaged_data_heal(small, damage):
    """A read error is not the method's; the file is removed, and the next run makes it again."""
    path = small.made(DATA)
    damage(path)
    reply = small.embed("Fine")
    assert "trial-0.npz" in reply.error
    assert reply.made == 0
    assert not Path(small.file(EMBEDDINGS, 1)).exists()
    assert not path.exists()
    assert small.data().made == 1
    assert small.outcome("Fine") == ("ok", "")


@pytest.mark.parametrize("damage", [truncate, flip, change_numbers, Path.unlink])
def test_damaged_trial_is_made_again(small, damage):
    small.embed("Random", trials=2)
    expected = contents(small, 2)
    damage(small.made(trial=1))
    assert small.embed("Random", trials=2).made == 1
    assert contents(small, 2) == expected
    expected_numbers = np.random.default_rng(101).normal(size=(20, 2))
    np.testing.assert_array_equal(small.read(trial=1)[0]["embedding"], expected_numbers)


def test_two_jobs_of_one_cell_wait_for_each_other(small):
    """Two studies may ask for different trials of one cell at the same time."""
    with ThreadPoolExecutor() as pool:
        replies = [pool.submit(small.embed, "Random", trials) for trials in (2, 4)]
    assert sum(reply.result().made for reply in replies) == 4
    assert small.rows(trials=4)[:2] == small.rows(trials=2)


# --- datasets that fail -------------------------------------------------------------------------


def test_failed_dataset_is_the_status_of_its_embeddings(small):
    failure = ("error", "RuntimeError: no such manifold")
    reply = small.data("raises")
    assert (reply.error, reply.failures) == ("", (failure,))
    reply = small.embed("Fine")
    assert (reply.error, reply.made) == ("", 0)
    (row,) = small.rows()
    expected = (failure[0], f"dataset: {failure[1]}", "data")
    assert (row["status"], row["message"], row["stage"]) == expected
    assert small.score("spread").error == ""
    assert small.rows(SCORES) == [{"trial": 0, "scores": {}, "failures": []}]


def test_file_that_cannot_be_read_is_tried_again(small, tmp_path, monkeypatch):
    small.cold = True  # the environment of the warm parent is that of its start
    monkeypatch.setenv("NLDR_PLANTED", str(tmp_path / "original"))
    small.data("cannot_read")
    small.embed("Fine")
    for pattern in (DATA, EMBEDDINGS):
        (row,) = small.rows(pattern)
        assert (row["status"], row["transient"]) == ("error", True)
    (tmp_path / "original").write_text("")
    assert small.data("cannot_read").made == 1
    assert small.outcome("Fine") == ("ok", "")


# --- scores -------------------------------------------------------------------------------------


def test_scores_are_kept_by_content(small):
    small.embed("Random", trials=2)
    assert small.score("spread", trials=2).made == 2
    assert small.score("spread", "metric_omits", trials=2).made == 2
    small.embed("Random", trials=3)
    assert small.score("spread", trials=3).made == 1
    assert small.score("spread", trials=3, code="edited").made == 3


def test_damaged_scores_are_made_again_and_told(small):
    small.embed("Random", trials=3)
    small.score("spread", trials=3)
    cache = Path(small.file(SCORES, 3)).parents[1] / "cache.jsonl"
    cache.write_bytes(b"\xff" + cache.read_bytes()[1:-20])
    reply = small.score("spread", trials=3)
    assert reply.made == 2
    assert reply.notes == (f"{cache}: 2 line(s) are damaged; their scores are computed again",)
    assert small.score("spread", trials=3).notes == ()
    # A pipe is not waited for
    cache.unlink()
    os.mkfifo(cache)
    reply = small.score("spread", trials=3)
    assert (reply.made, len(reply.notes), cache.is_file()) == (3, 1, True)


def test_scorer_gets_the_scores_that_it_uses(small):
    small.embed("Fine")
    assert small.score("doubled", metrics=["doubled"]).error == ""
    (row,) = small.rows(SCORES)
    assert row["scores"] == {"doubled": -1.0}
    small.score("doubled", "spread", metrics=[], code="other")
    (row,) = small.rows(SCORES)
    assert row["scores"]["doubled"] == 2 * row["scores"]["spread"] > 0


def test_metric_that_timed_out_is_repeated_under_a_larger_limit(small):
    small.embed("Fine")
    values = [
        small.score("metric_hangs", limits=Limits(seconds, 2000)).made
        for seconds in (0.2, 0.2, 0.3)
    ]
    assert values == [1, 0, 1]


def test_damaged_embedding_is_not_the_fault_of_the_metric(small):
    small.embed("Fine")
    small.made().write_bytes(b"")
    assert "was changed since it was made" in small.score("spread").error
    assert not Path(small.file(SCORES, 1)).exists()
    assert small.embed("Fine").made == 1
    assert small.score("spread").error == ""


# --- memory -------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells the peak of a process in a file")
def test_peak_memory_is_in_megabytes():
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    kilobytes = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / PEAK_UNITS
    assert peak == pytest.approx(kilobytes / 1024, rel=0.1)
