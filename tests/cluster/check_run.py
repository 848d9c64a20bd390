"""Check whole runs on a real Slurm: equal tables, many short trials, a canceled pilot, a full disk.

    python tests/cluster/check_run.py [--trials 5000]

A private cluster is started (see slurm.py) and removed at the end. The method of the long run
sleeps, so two cores are enough for a pretended node of many.
"""

from __future__ import annotations

import argparse
import getpass
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import slurm

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "config.yaml", "workflow", "profiles", "src", "envs")
METHOD = '''
"""A method that waits for a second."""

import time

from sklearn.base import BaseEstimator


class Sleeper(BaseEstimator):
    """Return the first columns after a second."""

    def __init__(self, n_components=2, *, random_state=None):
        self.n_components = n_components
        self.random_state = random_state

    def fit_transform(self, X, y=None):
        """Wait, then return the first columns."""
        time.sleep(1)
        return X[:, : self.n_components]
'''
ENTRY = """
sleeper:
  title: sleeper
  family: pca
  variant: 7
  class: nldr.methods.sleeper.Sleeper
"""
STUDY = """
title: many short trials
source: ours
datasets: [swiss_roll: {{n_samples: [{sizes}]}}]
methods: [sleeper]
metrics: [r2_affine]
trials: {trials}
figure: {{function: nldr.figures.curves.curves, params: {{x: data.n_samples}}}}
"""
PILOTS = (
    "slurm: {{cores: {cores}, memory_mb: {memory}, minutes: 60, pilots: {pilots}, submissions: 20}}"
)


def copy_project(folder: Path, studies: bool) -> Path:
    """Copy the project, with the small studies of the tests or with none."""
    folder.mkdir()
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    shutil.rmtree(folder / "workflow/studies")
    if studies:
        shutil.copytree(ROOT / "tests/studies", folder / "workflow/studies")
    else:
        (folder / "workflow/studies").mkdir()
    return folder


def start(project: Path, *arguments: str) -> subprocess.Popen:
    """Start Snakemake in a project."""
    environment = os.environ | {"PYTHONPATH": str(project / "src")}
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", *arguments], cwd=project, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def run(project: Path, *arguments: str) -> str:
    """Run Snakemake in a project and return what it prints."""
    process = start(project, *arguments)
    output, _ = process.communicate(timeout=1800)
    assert process.returncode == 0, output
    return output


def on_slurm(project: Path, cores: int, pilots: int, memory: int = 4000) -> list[str]:
    """Return the arguments for a run in pilots of this size."""
    settings = PILOTS.format(cores=cores, pilots=pilots, memory=memory)
    (project / "profiles/slurm/cluster.yaml").write_text(settings)
    return ["--profile", "profiles/slurm", "--cores", str(cores * pilots)]


def tables(project: Path) -> dict[str, bytes]:
    """Return all tables by name."""
    return {
        path.name: path.read_bytes() for path in (project / "results/smoke/tables").glob("*.csv")
    }


def check_equal_tables(folder: Path) -> None:
    local, remote = (copy_project(folder / name, studies=True) for name in ("local", "remote"))
    run(local, "--cores", "2", "--config", "scale=smoke")
    run(remote, *on_slurm(remote, 4, 2), "--config", "scale=smoke")
    assert tables(local) == tables(remote) != {}
    print(f"  {len(tables(local))} tables are byte-identical to those of a local run")


def check_many_trials(folder: Path, trials: int) -> None:
    project = copy_project(folder / "many", studies=False)
    (project / "src/nldr/methods/sleeper.py").write_text(METHOD)
    with (project / "workflow/catalog/methods.yaml").open("a") as file:
        file.write(ENTRY)
    cells = max(1, trials // 10)
    sizes = ", ".join(str(20 + number) for number in range(cells))
    study = STUDY.format(sizes=sizes, trials=10)
    (project / "workflow/studies/many.yaml").write_text(study)
    run(project, "-n")  # the first planning imports every method
    began = time.monotonic()
    output = run(project, *on_slurm(project, 8, 4))
    seconds, ideal = time.monotonic() - began, 10 * cells / 32
    submissions = output.count("submitted")
    print(f"  {10 * cells} trials of 1 s on 32 cores: {seconds:.0f} s, ideal {ideal:.0f} s, "
          f"{submissions} submissions")  # fmt: skip
    assert submissions <= 20
    assert seconds < 2 * ideal + 30


def check_canceled_pilot(folder: Path) -> None:
    """Cancel a pilot in the middle; the tables must be those of an undisturbed run."""
    project = copy_project(folder / "canceled", studies=True)
    process = start(project, *on_slurm(project, 2, 1), "--config", "scale=smoke")
    while not list(project.glob("results/embeddings/*/*/trials-*.json")):
        assert process.poll() is None
        time.sleep(0.05)
    subprocess.run(["scancel", "--user", getpass.getuser()], check=True)
    output, _ = process.communicate(timeout=600)
    assert process.returncode == 0, output
    assert output.count("submitted") > 1
    assert tables(project) == tables(folder / "local")
    print("  a canceled pilot was replaced, and the tables are the same")


def check_full_disk(folder: Path) -> None:
    """Run on a file system that is full; nothing is recorded, and the next run completes."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)])
    if mounted.returncode:
        print("  not checked: mounting a small file system needs root")
        return
    try:
        project = copy_project(folder / "full", studies=True)
        (project / "results").symlink_to(disk)
        process = start(project, *on_slurm(project, 2, 1), "--config", "scale=smoke")
        output, _ = process.communicate(timeout=600)
        assert process.returncode != 0
        assert "No space left on device" in output, output
        subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
        run(project, *on_slurm(project, 2, 1), "--config", "scale=smoke")
        assert tables(project) == tables(folder / "local")
        print("  a full disk ended the run without a false row; the next run completed it")
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=1000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, cluster = Path(name), Path(name) / "cluster"
        os.environ["PATH"] = f"{slurm.start(cluster, 32, 64000)}:{os.environ['PATH']}"
        try:
            print("equal tables:", flush=True)
            check_equal_tables(folder)
            print("canceled pilot:", flush=True)
            check_canceled_pilot(folder)
            print("full disk:", flush=True)
            check_full_disk(folder)
            print("many short trials:", flush=True)
            check_many_trials(folder, chosen.trials)
        finally:
            slurm.stop(cluster)


if __name__ == "__main__":
    main()
