"""Overhead of the engine: per cell, for a run with nothing to do, for planning, per step.

Snakemake runs in a temporary copy of the project. Machines of one kind differ by a factor of two,
so the time of an import is printed beside the other times. Example::

    python benchmarks/engine.py --cells 100 --cores 2
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).parents[1]
PARTS = ("Snakefile", "config.yaml", "workflow", "profiles", "src", "envs")
STUDY = """
title: benchmark of the engine
source: ours
datasets: [gp: {{n_samples: 100, n_features: [{features}]}}]
methods: [{methods}]
metrics: [r2_affine]
trials: 1
figure: {{function: nldr.figures.curves.curves, params: {{x: data.n_features}}}}
"""


class Usage(NamedTuple):
    """Wall and CPU seconds of a command and all its processes, and its peak memory in MB."""

    wall: float
    cpu: float
    megabytes: float


def main() -> None:
    """Measure and print all overheads."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=100, help="PCA cells to run (100)")
    parser.add_argument("--cores", type=int, default=2, help="cores to use (2)")
    parser.add_argument("--seconds", type=float, default=60, help="part of a large run (60)")
    options = parser.parse_args()
    command = [sys.executable, "-c", "import sklearn.decomposition"]
    seconds = min(measure(command, ROOT).wall for _ in range(3))
    print(f"import of sklearn.decomposition: {seconds:.2f} s (1.44 s where goals were set)")
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        project.mkdir()
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, project / part)
        snakemake(project, "-n")  # fills the cache of signatures, which later runs reuse
        measure_paper(project)
        shutil.rmtree(project / "workflow/studies")
        (project / "workflow/studies").mkdir()
        measure_cells(project, options.cells, options.cores)
        measure_steps(project, options.seconds, options.cores)


def measure_paper(project: Path) -> None:
    """Plan all studies at scale paper and build their DAG."""
    usage = snakemake(project, "-n", "--quiet", "all", "--config", "scale=paper")
    memory = f"{usage.megabytes:.0f} MB (goal 1000)"
    print(f"planning and DAG of scale paper: {usage.wall:.1f} s (goal 60), {memory}")


def measure_cells(project: Path, cells: int, cores: int) -> None:
    """Build a study of PCA cells, build it again with nothing to do, and rebuild its figure."""
    # A study of one cell has all costs that do not grow with the number of cells.
    write_study(project, 1)
    base = snakemake(project, "--cores", str(cores))
    write_study(project, cells)
    full = snakemake(project, "--cores", str(cores))
    with (project / "results/timings/bench.csv").open(newline="") as file:
        compute = sum(float(row["seconds"]) for row in csv.DictReader(file))
    print(f"{cells} PCA cells on {cores} cores: {full.wall:.1f} s wall, fits {compute:.2f} s")
    cpu, wall = ((a - b) / (cells - 1) for a, b in ((full.cpu, base.cpu), (full.wall, base.wall)))
    costs = f"{cpu:.3f} core-seconds (goal .4), {wall:.3f} s wall"
    print(f"a PCA cell with data and score: {costs}")
    print(f"nothing to do: {snakemake(project, '--cores', str(cores)).wall:.1f} s (goal 3)")
    (project / "results/figures/bench.pdf").unlink()
    figure = snakemake(project, "--cores", str(cores))
    print(f"one figure from tables that exist: {figure.wall:.1f} s")


def measure_steps(project: Path, seconds: float, cores: int) -> None:
    """Begin a run of more than ten thousand jobs, and measure Snakemake's own time for each."""
    write_study(project, 2500, "pca, oracle")
    records = project / "results/.records.csv"
    records.unlink()
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
    log = project / "steps.log"
    with log.open("w") as output:
        streams = {"stdout": output, "stderr": output, "start_new_session": True}
        run = subprocess.Popen(command, cwd=project, env=environment(project), **streams)
    process = psutil.Process(run.pid)
    while not records.exists() or len(records.read_text().splitlines()) < 50:
        time.sleep(0.1)
        if run.poll() is not None:
            raise SystemExit(log.read_text())
    before, started = process.cpu_times(), time.perf_counter()
    n_before = len(records.read_text().splitlines())
    time.sleep(seconds)
    after = process.cpu_times()
    steps = len(records.read_text().splitlines()) - n_before
    cpu = after.user + after.system - before.user - before.system
    wall = time.perf_counter() - started
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    rate = f"{cpu / steps:.3f} s per step (goal .15), {steps / wall:.1f} steps per second"
    print(f"Snakemake's own CPU with 12 500 jobs: {rate}")


def write_study(project: Path, cells: int, methods: str = "pca") -> None:
    """Write the study ``bench`` with one dataset cell per number of features."""
    features = ", ".join(str(5 + number) for number in range(cells))
    text = STUDY.format(features=features, methods=methods)
    (project / "workflow/studies/bench.yaml").write_text(text)


def environment(project: Path) -> dict[str, str]:
    """Return the environment in which the copy's own sources are used."""
    return os.environ | {"PYTHONPATH": str(project / "src")}


def snakemake(project: Path, *arguments: str) -> Usage:
    """Run Snakemake in a project."""
    return measure([sys.executable, "-m", "snakemake", *arguments], project)


def measure(command: list[str], project: Path) -> Usage:
    """Run a command and return the resources that it and all its processes used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    # Processes of the warm parent are no children of ours, so the file of records counts them.
    records = project / "results/.records.csv"
    cpu_before = recorded(records)
    subprocess.run(command, cwd=project, env=environment(project), check=True, capture_output=True)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Usage(wall, cpu + recorded(records) - cpu_before, after.ru_maxrss / 1024)


def recorded(records: Path) -> float:
    """Return the CPU seconds of all jobs in a file of records."""
    if not records.exists():
        return 0.0
    with records.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return sum(int(row["trials"]) * float(row["cpu_seconds"]) for row in rows)


if __name__ == "__main__":
    main()
