"""Check runs on a real Slurm: equal tables, a cancelled and a killed block, a full disk, refusals.

    python tests/cluster/check_run.py

A private cluster is started (see slurm.py) and removed at the end.
"""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import slurm

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "config.yaml", "workflow", "profiles", "src", "envs")
BLOCKS = """
cluster: {{scheduler: slurm, cores: {cores}, memory_gb: 4, minutes: 60, blocks: {blocks}{more}}}
"""


def copy_project(folder: Path) -> Path:
    """Copy the project, with the small studies of the tests."""
    folder.mkdir()
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    shutil.rmtree(folder / "workflow/studies")
    shutil.copytree(ROOT / "tests/studies", folder / "workflow/studies")
    return folder


def start(project: Path, *arguments: str) -> subprocess.Popen:
    """Start Snakemake in a project."""
    command = [sys.executable, "-m", "snakemake", *arguments, "--config", "scale=smoke"]
    environment = os.environ | {"PYTHONPATH": str(project / "src")}
    return subprocess.Popen(
        command,
        cwd=project,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for(process: subprocess.Popen, success: bool = True) -> str:
    """Wait for the end of a run and return what it has printed."""
    output, _ = process.communicate(timeout=1200)
    assert (process.returncode == 0) is success, output
    return output


def on_slurm(project: Path, cores: int, blocks: int, more: str = "") -> list[str]:
    """Return the arguments for a run in blocks of this size."""
    settings = BLOCKS.format(cores=cores, blocks=blocks, more=more)
    (project / "profiles/slurm/cluster.yaml").write_text(settings)
    return ["--profile", "profiles/slurm", "--cores", str(cores * blocks)]


def tables(project: Path) -> dict[str, bytes]:
    """Return all tables by name."""
    return {
        path.name: path.read_bytes() for path in (project / "results/smoke/tables").glob("*.csv")
    }


def check_equal_tables(folder: Path) -> None:
    """Run on this machine and on the cluster."""
    local, remote = copy_project(folder / "local"), copy_project(folder / "remote")
    wait_for(start(local, "--cores", "2"))
    wait_for(start(remote, *on_slurm(remote, 4, 2)))
    assert tables(local) == tables(remote) != {}
    print(f"  {len(tables(local))} tables are byte-identical to those of a local run")


def check_lost_block(folder: Path, name: str, lose: Callable[[Path], None]) -> None:
    """Lose the only block in the middle; the tables must be those of an undisturbed run."""
    project = copy_project(folder / name)
    process = start(project, *on_slurm(project, 2, 1))
    while not list(project.glob("results/embeddings/*/*/trials-*.json")):
        assert process.poll() is None
        time.sleep(0.05)
    lose(project)
    output = wait_for(process)
    assert "block narrow 1 (" in output, output
    assert tables(project) == tables(folder / "local")
    print(f"  a {name} block was replaced, and the tables are the same")


def cancel(project: Path) -> None:
    """Cancel all blocks."""
    subprocess.run(["scancel", "--user", getpass.getuser()], check=True)


def kill(project: Path) -> None:
    """Kill all processes of all blocks of a project, with those that they have started."""
    for process in psutil.process_iter(["cmdline"]):
        command = " ".join(process.info["cmdline"] or [])
        if f"{project}/.snakemake" in command and "process_worker_pool" in command:
            for one in [*process.children(recursive=True), process]:
                with suppress(psutil.NoSuchProcess):
                    one.kill()


def check_killed_main_process(folder: Path) -> None:
    """Kill the main process in the middle; its block must end, and the next run must complete."""
    project = copy_project(folder / "abandoned")
    process = start(project, *on_slurm(project, 2, 1))
    while not list(project.glob("results/embeddings/*/*/trials-*.json")):
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.communicate()
    began = time.monotonic()
    while jobs_in_queue():
        assert time.monotonic() < began + 150
        time.sleep(1)
    print(f"  the block of a killed main process ended after {time.monotonic() - began:.0f} s")
    wait_for(start(project, *on_slurm(project, 2, 1)))
    assert tables(project) == tables(folder / "local")


def jobs_in_queue() -> list[str]:
    """Return the ids of jobs that wait or run."""
    command = ["squeue", "--noheader", "--format=%i"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def check_full_disk(folder: Path) -> None:
    """Run on a file system that is full; nothing is recorded, and the next run completes."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)])
    if mounted.returncode:
        print("  not checked: mounting a small file system needs root")
        return
    try:
        project = copy_project(folder / "full")
        (project / "results").symlink_to(disk)
        output = wait_for(start(project, *on_slurm(project, 2, 1)), success=False)
        assert "No space left on device" in output, output
        subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
        wait_for(start(project, *on_slurm(project, 2, 1)))
        assert tables(project) == tables(folder / "local")
        print("  a full disk ended the run without a false row; the next run completed it")
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def check_blocks_that_do_not_start(folder: Path) -> None:
    """Ask for a partition that does not exist, and for a command that the node lacks."""
    project = copy_project(folder / "refused")
    for more, reason in (
        (", partition: none", "invalid partition specified"),
        (', setup: ["echo no scratch here; exit 1"]', "no scratch here"),
    ):
        began = time.monotonic()
        output = wait_for(start(project, *on_slurm(project, 2, 1, more)), success=False)
        assert "3 blocks in a row did not start" in output, output
        assert reason in output, output
        print(f"  {reason}: the run ended after {time.monotonic() - began:.0f} s")


def main() -> None:
    """Run all checks."""
    with tempfile.TemporaryDirectory() as name:
        folder, cluster = Path(name), Path(name) / "cluster"
        os.environ["PATH"] = f"{slurm.start(cluster, 32, 64000)}:{os.environ['PATH']}"
        try:
            check_equal_tables(folder)
            check_lost_block(folder, "cancelled", cancel)
            check_lost_block(folder, "killed", kill)
            check_killed_main_process(folder)
            check_full_disk(folder)
            check_blocks_that_do_not_start(folder)
            assert jobs_in_queue() == []
        finally:
            slurm.stop(cluster)


if __name__ == "__main__":
    main()
