"""Requests of a run on a cluster: they wait here until a pilot job has a free core."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from sys import executable

from nldr.engine.files.layout import STATE
from nldr.engine.jobs.requests import Reply, Request
from nldr.engine.running.pilots import Pilots, PilotSettings, SlurmError
from nldr.engine.running.rendezvous import Door, Hello

SECONDS_BETWEEN_POLLS = 3
ATTEMPTS = 3  # of a job whose pilot was lost, or that was killed on its node


@dataclass
class _Ticket:
    """A request that waits for its reply."""

    request: Request
    ended: threading.Event = field(default_factory=threading.Event)
    reply: Reply | None = None
    attempts: int = 0

    def end(self, reply: Reply) -> None:
        self.reply = reply
        self.ended.set()


class Pool:
    """Hands the requests of a run to pilot jobs; any thread may ask.

    A request whose pilot is lost is sent again to another one: the machine failed, not the method,
    and the trials that it had finished are kept.

    Parameters
    ----------
    settings : PilotSettings
        Size and number of the pilots.
    log : callable
        Receives one line for each change of a pilot.
    """

    def __init__(self, settings: PilotSettings, log: Callable[[str], None]) -> None:
        folder = Path(STATE).absolute() / "slurm"
        folder.mkdir(parents=True, exist_ok=True)
        self._changed = threading.Condition()
        self._waiting: list[_Ticket] = []
        self._given: dict[str, dict[int, _Ticket]] = {}
        self._stopped = ""
        self._door = Door(folder / "address", self._welcome, settings.host)
        command = [executable, "-m", "nldr.engine.running.pilot", str(self._door.file)]
        self._pilots = Pilots(command, folder, settings, log)
        threading.Thread(target=self._watch, daemon=True).start()

    def run(self, request: Request) -> Reply:
        """Run a job on some pilot and wait for its end."""
        ticket = _Ticket(request)
        with self._changed:
            if self._stopped:
                return Reply(error=self._stopped)
            self._waiting.append(ticket)
            self._changed.notify_all()
        ticket.ended.wait()
        assert ticket.reply is not None
        return ticket.reply

    def stop(self, why: str = "the run was ended") -> None:
        """End all pilots, and all requests with an error."""
        with self._changed:
            if self._stopped:
                return
            self._stopped = why
            left = [*self._waiting, *(t for given in self._given.values() for t in given.values())]
            self._waiting.clear()
            self._changed.notify_all()
        for ticket in left:
            ticket.end(Reply(error=why))
        self._door.close()
        self._pilots.cancel()

    def _watch(self) -> None:
        """Keep as many pilots as there is work for."""
        while True:
            with self._changed:
                self._changed.wait(SECONDS_BETWEEN_POLLS)
                if self._stopped:
                    return
                given = [ticket for tickets in self._given.values() for ticket in tickets.values()]
                wanted = sum(ticket.request.threads for ticket in [*self._waiting, *given])
            try:
                self._pilots.poll()
                self._pilots.ensure(wanted)
            except SlurmError as error:
                self.stop(str(error))
                return

    def _welcome(self, hello: Hello, link: Connection) -> None:
        """Keep the cores of a pilot busy until its connection ends."""
        self._pilots.connected(hello.job)
        name = f"{hello.job}-{hello.node}-{hello.pid}"
        given: dict[int, _Ticket] = {}
        with self._changed:
            self._given[name] = given
        receiver = threading.Thread(target=self._receive, args=(link, given), daemon=True)
        receiver.start()
        number = 0
        while receiver.is_alive() and not self._stopped:
            with self._changed:
                ticket = self._next(given, hello.cores)
                if ticket is None:
                    self._changed.wait(1)
                    continue
                number += 1
                given[number] = ticket
            try:
                link.send((number, ticket.request))
            except OSError:
                break
        # The pilot, and the thread that receives, learn that the connection has ended.
        with suppress(OSError), socket.socket(fileno=os.dup(link.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)
        link.close()
        with self._changed:
            del self._given[name]
            lost = list(given.values())
        for ticket in lost:
            self._again(ticket, f"pilot {hello.job} was lost")

    def _next(self, given: dict[int, _Ticket], cores: int) -> _Ticket | None:
        """Return the next request that fits into the free cores of a pilot, and take it."""
        free = cores - sum(min(t.request.threads, cores) for t in given.values())
        for index, ticket in enumerate(self._waiting):
            if min(ticket.request.threads, cores) <= free:
                return self._waiting.pop(index)
        return None

    def _receive(self, link: Connection, given: dict[int, _Ticket]) -> None:
        """Take replies from a pilot until its connection ends."""
        while True:
            try:
                number, reply = link.recv()
            except (EOFError, OSError):
                with self._changed:
                    self._changed.notify_all()
                return
            with self._changed:
                ticket = given.pop(number)
                self._changed.notify_all()
            if reply.killed:
                self._again(ticket, reply.error)
            else:
                ticket.end(reply)

    def _again(self, ticket: _Ticket, why: str) -> None:
        """Put a request back, unless it was lost too often."""
        ticket.attempts += 1
        with self._changed:
            if not self._stopped and ticket.attempts < ATTEMPTS:
                self._waiting.append(ticket)
                self._changed.notify_all()
                return
        ticket.end(Reply(error=self._stopped or f"{why}, for the {ATTEMPTS}rd time"))
