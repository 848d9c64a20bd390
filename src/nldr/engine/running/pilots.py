"""Pilot jobs on a Slurm cluster: few long jobs that each start a warm parent and ask for work."""

from __future__ import annotations

import os
import secrets
import shlex
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from nldr.engine.reading.parsing import Strict

# States of Slurm in which a pilot works, or still may.
ACTIVE = ("PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING")
# Reasons to wait in the queue that pass by themselves.
USUAL = ("None", "Priority", "Resources", "BeginTime")
# Seconds for which a controller may refuse all pilots after it has accepted some.
PATIENCE = 1800
# Seconds after which a submitted pilot must be in the queue.
VISIBLE_AFTER = 60
# Number of pilots in a row that may end without having connected.
FAILED_STARTS = 3


class SlurmError(RuntimeError):
    """Slurm cannot run our pilots; the message says why and what to do."""


class PilotSettings(Strict):
    """Size and number of the pilot jobs, and how they are submitted."""

    account: str | None = Field(default=None, description="account that Slurm charges")
    partition: str | None = Field(default=None, description="partition; Slurm's default if absent")
    cores: int = Field(default=4, ge=1, description="cores of one pilot, all on one node")
    memory_mb: int = Field(default=16000, gt=0, description="memory of one pilot")
    minutes: int = Field(default=240, gt=0, description="time limit of one pilot")
    pilots: int = Field(default=10, ge=1, description="largest number of pilots at once")
    submissions: int = Field(default=20, ge=1, description="largest number of pilots in one run")
    options: list[str] = Field(default=[], description="further options of sbatch")
    host: str | None = Field(
        default=None, description="name or address by which nodes reach this machine"
    )


@dataclass
class _Pilot:
    """A submitted pilot: its last state in Slurm, and whether it has connected to us."""

    submitted: float
    state: str = "PENDING"
    reason: str = ""
    connected: bool = False


