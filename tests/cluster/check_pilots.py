"""Check pilots on a real Slurm: throughput, loss, refusal. Takes about three minutes.

    python tests/cluster/check_pilots.py [--requests 5000]

A private cluster is started (see slurm.py) and removed at the end. The requests only sleep, so two
cores are enough for a pretended node of many.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import slurm

from nldr.engine.running.pilots import Pilots, PilotSettings, SlurmError
from nldr.engine.running.rendezvous import Door, Hello

HERE = Path(__file__).parent


class Main:
    """A small main process: it hands requests to pilots and sends lost ones again."""

    def __init__(self, folder: Path, **settings) -> None:
        self.settings = PilotSettings(**settings)
        self.waiting: list[tuple[int, float, int]] = []
        self.given: dict[str, dict[int, tuple]] = {}
        self.done: set[int] = set()
        self.resent = 0
        self.lock = threading.Lock()
        self.messages: list[str] = []
        address = folder / "address"
        self.door = Door(address, self.welcome, self.settings.host)
        command = [sys.executable, str(HERE / "pilot.py"), str(address)]
        self.pilots = Pilots(command, folder, self.settings, self.note)

    def note(self, message: str) -> None:
        self.messages.append(message)
        print("   ", message)

    def welcome(self, hello: Hello, link: Connection) -> None:
        """Keep a pilot's cores busy until its connection ends."""
        self.pilots.connected(hello.job)
        with self.lock:
            given = self.given[hello.job] = {}
        try:
            while True:
                with self.lock:
                    while self.waiting and len(given) < hello.cores:
                        request = self.waiting.pop()
                        given[request[0]] = request
                        link.send(request)
                if link.poll(0.2):
                    number = link.recv()
                    with self.lock:
                        del given[number]
                        self.done.add(number)
        except (EOFError, OSError):
            with self.lock:
                self.resent += len(given)
                # A request that fills memory would do so again.
                self.waiting += [(number, seconds, 0) for number, seconds, _ in given.values()]
                del self.given[hello.job]

    def run(
        self, requests: list[tuple[int, float, int]], meanwhile: Callable = lambda: None
    ) -> float:
        """Run requests to their end and return the seconds; ``meanwhile`` runs at each poll."""
        begin = time.monotonic()
        self.waiting += requests
        while len(self.done) < len(requests):
            self.pilots.poll()
            with self.lock:
                wanted = len(self.waiting) + sum(map(len, self.given.values()))
            self.pilots.ensure(wanted)
            meanwhile()
            time.sleep(1)
        return time.monotonic() - begin

    def close(self) -> None:
        self.door.close()
        self.pilots.cancel()


def check_throughput(folder: Path, requests: int) -> None:
    main = Main(folder, cores=8, memory_mb=500, pilots=8, submissions=20)
    seconds = main.run([(number, 1.0, 0) for number in range(requests)])
    ideal = requests / 64
    submitted = len(main.pilots.poll())
    main.close()
    print(f"  {requests} requests of 1 s on 64 cores: {seconds:.1f} s, ideal {ideal:.1f} s, "
          f"{submitted} submissions")  # fmt: skip
    assert submitted <= 20
    assert seconds < 2 * ideal + 5


def check_loss(folder: Path, lose: Callable[[Main], None], state: str) -> None:
    """Lose the first pilot once it works; all requests must end, one pilot more than at first."""
    main = Main(folder, cores=4, memory_mb=500, pilots=2, submissions=4)
    lost: list[float] = []

    def meanwhile() -> None:
        if not lost and len(main.given) == 2 and all(main.given.values()):
            lost.append(time.monotonic())
            lose(main)

    seconds = main.run([(number, 3.0, 0) for number in range(24)], meanwhile)
    states = main.pilots.poll()
    main.close()
    print(f"  24 requests of 3 s in {seconds:.1f} s, {main.resent} sent again, states {states}")
    assert state in states.values()
    assert main.resent > 0


