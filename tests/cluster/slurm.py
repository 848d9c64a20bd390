"""A private Slurm of one node, from Debian's packages, for tests.

    python tests/cluster/slurm.py start FOLDER --cpus 8 --memory-mb 16000
    export PATH=FOLDER/bin:$PATH
    sbatch ...
    python tests/cluster/slurm.py stop FOLDER

Nothing is installed: the packages are unpacked below FOLDER, and stopping removes the folder. It
needs Debian or Ubuntu, a network that reaches its packages, and dpkg. It needs neither root (jobs
run as the user who starts it) nor cgroups nor an accounting database. Processors and memory are
pretended, so a machine of two cores can play a node of sixteen. A job above its memory is killed
by Slurm's sampling of resident memory, once a second.
"""

from __future__ import annotations

import argparse
import getpass
import os
import platform
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PACKAGES = ("slurmctld", "slurmd", "slurm-client", "munge")
NODE = "node1"
CLIENTS = ("sbatch", "scancel", "scontrol", "sinfo", "squeue")
PROGRAMS = (*CLIENTS, "munged", "slurmctld", "slurmd", "slurmstepd")

CONFIG = """\
ClusterName=nldr
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
PluginDir={plugins}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log

# No cgroups: processes are followed through /proc, and memory is sampled.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=UsePss,OverMemoryKill

# Cores and memory are shared among jobs, as far as each asks for them.
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=500
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=2
MpiDefault=none
ReturnToService=2
KillWait=3
MinJobAge=10
NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory_mb}
PartitionName=main Nodes={node} Default=YES MaxTime=INFINITE State=UP
PartitionName=short Nodes={node} MaxTime=1 State=UP
"""


def start(folder: Path, cpus: int, memory_mb: int) -> Path:
    """Unpack, configure and start Slurm; return the folder of its commands, for PATH."""
    folder = folder.resolve()
    folder.mkdir(parents=True, mode=0o755)
    root = unpack(folder)
    libraries = next(root.glob("usr/lib/*/slurm-wlm"))
    for name in ("munge", "state", "spool", "bin"):
        (folder / name).mkdir(mode=0o755)
    config = CONFIG.format(
        host=socket.gethostname().partition(".")[0],
        ports=free_ports(2),
        user=getpass.getuser(),
        folder=folder,
        plugins=libraries,
        node=NODE,
        cpus=cpus,
        memory_mb=memory_mb,
    )
    (folder / "slurm.conf").write_text(config)
    # Commands that find their libraries and their configuration by themselves.
    for path in [*root.glob("usr/bin/*"), *root.glob("usr/sbin/*")]:
        name = path.name.removesuffix("-wlm")
        if name in PROGRAMS:
            # Slurm's daemons recognize themselves by their name.
            program = path.rename(path.with_name(name))
            write_wrapper(folder / "bin" / name, program, folder, [libraries.parent, libraries])
    try:
        start_daemons(folder)
    except BaseException:
        stop(folder, keep=True)
        raise
    return folder / "bin"


def unpack(folder: Path) -> Path:
    """Download the packages and what they need, and unpack them below the folder."""
    simulation = run(["apt-get", "install", "--simulate", "--no-install-recommends", *PACKAGES])
    missing = re.findall(r"^Inst (\S+)", simulation, re.MULTILINE)
    (folder / "packages").mkdir()
    run(["apt-get", "download", *sorted({*PACKAGES, *missing})], cwd=folder / "packages")
    for package in sorted((folder / "packages").glob("*.deb")):
        run(["dpkg", "--extract", str(package), str(folder / "root")])
    return folder / "root"


def write_wrapper(path: Path, program: Path, folder: Path, libraries: list[Path]) -> None:
    """Write a script that runs a program with the unpacked libraries.

    A variable of sbatch would reach the jobs, so clients get an argument of the dynamic loader.
    Daemons start themselves again, which only works with a variable; jobs do not see theirs.
    """
    loader = next((p for at in ("/lib64", "/lib") for p in Path(at).glob("ld-linux-*")), None)
    searched = ":".join(map(str, libraries))
    if program.name in CLIENTS:
        start = f"exec {loader} --library-path {searched} {program}"
    else:
        start = f"LD_LIBRARY_PATH={searched} exec {program}"
    path.write_text(f'#!/bin/sh\nexport SLURM_CONF={folder}/slurm.conf\n{start} "$@"\n')
    path.chmod(0o755)