class Pilots:
    """The pilot jobs of one run.

    Call ``poll`` and then ``ensure`` every few seconds: a pilot that has ended, for whatever
    reason, no longer counts and is replaced while its cores are wanted.

    Parameters
    ----------
    command : list of str
        What a pilot runs on its node, with the Python of this process.
    folder : Path
        Folder on the shared file system for the pilots' logs, one ``<job id>.log`` each.
    settings : PilotSettings
        Size and number of the pilots.
    log : callable
        Receives one line for each change of a pilot.
    """

    def __init__(
        self, command: list[str], folder: Path, settings: PilotSettings, log: Callable[[str], None]
    ) -> None:
        self.command = command
        self.folder = folder.resolve()
        self.settings = settings
        self.log = log
        # A name of its own tells the pilots of this run from all other jobs.
        self.name = f"nldr-{secrets.token_hex(4)}"
        self._pilots: dict[str, _Pilot] = {}
        self._refused_since: float | None = None
        self._last_problem = ""

    @property
    def active(self) -> list[str]:
        """The ids of the pilots that work or wait in the queue, as of the last poll."""
        return [job for job, pilot in self._pilots.items() if pilot.state in ACTIVE]

    def connected(self, job: str) -> None:
        """Note that a pilot has connected, so that it counts as started."""
        if job in self._pilots:
            self._pilots[job].connected = True

    def ensure(self, wanted_cores: int) -> None:
        """Submit pilots until those in the queue have ``wanted_cores``, within the settings.

        Raises
        ------
        SlurmError
            If no pilot can be had: sbatch refuses them, they end before they connect, or all
            submissions of this run are used.
        """
        needed = min(-(-wanted_cores // self.settings.cores), self.settings.pilots)
        while len(self.active) < needed:
            if self._stop_if_hopeless() or not self._submit():
                return

    def poll(self) -> dict[str, str]:
        """Return the state of each submitted pilot; one that has left the queue is ``GONE``."""
        if not self.active:
            return {job: pilot.state for job, pilot in self._pilots.items()}
        # Finished jobs stay in the queue for minutes, so accounting is not needed.
        filters = [f"--user={os.getuid()}", f"--name={self.name}", "--states=all"]
        done = _run(["squeue", "--noheader", *filters, "--format=%i|%T|%r"])
        if done.returncode != 0:
            self._report(f"squeue fails, will ask again: {_text(done)}")
            return {job: pilot.state for job, pilot in self._pilots.items()}
        lines = [line.strip().split("|") for line in done.stdout.splitlines()]
        found = {line[0]: (line[1], line[2]) for line in lines if len(line) == 3}
        for job in self.active:
            self._update(job, *found.get(job, ("GONE", "left the queue")))
        return {job: pilot.state for job, pilot in self._pilots.items()}

    def cancel(self) -> None:
        """Cancel all pilots that work or wait; to be called when the run ends."""
        if not self.active:
            return
        done = _run(["scancel", *self.active])
        if done.returncode != 0:
            self.log(f"scancel fails: {_text(done)}: cancel by hand: scancel --name={self.name}")
        for job in self.active:
            self._pilots[job].state = "CANCELLED"

    def _update(self, job: str, state: str, reason: str) -> None:
        pilot = self._pilots[job]
        # A queue that is cached shows new jobs late.
        if state == "GONE" and time.monotonic() < pilot.submitted + VISIBLE_AFTER:
            return
        if state not in ACTIVE:
            self.log(f"pilot {job}: {state} ({reason}): {self.folder}/{job}.log")
        elif state != pilot.state:
            self.log(f"pilot {job}: {state}")
        elif reason != pilot.reason and reason not in USUAL:
            # Some reasons never pass, such as a time above the partition's limit.
            self.log(f"pilot {job}: {state} ({reason}): `squeue --job={job}` shows it")
        pilot.state, pilot.reason = state, reason

    def _submit(self) -> bool:
        """Submit one pilot; return False if Slurm refuses it while there may be others."""
        self.folder.mkdir(parents=True, exist_ok=True)
        script = f"#!/bin/sh\nexec {shlex.join(self.command)}\n"
        done = _run(["sbatch", *self._options()], script)
        now = time.monotonic()
        if done.returncode == 0:
            job = done.stdout.strip().partition(";")[0]
            self._pilots[job] = _Pilot(now)
            self._refused_since, self._last_problem = None, ""
            self.log(f"pilot {job}: submitted, {self.settings.cores} cores")
            return True
        self._refused_since = self._refused_since or now
        problem = f"sbatch refuses a pilot: {_text(done)}"
        # A limit on jobs per user, or a restart of the controller, is no reason to stop.
        if self.active or (self._pilots and now < self._refused_since + PATIENCE):
            self._report(f"{problem}: will try again")
            return False
        raise SlurmError(
            f"{problem}\n{_remedy(done.stderr)}. `sinfo` lists partitions with their limits, "
            f"`sacctmgr show associations user=$USER` accounts. The command was: "
            f"sbatch {shlex.join(self._options())}"
        )

    def _options(self) -> list[str]:
        settings = self.settings
        options = [
            "--parsable",
            f"--job-name={self.name}",
            "--nodes=1",
            "--ntasks=1",
            f"--cpus-per-task={settings.cores}",
            f"--mem={settings.memory_mb}M",
            f"--time={settings.minutes}",
            f"--output={self.folder}/%j.log",
            f"--chdir={Path.cwd()}",
            "--export=ALL",
            # We replace lost pilots ourselves.
            "--no-requeue",
        ]
        if settings.account is not None:
            options.append(f"--account={settings.account}")
        if settings.partition is not None:
            options.append(f"--partition={settings.partition}")
        return [*options, *settings.options]

    def _stop_if_hopeless(self) -> bool:
        """Return True if no more pilots shall be submitted; raise if none is left either."""
        ended = [(j, p) for j, p in self._pilots.items() if p.state not in (*ACTIVE, "CANCELLED")]
        last = ended[-FAILED_STARTS:]
        failing = len(last) == FAILED_STARTS and not any(p.connected for _, p in last)
        used = len(self._pilots) >= self.settings.submissions
        if self.active or not (failing or used):
            return failing or used
        if failing:
            job, pilot = last[-1]
            raise SlurmError(
                f"{FAILED_STARTS} pilots ended before they connected, the last as {pilot.state} "
                f"({pilot.reason}). The end of {self.folder}/{job}.log:\n"
                f"{tail(self.folder / f'{job}.log')}\n"
                "Nodes must see this folder and this Python, and reach this machine by TCP: set "
                "`host` to an address that they can reach"
            )
        raise SlurmError(
            f"all {self.settings.submissions} pilots of this run have ended before the work was "
            "done: run the same command again, which continues, or raise `submissions` or `minutes`"
        )

    def _report(self, problem: str) -> None:
        """Log a problem once, until another one takes its place."""
        if problem != self._last_problem:
            self.log(problem)
        self._last_problem = problem


def tail(path: Path, lines: int = 10) -> str:
    """Return the last lines of a log, or why it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return f"(cannot be read: {error.strerror})"
    return "\n".join(text.splitlines()[-lines:]) or "(empty)"


def _remedy(message: str) -> str:
    """Return what to do about a refusal of sbatch."""
    text = message.lower()
    if "not found" in text or "no such file" in text:
        return "Run on a machine that has Slurm's commands, or without Slurm"
    if "account" in text:
        return "Set `account` to one that you may use"
    if "partition" in text:
        return "Set `partition` to one that you may use"
    if "time limit" in text:
        return "Lower `minutes`, or choose another partition"
    if "node configuration" in text or "memory" in text:
        return "Ask for less (`cores`, `memory_mb`), or choose another partition"
    if "contact" in text or "timed out" in text:
        return "Slurm's controller does not answer: try again later"
    return "Set `account`, `partition` or further `options` as your cluster asks for them"


def _run(command: list[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run one of Slurm's commands; a missing or hanging one is a failure like others."""
    try:
        return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=120)
    except FileNotFoundError:
        return subprocess.CompletedProcess(command, 127, "", f"{command[0]}: command not found")
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"{command[0]}: timed out")


def _text(done: subprocess.CompletedProcess[str]) -> str:
    return done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}"
