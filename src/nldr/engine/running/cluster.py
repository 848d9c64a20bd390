"""Requests of a run on a cluster: Parsl keeps blocks of many cores there and sends them requests.

A block is a job of the scheduler. Its workers, one per core, ask the warm parent of their node.
Requests of several threads go to blocks of their own, which have one worker.
"""

from __future__ import annotations

import functools
import logging
import os
import shlex
import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from nldr.engine.files.layout import RESULTS, STATE
from nldr.engine.jobs.requests import Reply, Request
from nldr.engine.running.workers import NodeWorkers

if TYPE_CHECKING:  # each worker imports this module
    from nldr.engine.reading.clusters import Block

RETRIES = 2  # of a request that is lost with its worker or its block
FAILED_STARTS = 3  # blocks in a row that may end before they ask for work
SECONDS_BETWEEN_POLLS = 3
HEARTBEAT, SILENCE = 10, 60  # seconds between signs of life, and until a silent block is lost
LISTED_WITHIN = 60  # seconds after which a new block must be in the list of the scheduler
IDLE = 30  # seconds after which a block without work is given back
LOG = Path(STATE) / "parsl/warnings.log"
# The server of Parsl ends if this process is killed, and not when the user presses Ctrl-C.
SERVER = """
import os, runpy
from nldr.engine.files.processes import die_with_parent
os.setsid()
die_with_parent()
runpy.run_module("parsl.executors.high_throughput.interchange", run_name="__main__")
"""


class ProcessKilled(RuntimeError):
    """A process of a request was killed on its node from outside."""


class Pool:
    """Hands the requests of a run to the blocks of a cluster; any thread may ask.

    ``log`` receives one line for each change of a block.
    """

    def __init__(self, settings: Block, log: Callable[[str], None]) -> None:
        self._hint, self._log = settings.hint, log
        self._secret = os.urandom(32)
        self._submitting = threading.RLock()  # a signal may stop the run in the middle
        self._ended: Future[str] = Future()  # why the run has ended
        self._states: dict[str, str] = {}  # of the blocks
        self._failures: list[str] = []  # of blocks to start, since one has worked
        self._warnings = _keep_warnings()
        self._executors = [
            make_executor(settings, label, threads, self._watch)
            for label, threads in (("narrow", 1), ("wide", settings.cores))
        ]
        from parsl.config import Config
        from parsl.dataflow.dflow import DataFlowKernel

        config = Config(
            executors=self._executors,
            retries=RETRIES,
            retry_handler=lambda error, _: 1 if _is_loss(error) else RETRIES + 1,
            run_dir=str(Path(STATE).absolute() / "parsl"),
            strategy="simple",  # htex_auto_scale would cancel blocks that wait in the queue
            strategy_period=SECONDS_BETWEEN_POLLS,
            max_idletime=IDLE,
            initialize_logging=False,
        )
        self._kernel = DataFlowKernel(config)
        for executor in self._executors:
            threading.Thread(target=self._wait_for_server, args=(executor,), daemon=True).start()

    def run(self, request: Request) -> Reply:
        """Run a job on some node and wait for its end."""
        label = "wide" if request.threads > 1 else "narrow"
        with self._submitting:
            if self._ended.done():
                return Reply(error=self._ended.result())
            arguments = (request, self._secret)
            future = self._kernel.submit(run_on_node, arguments, [label], False, [], {})
        wait([future, self._ended], return_when=FIRST_COMPLETED)
        if not future.done():
            return Reply(error=self._ended.result())
        if error := future.exception():
            times = f", {RETRIES + 1} times" if _is_loss(error) else ""
            return Reply(error=f"{error}{times}")
        return future.result()

    def stop(self, why: str = "the run was ended") -> None:
        """Cancel all blocks, and end all requests with an error."""
        if self._kernel.cleanup_called:
            return
        self._end(why)
        self._warnings.close()
        if all(executor.interchange_proc.poll() is None for executor in self._executors):
            self._kernel.cleanup()
            return
        # Parsl would wait for its server, which has ended.
        for executor in self._executors:
            executor.interchange_proc.kill()
            jobs = executor.provider.resources.items()
            executor.provider.cancel([job for job, facts in jobs if not facts["status"].terminal])

    def _end(self, why: str) -> None:
        with self._submitting:
            if not self._ended.done():
                self._ended.set_result(why)
        for executor in self._executors:
            executor.provider.max_blocks = 0

    def _wait_for_server(self, executor: Any) -> None:
        executor.interchange_proc.wait()
        self._end(f"Parsl's server for {executor.label} blocks has ended: see {executor.logdir}")

    def _watch(self, executor: Any, jobs: dict[str, Any]) -> None:
        """Tell which blocks have changed; end the run if blocks do not start."""
        connected = set(executor.connected_blocks())
        for block, job in jobs.items():
            name, state = f"{executor.label} {block}", job.state.name
            if state == "RUNNING" and block in connected:
                self._failures.clear()
            if state == self._states.get(name):
                continue
            self._states[name] = state
            line = f"block {name} (job {executor.blocks_to_job_id.get(block, '-')}): {state}"
            if state in ("FAILED", "MISSING") and block not in connected:
                reason = _end_of_logs(executor, block) or job.message or "it printed nothing"
                line += f": {reason}"
                self._failures.append(line)
            # A limit on the number of jobs refuses blocks for hours: it is told once.
            if len(self._failures) < 2:
                self._log(line)
        active = {"PENDING", "RUNNING"}.intersection(self._states.values())
        if len(self._failures) >= FAILED_STARTS and not active:
            self._end(
                f"{FAILED_STARTS} blocks in a row did not start. The last: {self._failures[-1]}\n"
                f"If the scheduler refuses blocks, check {self._hint}. If they end by themselves: "
                "nodes must see this folder and this Python, and reach this machine by TCP "
                f"(`host`). See also {LOG}"
            )