def check_memory(folder: Path) -> None:
    main = Main(folder, cores=4, memory_mb=400, pilots=1, submissions=3)
    seconds = main.run([(0, 1.0, 2000), *((number, 1.0, 0) for number in range(1, 8))])
    states = main.pilots.poll()
    main.close()
    print(f"  in {seconds:.1f} s, {main.resent} sent again, states {states}")
    assert len(states) == 2
    assert main.resent > 0


def check_walltime(folder: Path) -> None:
    main = Main(folder, cores=4, memory_mb=400, minutes=1, pilots=1, submissions=3)
    seconds = main.run([(number, 45.0, 0) for number in range(6)])
    states = main.pilots.poll()
    main.close()
    print(f"  six requests of 45 s, 4 at a time, 1 minute a pilot: {seconds:.1f} s, {states}")
    assert "TIMEOUT" in states.values()


def check_outage(folder: Path, cluster: Path) -> None:
    """Stop the controller while requests run, and start it again after some seconds."""
    main = Main(folder, cores=4, memory_mb=500, pilots=1, submissions=2)
    polls = []

    def meanwhile() -> None:
        polls.append(0)
        if len(polls) == 4:
            slurm.end(cluster / "slurmctld.pid")
        if len(polls) == 6:
            slurm.run([str(cluster / "bin/slurmctld")])

    seconds = main.run([(number, 2.0, 0) for number in range(40)], meanwhile)
    states = main.pilots.poll()
    main.close()
    print(f"  40 requests of 2 s, 4 at a time: {seconds:.1f} s, {states}")
    assert len(states) == 1
    assert main.resent == 0


def check_refusals(folder: Path) -> None:
    for settings in ({"partition": "none"}, {"memory_mb": 10**7}, {"options": ["--qos"]},
                     {"partition": "short", "minutes": 100000}):  # fmt: skip
        pilots = Pilots(["true"], folder, PilotSettings(**settings), print)
        try:
            pilots.ensure(1)
        except SlurmError as error:
            print("  " + str(error).replace("\n", "\n  "))
            continue
        # Slurm accepts a pilot that can only start once the partition's limits have changed.
        pilots.poll()
        pilots.cancel()


def check_dead_start(folder: Path) -> None:
    pilots = Pilots(["/no/such/python"], folder, PilotSettings(cores=1, memory_mb=100), print)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        pilots.poll()
        try:
            pilots.ensure(1)
        except SlurmError as error:
            print("  " + str(error).replace("\n", "\n  "))
            return
        time.sleep(0.5)
    raise AssertionError("pilots that end at once did not end the run")


def scancel(main: Main) -> None:
    subprocess.run(["scancel", min(main.given)], check=True)


def fail_node(main: Main) -> None:
    """Declare the node down, which ends all jobs on it; it reports back by itself."""
    update = ["scontrol", "update", f"nodename={slurm.NODE}", "state=down", "reason=test"]
    subprocess.run(update, check=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=1500)
    parser.add_argument("--only", help="name of one check")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, cluster = Path(name), Path(name) / "cluster"
        os.environ["PATH"] = f"{slurm.start(cluster, 64, 16000)}:{os.environ['PATH']}"
        checks: dict[str, Callable[[Path], None]] = {
            "throughput": lambda f: check_throughput(f, chosen.requests),
            "scancel": lambda f: check_loss(f, scancel, "CANCELLED"),
            "node_failure": lambda f: check_loss(f, fail_node, "NODE_FAIL"),
            "memory": check_memory,
            "walltime": check_walltime,
            "outage": lambda f: check_outage(f, cluster),
            "refusals": check_refusals,
            "dead_start": check_dead_start,
        }
        try:
            for check, function in checks.items():
                if chosen.only in (None, check):
                    print(f"{check}:", flush=True)
                    function(folder / check)
        finally:
            slurm.stop(cluster)


if __name__ == "__main__":
    main()