def start_daemons(folder: Path) -> None:
    """Start munged, slurmctld and slurmd, and wait until the node accepts jobs."""
    munge, programs = folder / "munge", folder / "bin"
    key = munge / "key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(128))
    # Folders above ours may be writable for others, which munged refuses unless forced.
    places = [
        f"--{name}={munge / file}"
        for name, file in (
            ("socket", "socket"),
            ("key-file", "key"),
            ("log-file", "log"),
            ("pid-file", "pid"),
            ("seed-file", "seed"),
        )
    ]
    run([str(programs / "munged"), "--force", *places])
    run([str(programs / "slurmctld"), "-c"])
    run([str(programs / "slurmd"), "-c", "-N", NODE, "-d", str(programs / "slurmstepd")])
    deadline = time.monotonic() + 60
    while "idle" not in run([str(programs / "sinfo"), "-h", "-o", "%T"], check=False):
        if time.monotonic() > deadline:
            raise SystemExit(f"the node does not start: read {folder}/slurm*.log")
        time.sleep(0.2)


def stop(folder: Path, keep: bool = False) -> None:
    """Cancel all jobs, end the daemons and remove the folder (keep: leave it, for its logs)."""
    folder = folder.resolve()
    if not (folder / "slurm.conf").exists():
        raise SystemExit(f"{folder} holds no cluster of this script")
    if (folder / "slurmctld.pid").exists():
        cancel_jobs(folder)
    for name in ("slurmd.pid", "slurmctld.pid", "munge/pid"):
        end(folder / name)
    if not keep:
        shutil.rmtree(folder)


def cancel_jobs(folder: Path) -> None:
    """Cancel all jobs and wait until none is left, 15 seconds at most."""
    deadline = time.monotonic() + 15
    list_jobs = [str(folder / "bin/squeue"), "--noheader", "--format=%i"]
    while (jobs := run(list_jobs, check=False).split()) and time.monotonic() < deadline:
        run([str(folder / "bin/scancel"), *jobs], check=False)
        time.sleep(0.5)


def end(pid_file: Path) -> None:
    """End the daemon of a pid file and wait until it is gone."""
    try:
        pid = int(pid_file.read_text())
        os.kill(pid, signal.SIGTERM)
        for _ in range(100):
            time.sleep(0.1)
            os.kill(pid, 0)
        os.kill(pid, signal.SIGKILL)
    except (OSError, ValueError):  # it has ended, or never started
        return


def free_ports(number: int) -> list[int]:
    """Return numbers of TCP ports that nothing uses."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [server.getsockname()[1] for server in sockets]
    for server in sockets:
        server.close()
    return ports


def run(command: list[str], cwd: Path | None = None, check: bool = True) -> str:
    """Run a command and return what it prints; with ``check`` a failure ends this script."""
    done = subprocess.run(
        command, cwd=cwd, text=True, stdin=subprocess.DEVNULL, capture_output=True
    )
    if check and done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def main() -> None:
    """Read the command line and start or stop a cluster."""
    parser = argparse.ArgumentParser(description="Start or stop a private Slurm of one node.")
    commands = parser.add_subparsers(dest="command", required=True)
    starting = commands.add_parser("start")
    starting.add_argument("folder", type=Path)
    starting.add_argument("--cpus", type=int, default=8)
    starting.add_argument("--memory-mb", type=int, default=16000)
    stopping = commands.add_parser("stop")
    stopping.add_argument("folder", type=Path)
    chosen = parser.parse_args()
    if platform.system() != "Linux" or shutil.which("apt-get") is None:
        sys.exit("this script needs Debian or Ubuntu: it unpacks their packages")
    if chosen.command == "stop":
        stop(chosen.folder)
    else:
        print(f"export PATH={start(chosen.folder, chosen.cpus, chosen.memory_mb)}:$PATH")


if __name__ == "__main__":
    main()
