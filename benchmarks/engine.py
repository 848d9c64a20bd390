"""Overhead of the engine: per job, for a run with nothing to do, for one figure, for planning.

Snakemake runs in a temporary copy of the project. Example::

    python benchmarks/engine.py --cells 24 --cores 2
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
STUDY = """
title: benchmark of the engine
source: ours
datasets: [gp: {{n_samples: 100, n_features: [{features}]}}]
methods: [pca]
metrics: [r2_affine]
trials: {trials}
figure: {{function: nldr.figures.curves.curves, params: {{x: data.n_features}}}}
"""


def main() -> None:
    """Measure and print all overheads."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=24, help="PCA cells to run (24)")
    parser.add_argument("--cores", type=int, default=2, help="cores to use (2)")
    parser.add_argument("--jobs", type=int, default=10_000, help="jobs to plan (10000)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        project.mkdir()
        for part in ("Snakefile", "config.yaml", "workflow", "profiles", "src", "envs"):
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, project / part)
        measure_run(project, options.cells, options.cores)
        measure_plan(project, options.jobs)


def measure_run(project: Path, cells: int, cores: int) -> None:
    """Build a study of PCA cells, build it again with nothing to do, and rebuild its figure."""
    write_study(project, range(5, 5 + cells), trials=1)
    # A dry run fills the cache of signatures, which later runs reuse.
    snakemake(project, "-n")

    # Datasets first, so that the timed run holds embeddings only.
    data = [f"results/data/{cell(n)}/trial-0.npz" for n in range(5, 5 + cells)]
    snakemake(project, "--cores", str(cores), *data)
    pca = [d.replace("/data/", "/embeddings/").replace("/trial", "/pca@n_components=2/trial")
           for d in data]  # fmt: skip
    wall = snakemake(project, "--cores", str(cores), *pca)[0]

    # Everything else, and the seconds that the fits themselves took.
    snakemake(project, "--cores", str(cores), "bench")
    with (project / "results/timings/bench.csv").open(newline="") as file:
        compute = sum(float(row["seconds"]) for row in csv.DictReader(file))

    # Nothing to do, then one figure from tables that exist.
    nothing = snakemake(project, "--cores", str(cores), "bench")[0]
    (project / "results/figures/bench.pdf").unlink()
    figure = snakemake(project, "--cores", str(cores), "bench")[0]

    print(f"{cells} PCA cells on {cores} cores: {wall:.1f} s, computing {compute:.2f} s")
    print(f"overhead per PCA cell: {(wall * cores - compute) / cells:.2f} core-seconds (goal 2.0)")
    print(f"nothing to do: {nothing:.1f} s (goal 8)")
    print(f"one figure from cached tables: {figure:.1f} s (goal 10)")


def measure_plan(project: Path, jobs: int) -> None:
    """Plan a study of about ``jobs`` jobs without running them."""
    trials = 50
    write_study(project, range(5, 5 + jobs // (2 * trials)), trials)
    wall, megabytes = snakemake(project, "-n", "--quiet", "all", "--", "bench")
    print(f"planning {jobs} jobs: {wall:.1f} s (goal 60), {megabytes:.0f} MB (goal 1000)")


def write_study(project: Path, features: range, trials: int) -> None:
    """Write the study ``bench`` with one dataset cell per number of features."""
    text = STUDY.format(features=", ".join(map(str, features)), trials=trials)
    (project / "workflow/studies/bench.yaml").write_text(text)


def cell(n_features: int) -> str:
    """Return the name of the dataset cell with this number of features."""
    return f"gp@n_features={n_features}@n_samples=100"


def snakemake(project: Path, *arguments: str) -> tuple[float, float]:
    """Run Snakemake and return its wall seconds and peak memory in MB."""
    environment = os.environ | {"PYTHONPATH": str(project / "src")}
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "snakemake", *arguments],
        cwd=project, env=environment, check=True, capture_output=True,
    )  # fmt: skip
    wall = time.perf_counter() - started
    return wall, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


if __name__ == "__main__":
    main()
