"""Connections of pilots over TCP on this machine."""

from __future__ import annotations

import json
import os
import queue
import socket
import stat
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from nldr.engine.running import rendezvous
from nldr.engine.running.rendezvous import Door, Hello, connect, introduce, own_addresses

Arrivals = queue.Queue[tuple[Hello, Connection]]


@pytest.fixture
def arrivals() -> Arrivals:
    return queue.Queue()


@pytest.fixture
def door(tmp_path: Path, arrivals: Arrivals) -> Iterator[Door]:
    door = Door(tmp_path / "slurm/address", lambda *arrival: arrivals.put(arrival), "127.0.0.1")
    yield door
    door.close()


def test_a_pilot_connects_and_both_sides_talk(
    door: Door, arrivals: Arrivals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", "3")
    ours = connect(door.file)
    hello, theirs = arrivals.get(timeout=5)
    assert (hello.job, hello.cores, hello.pid) == ("17", 3, os.getpid())
    theirs.send({"request": [1, 2]})
    assert ours.recv() == {"request": [1, 2]}
    ours.send_bytes(b"x" * 10**6)
    assert len(theirs.recv_bytes()) == 10**6
    # The end of one side is seen by the other.
    ours.close()
    with pytest.raises(EOFError):
        theirs.recv()


def test_the_secret_is_readable_by_its_owner_only(door: Door) -> None:
    assert stat.S_IMODE(door.file.stat().st_mode) == 0o600
    assert [path.name for path in door.file.parent.iterdir()] == ["address"]


def test_a_wrong_secret_is_refused(door: Door, arrivals: Arrivals) -> None:
    offer = json.loads(door.file.read_text())
    door.file.write_text(json.dumps(offer | {"secret": "guessed"}))
    with pytest.raises(ConnectionError, match=r"127\.0\.0\.1: is not our main process"):
        connect(door.file)
    assert arrivals.empty()


def test_a_silent_stranger_keeps_nobody_waiting(door: Door, arrivals: Arrivals) -> None:
    with socket.create_connection(("127.0.0.1", door.port)):
        connect(door.file).close()
        assert arrivals.get(timeout=5)[0].node


def test_an_unreachable_address_is_followed_by_the_next(door: Door, arrivals: Arrivals) -> None:
    offer = json.loads(door.file.read_text())
    door.file.write_text(json.dumps(offer | {"hosts": ["no-such-host.invalid", "127.0.0.1"]}))
    connect(door.file).close()
    assert arrivals.get(timeout=5)[0].node


def test_an_address_without_answer_is_named(door: Door) -> None:
    door.close()
    offer = {"hosts": ["127.0.0.1"], "port": door.port, "secret": "s"}
    door.file.write_text(json.dumps(offer))
    with pytest.raises(ConnectionError, match=r"127\.0\.0\.1: .*refused.*set `host`"):
        connect(door.file)


def test_a_missing_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendezvous, "LATENCY", 0)
    with pytest.raises(ConnectionError, match="address does not exist: the run has ended"):
        connect(tmp_path / "address")


def test_a_silent_server_is_left_after_the_timeout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendezvous, "TIMEOUT", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        offer = {"hosts": ["127.0.0.1"], "port": silent.getsockname()[1], "secret": "s"}
        (tmp_path / "address").write_text(json.dumps(offer))
        with pytest.raises(ConnectionError, match=r"127\.0\.0\.1"):
            connect(tmp_path / "address")


def test_closing_removes_the_file_and_takes_no_more(door: Door) -> None:
    door.close()
    assert not door.file.exists()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", door.port), timeout=1)


def test_an_introduction_uses_what_slurm_granted() -> None:
    granted = {"SLURM_JOB_ID": "5", "SLURMD_NODENAME": "node7", "SLURM_CPUS_PER_TASK": "16",
               "SLURM_MEM_PER_NODE": "64000"}  # fmt: skip
    assert introduce(granted) == Hello("5", "node7", os.getpid(), 16, 64000)
    without = introduce({})
    assert without.cores == os.cpu_count()
    assert without.memory_mb > 0


def test_names_come_before_addresses_and_the_loopback_last() -> None:
    found = own_addresses()
    assert found[0] == socket.getfqdn()
    assert found[-1].startswith("127.")
    assert len(set(found)) == len(found)
