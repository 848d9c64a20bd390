"""Requests go to pilots as far as these have cores, and again when a pilot is lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Pipe
from pathlib import Path
from typing import Any

import pytest

from nldr.engine.jobs.requests import Reply, Request
from nldr.engine.running import pool as module
from nldr.engine.running.pilots import PilotSettings, SlurmError
from nldr.engine.running.pool import Pool
from nldr.engine.running.rendezvous import Hello


class Submissions:
    """Stands in for Slurm: notes how many cores were wanted, and submits nothing."""

    def __init__(self, *_: Any) -> None:
        self.wanted: list[int] = []
        self.canceled = False
        self.error = ""

    def ensure(self, cores: int) -> None:
        self.wanted.append(cores)

    def poll(self) -> None:
        if self.error:
            raise SlurmError(self.error)

    def connected(self, job: str) -> None:
        pass

    def cancel(self) -> None:
        self.canceled = True


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "Pilots", Submissions)
    monkeypatch.setattr(module, "SECONDS_BETWEEN_POLLS", 0.02)
    pool = Pool(PilotSettings(host="127.0.0.1"), lambda _: None)
    yield pool
    pool.stop()


class Pilot:
    """A pilot of two cores that collects requests."""

    def __init__(self, pool: Pool, pid: int = 1) -> None:
        theirs, self.link = Pipe()
        hello = Hello("17", "node1", pid, 2, 1000)
        threading.Thread(target=pool._welcome, args=(hello, theirs), daemon=True).start()

    def take(self) -> tuple[int, Request]:
        assert self.link.poll(5), "no request arrived"
        return self.link.recv()


def request(name: str, threads: int = 1) -> Request:
    return Request(None, name, {}, {"manifest": ""}, "", threads=threads)


@pytest.fixture
def ask(pool: Pool) -> Iterator[Callable[..., Future[Reply]]]:
    with ThreadPoolExecutor(8) as threads:
        yield lambda *what: threads.submit(pool.run, request(*what))
        pool.stop()


Ask = Callable[..., Future[Reply]]


def test_requests_wait_for_a_free_core(pool: Pool, ask: Ask) -> None:
    replies = {name: ask(name) for name in "abc"}
    pilot = Pilot(pool)
    numbers = {}
    for _ in range(2):
        number, found = pilot.take()
        numbers[found.key] = number
    assert not pilot.link.poll(0.2)
    done = next(iter(numbers))
    pilot.link.send((numbers[done], Reply(made=3)))
    assert replies[done].result(timeout=5).made == 3
    third = pilot.take()
    assert {*numbers, third[1].key} == set("abc")


def test_large_request_gets_a_pilot_of_its_own(pool: Pool, ask: Ask) -> None:
    """One that asks for more cores than there are runs on all of them; small ones go past it."""
    pilot = Pilot(pool)
    ask("small")
    number, _ = pilot.take()
    ask("large", 16)
    time.sleep(0.1)
    ask("other")
    assert pilot.take()[1].key == "other"
    assert not pilot.link.poll(0.2)
    pilot.link.send((number, Reply()))
    assert not pilot.link.poll(0.2)
    pilot.link.send((number + 1, Reply()))
    assert pilot.take()[1].key == "large"


def test_request_of_a_lost_pilot_is_sent_again(pool: Pool, ask: Ask) -> None:
    reply = ask("a")
    for pid in (1, 2):
        pilot = Pilot(pool, pid)
        assert pilot.take()[1].key == "a"
        pilot.link.close()
    pilot = Pilot(pool, 3)
    pilot.link.send((pilot.take()[0], Reply(made=2)))
    assert reply.result(timeout=5) == Reply(made=2)


def test_request_that_is_lost_too_often_fails(pool: Pool, ask: Ask) -> None:
    reply = ask("a")
    for pid in range(module.ATTEMPTS):
        pilot = Pilot(pool, pid)
        pilot.take()
        pilot.link.close()
    assert reply.result(timeout=5).error == "pilot 17 was lost, for the 3rd time"


def test_job_that_was_killed_on_its_node_is_sent_again(pool: Pool, ask: Ask) -> None:
    reply = ask("a")
    pilot = Pilot(pool)
    number, _ = pilot.take()
    pilot.link.send((number, Reply(error="killed from outside", killed=True)))
    number, _ = pilot.take()
    # What fails for another reason would fail again.
    pilot.link.send((number, Reply(error="the disk is full")))
    assert reply.result(timeout=5).error == "the disk is full"


def test_as_many_cores_are_asked_for_as_there_is_work_for(pool: Pool, ask: Ask) -> None:
    ask("a")
    ask("b", 4)
    deadline = time.monotonic() + 5
    while pool._pilots.wanted[-1:] != [5]:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_error_of_slurm_ends_all_requests(pool: Pool, ask: Ask) -> None:
    reply = ask("a")
    pool._pilots.error = "sbatch: invalid account"
    assert reply.result(timeout=5).error == "sbatch: invalid account"
    assert pool.run(request("b")).error == "sbatch: invalid account"
    deadline = time.monotonic() + 5
    while not pool._pilots.canceled:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_stop_ends_all_requests_and_pilots(pool: Pool, ask: Ask) -> None:
    replies = [ask(name) for name in "abc"]
    pilot = Pilot(pool)
    pilot.take()
    pool.stop()
    assert {reply.result(timeout=5).error for reply in replies} == {"the run was ended"}
    assert pool._pilots.canceled