def make_executor(
    settings: Block, label: str, threads: int, watch: Callable[[Any, dict[str, Any]], None]
) -> Any:
    """Return the executor of Parsl for requests that need a number of threads."""
    from nldr.engine.reading.parsing import PlanError

    try:
        from parsl.executors.high_throughput import executor as parsl
    except ImportError:
        raise PlanError("a cluster needs Parsl: pip install 'nldr[cluster]'") from None
    module = "parsl.executors.high_throughput.process_worker_pool"
    python = getattr(settings, "python", sys.executable)  # of a pod, or of this folder
    program = f"{shlex.quote(python)} -m {module}"
    executor = parsl.HighThroughputExecutor(
        label=label,
        provider=_make_patient(settings.provider(_setup(settings))),
        launch_cmd=parsl.DEFAULT_LAUNCH_CMD.replace("process_worker_pool.py", program),
        interchange_launch_cmd=[sys.executable, "-c", SERVER],
        address="0.0.0.0",
        cores_per_worker=threads,
        max_workers_per_node=settings.cores // threads,
        heartbeat_period=HEARTBEAT,
        heartbeat_threshold=SILENCE,
        block_error_handler=watch,
    )
    # Parsl would ask a server on the internet for one more address.
    executor.all_addresses = _addresses(settings.host)
    return executor


def _setup(settings: Block) -> str:
    """Return the commands of a block before it starts Python."""
    commands = (
        f"cd {shlex.quote(str(Path.cwd()))}",
        f"export PYTHONPATH={shlex.quote(os.environ.get('PYTHONPATH', ''))}",
        f"export PARSL_CORES={settings.cores}",
        # In /tmp, because names of sockets are at most 100 bytes long.
        "export NLDR_NODE=$(mktemp -d /tmp/nldr-XXXXXXXX)",
        "trap 'rm -rf \"$NLDR_NODE\"' EXIT",
        *settings.setup,
    )
    return "\n".join(commands)


def _make_patient(provider: Any) -> Any:
    """Have a provider ask often, and give a new block time to appear in the scheduler's list."""
    from parsl.jobs.states import JobState, JobStatus

    class Patient(type(provider)):  # type: ignore[misc]
        status_polling_interval = SECONDS_BETWEEN_POLLS

        def _status(self) -> None:
            jobs = self.resources.values()
            pending = [job for job in jobs if job["status"].state == JobState.PENDING]
            super()._status()
            now = time.monotonic()
            for job in pending:
                new = now < job.setdefault("first_poll", now) + LISTED_WITHIN
                if new and job["status"].state == JobState.COMPLETED:
                    job["status"] = JobStatus(JobState.PENDING)

    provider.__class__ = Patient
    return provider


def _addresses(host: str | None) -> set[str]:
    """Return the addresses by which nodes may reach this machine."""
    if host is not None:
        return {socket.gethostbyname(host)}
    interfaces = psutil.net_if_addrs().values()
    return {a.address for interface in interfaces for a in interface if a.family == socket.AF_INET}


def run_on_node(request: Request, secret: bytes) -> Reply:
    """Run a request on the node of this process, which is a worker of Parsl."""
    reply = _workers(secret).run(request)
    if reply.killed:
        raise ProcessKilled(reply.error)
    return reply


@functools.cache
def _workers(secret: bytes) -> NodeWorkers:
    return NodeWorkers(Path(os.environ["NLDR_NODE"]), secret, Path(RESULTS) / "logs/warm.log")


def _is_loss(error: BaseException) -> bool:
    """Return whether the machine failed, not the method."""
    from parsl.executors.high_throughput.errors import ManagerLost, WorkerLost

    return isinstance(error, ManagerLost | WorkerLost | ProcessKilled)


def _end_of_logs(executor: Any, block: str) -> str:
    """Return the last lines that a block has printed."""
    folder = Path(executor.provider.script_dir)
    files = sorted(folder.glob(f"*.{executor.label}.block-{block}.*"), reverse=True)
    logs = [file for file in files if file.name.endswith(("out", "err"))]
    text = "\n".join(log.read_text(encoding="utf-8", errors="replace") for log in logs)
    return "\n".join([line for line in text.splitlines() if line.strip()][-10:])


def _keep_warnings() -> logging.Handler:
    """Keep the warnings of Parsl in a file, and out of the terminal."""
    LOG.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(LOG, delay=True)
    logger = logging.getLogger("parsl")
    logger.propagate, logger.handlers = False, [handler]
    logger.setLevel(logging.WARNING)
    return handler
