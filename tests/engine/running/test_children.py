"""Whatever a method does to its process, to its streams and to its memory, ends with its trial."""

import time

import numpy as np
import psutil
import pytest

X = np.arange(60.0).reshape(20, 3)


def processes_from_here():
    """Return the processes that this one has started, or that its workers have."""
    return {p.pid for p in psutil.Process().children(recursive=True)}


def is_alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until_ended(*pids):
    deadline = time.monotonic() + 10
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(is_alive, pids))


@pytest.mark.parametrize(
    ("method", "status", "message"),
    [
        ("Aborts", "error", "the process died of SIGABRT"),
        ("IsRefusedMemory", "out_of_memory", "asked for 49072 MB at once"),
        ("Exits", "error", "the process ended without a result"),
        ("AsksTheUser", "error", "EOFError: EOF when reading a line"),
        ("GrowsBeyondAnyLimit", "out_of_memory", "MemoryError: Unable to allocate 8.00 TiB"),
    ],
)
def test_end_of_the_process_is_a_status(small, method, status, message):
    outcome = small.outcome(method, seconds=20)
    assert outcome[0] == status
    assert outcome[1].startswith(message)
    assert small.read()[0] == {}


@pytest.mark.parametrize(
    ("method", "cold"),
    [("UsesPool", False), ("UsesPool", True), ("UsesExecutor", False), ("ClosesInput", False)],
)
def test_method_may_use_processes_and_close_its_input(small, method, cold):
    small.cold = cold
    assert small.outcome(method, seconds=20) == ("ok", "")
    expected = X[:, :2] - (method != "ClosesInput")
    np.testing.assert_array_equal(small.read()[0]["embedding"], expected)


@pytest.mark.parametrize("cold", [False, True])
def test_time_limit_is_enforced_on_all_processes(small, cold):
    small.cold = cold
    before = processes_from_here()
    assert small.outcome("Forks", seconds=1) == ("timeout", "ended at its limit of 1 s")
    arrays, meta = small.read()
    assert arrays == {}
    assert 1 <= meta["wall_seconds"] < 40
    assert wait_until_ended(*(processes_from_here() - before))


def test_time_limit_does_not_include_imports(small):
    """Imports, reading and the warm-up come first; the limit is that of the fit."""
    small.cold = True  # a new interpreter imports for more than half a second
    assert small.outcome("Fine", seconds=0.5, imports=("sklearn.manifold",)) == ("ok", "")
    assert small.read()[1]["seconds"] < 0.5


@pytest.mark.parametrize("cold", [False, True])
def test_memory_limit_is_enforced(small, cold):
    small.cold = cold
    expected = ("out_of_memory", "ended at its limit of 400 MB")
    assert small.outcome("Allocates", memory_mb=400) == expected


def test_memory_limit_holds_against_fast_growth(small):
    status, message = small.outcome("GrowsFast", memory_mb=400)
    assert status == "out_of_memory"
    assert "400 MB" in message or "MemoryError" in message


def test_memory_of_a_daemon_counts_and_it_is_ended(small, tmp_path):
    params = {"pid_file": str(tmp_path / "pid"), "seconds": 20}
    outcome = small.outcome("StartsADaemon", params=params, memory_mb=300)
    assert outcome == ("out_of_memory", "ended at its limit of 300 MB")
    assert wait_until_ended(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("cold", [False, True])
def test_daemon_ends_with_its_trial(small, tmp_path, cold):
    small.cold = cold
    params = {"pid_file": str(tmp_path / "pid"), "seconds": 0.1}
    assert small.outcome("StartsADaemon", params=params) == ("ok", "")
    assert wait_until_ended(int((tmp_path / "pid").read_text()))


def test_memory_that_processes_share_counts_once(small):
    assert small.outcome("SharesMemory", memory_mb=500) == ("ok", "")


def test_output_goes_to_the_log_up_to_a_limit(small, capfd):
    assert small.outcome("Prints") == ("ok", "")
    log = small.log()
    assert len(log) < 1_000_100
    assert log.endswith("xxx\n[the rest of the output was dropped]\n")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("cold", [False, True])
def test_traceback_of_a_failed_method_is_in_the_log(small, cold):
    small.cold = cold
    assert small.outcome("Raises")[0] == "error"
    assert "Traceback (most recent call last)" in small.log()
    assert "in act\n    raise RuntimeError" in small.log()


def test_several_trials_at_once_are_written_in_order(small):
    assert small.embed("Random", trials=5, threads=3).made == 5
    assert [row["trial"] for row in small.rows(trials=5)] == list(range(5))
    for trial in range(5):
        expected = np.random.default_rng(100 + trial).normal(size=(20, 2))
        np.testing.assert_array_equal(small.read(trial=trial)[0]["embedding"], expected)
