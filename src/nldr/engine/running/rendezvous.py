"""Connections between the main process and its pilots: by TCP, with a secret on a shared folder."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from pathlib import Path

# Seconds in which a connection must be made and authenticated.
TIMEOUT = 20
# Seconds for which a pilot waits for the file of addresses, which may reach its node late.
LATENCY = 60


@dataclass(frozen=True)
class Hello:
    """The introduction of a pilot that connects.

    Attributes
    ----------
    job : str
        Its job id in Slurm.
    node : str
        Name of its machine.
    pid : int
        Its process there.
    cores, memory_mb : int
        What Slurm granted, or what the machine has without Slurm.
    """

    job: str
    node: str
    pid: int
    cores: int
    memory_mb: int


class Door:
    """The place where pilots connect: a TCP port, and a file that only we can read.

    Parameters
    ----------
    file : Path
        File on the shared file system for addresses, port and secret.
    welcome : callable
        Called with the pilot's ``Hello`` and its connection, in a thread of its own.
    host : str, optional
        Name or address by which nodes reach this machine; several are offered by default.
    """

    def __init__(
        self, file: Path, welcome: Callable[[Hello, Connection], None], host: str | None = None
    ) -> None:
        self.file = file
        self.welcome = welcome
        self._secret = secrets.token_hex(32)
        # All interfaces: which of them the nodes reach is not known, and strangers are refused.
        self._server = socket.create_server(("", 0), backlog=128)
        self.port: int = self._server.getsockname()[1]
        offer = {
            "hosts": [host] if host else own_addresses(),
            "port": self.port,
            "secret": self._secret,
        }
        _write_private(file, json.dumps(offer))
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Take no more pilots; connections that exist remain."""
        self.file.unlink(missing_ok=True)
        # Closing alone would not wake the thread that accepts.
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def _serve(self) -> None:
        while True:
            try:
                accepted, _ = self._server.accept()
            except OSError:  # closed
                return
            # A stranger who stays silent must not keep others waiting.
            threading.Thread(target=self._meet, args=(accepted,), daemon=True).start()

    def _meet(self, accepted: socket.socket) -> None:
        """Authenticate whoever has connected, and hand a pilot on."""
        try:
            link = _authenticate(accepted, self._secret, server=True)
            hello = Hello(**json.loads(link.recv_bytes(10000)))
            _set_timeout(link, 0)
        except (OSError, EOFError, ValueError, TypeError, _Refused):
            return
        self.welcome(hello, link)


def connect(file: Path) -> Connection:
    """Connect to the main process whose addresses are in ``file``, and say hello.

    Raises
    ------
    ConnectionError
        If no address answers, or the file does not appear.
    """
    deadline = time.monotonic() + LATENCY
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(1)
    try:
        offer = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConnectionError(f"{file} does not exist: the run has ended, or this node does not "
                              "see its folder") from None  # fmt: skip
    problems = []
    for host in offer["hosts"]:
        try:
            dialed = socket.create_connection((host, offer["port"]), timeout=TIMEOUT)
            link = _authenticate(dialed, offer["secret"], server=False)
            link.send_bytes(json.dumps(asdict(introduce(os.environ))).encode())
            _set_timeout(link, 0)
            return link
        except (OSError, EOFError, _Refused) as error:
            problems.append(f"{host}: {error or type(error).__name__}")
    raise ConnectionError(
        f"{socket.gethostname()} cannot reach the main process at port {offer['port']} "
        f"({'; '.join(problems)}): set `host` to an address that the nodes can reach"
    )


def introduce(environment: Mapping[str, str]) -> Hello:
    """Return what this process says about itself, from Slurm's variables."""
    import psutil

    total = psutil.virtual_memory().total // 2**20
    return Hello(
        job=environment.get("SLURM_JOB_ID", ""),
        node=environment.get("SLURMD_NODENAME", socket.gethostname()),
        pid=os.getpid(),
        cores=int(environment.get("SLURM_CPUS_PER_TASK", 0)) or os.cpu_count() or 1,
        memory_mb=int(environment.get("SLURM_MEM_PER_NODE", 0)) or total,
    )


def own_addresses() -> list[str]:
    """Return names and addresses by which others may reach this machine, best first."""
    import psutil

    # A name may resolve to the loopback here and to an address elsewhere, so names come first.
    names = [socket.getfqdn(), socket.gethostname()]
    addresses = [
        address.address
        for interface in psutil.net_if_addrs().values()
        for address in interface
        if address.family == socket.AF_INET
    ]
    local = [a for a in addresses if a.startswith("127.")]
    return list(dict.fromkeys([*names, *(a for a in addresses if a not in local), *local]))


class _Refused(Exception):
    """The other side does not know the secret."""


def _authenticate(connected: socket.socket, secret: str, server: bool) -> Connection:
    """Return a connection after both sides have shown that they know the secret."""
    connected.settimeout(None)
    # Small messages go at once; a node that has lost power is noticed after three minutes.
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_KEEPIDLE"):
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 20)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 6)
    link = Connection(connected.detach())
    _set_timeout(link, TIMEOUT)
    key = secret.encode()
    # The order of multiprocessing.connection: the listener asks first.
    steps = (deliver_challenge, answer_challenge)
    try:
        for step in steps if server else reversed(steps):
            step(link, key)
    except AuthenticationError as error:
        link.close()
        raise _Refused(f"is not our main process ({error})") from None
    except BaseException:
        link.close()
        raise
    return link


def _set_timeout(link: Connection, seconds: int) -> None:
    """Let a receive fail after some seconds of silence; 0 waits forever."""
    with socket.socket(fileno=os.dup(link.fileno())) as copy:
        copy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", seconds, 0))


def _write_private(file: Path, text: str) -> None:
    """Write a file that nobody else can read, in one step."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".tmp-{file.name}")
    temporary.unlink(missing_ok=True)
    with open(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as out:
        out.write(text)
    temporary.replace(file)
