"""Builds by real Snakemake, at scale smoke, in copies of the project with the tests' studies."""

from __future__ import annotations

import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from conftest import Project, copy_project

SMOKE = ("--config", "scale=smoke")
ALL = ("--cores", "2", *SMOKE)


@pytest.fixture
def copy(built: Project, tmp_path: Path) -> Project:
    """Return a copy in which everything is built."""
    return copy_project(built.path, tmp_path / "copy")


def stages(files: set[str]) -> Counter[str]:
    """Count files by their folder in results/."""
    return Counter(file.split("/")[1] for file in files)


def test_everything_is_built(built: Project) -> None:
    for study in ("gallery", "ikd_fig1"):
        for kind in ("pdf", "png"):
            assert (built.path / f"results/figures/{study}.{kind}").stat().st_size > 10_000
        with (built.path / f"results/tables/{study}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["status"] for row in rows} == {"ok"}
    oracle = [float(r["r2_affine"]) for r in rows if r["method"] == "oracle"]
    assert oracle == pytest.approx([1.0] * 4, abs=1e-12)
    noise = [float(r["r2_affine"]) for r in rows if r["method"] == "random"]
    assert max(noise) < 0.2


def test_nothing_to_do(copy: Project) -> None:
    assert "Nothing to be done" in copy.snakemake(*ALL)
    assert copy.stale("tables", *SMOKE) == copy.stale("gallery", *SMOKE) == set()


def test_targets_by_name(project: Project) -> None:
    fig1 = project.stale("results/figures/ikd_fig1.pdf", *SMOKE)
    assert project.stale("ikd_fig1", *SMOKE) == fig1
    assert not any("swiss_roll" in file for file in fig1)
    assert stages(project.stale("tables", *SMOKE))["figures"] == 0
    assert stages(project.stale("gallery", *SMOKE))["embeddings"] == 8


def test_paper_scale_is_planned_in_full(project: Project) -> None:
    files = project.stale("ikd_fig1", "--config", "scale=paper")
    assert stages(files)["data"] == 7 * 50
    assert stages(files)["embeddings"] == 7 * 50 * 6


def test_cells_shared_by_two_studies_are_made_once(project: Project) -> None:
    study = (project.path / "workflow/studies/ikd_fig1.yaml").read_text()
    before = stages(project.stale(*SMOKE))
    project.write("workflow/studies/again.yaml", study)
    after = stages(project.stale(*SMOKE))
    assert {k: after[k] - before[k] for k in after} == {
        "data": 0, "embeddings": 0, "scores": 0, "tables": 2, "timings": 1, "figures": 2,
    }  # fmt: skip


IKD_FILES = {
    f"results/embeddings/{data}/ikd@n_components={m}/trial-{trial}.npz"
    for data, m, trials in (
        ("gp@n_features=10@n_samples=100", 3, 2), ("gp@n_features=50@n_samples=100", 3, 2),
        ("gp@n_samples=100", 2, 1), ("swiss_roll@n_samples=100", 2, 1),
    ) for trial in range(trials)
}  # fmt: skip
REPORTS = {"tables": 4, "timings": 2, "figures": 4}


def test_editing_a_method_makes_its_embeddings_stale_and_no_other(copy: Project) -> None:
    copy.append("src/nldr/methods/ikd/ikd.py", "SENTINEL = 1")
    stale = copy.stale(*SMOKE)
    assert {f for f in stale if "embeddings" in f} == IKD_FILES
    assert stages(stale) == {"embeddings": 6, "scores": 4, **REPORTS}
    assert all("/ikd@" in f for f in stale if "scores" in f)


def test_editing_a_figure_function_makes_only_its_figure_stale(copy: Project) -> None:
    copy.append("src/nldr/figures/curves.py", "SENTINEL = 1")
    assert copy.stale(*SMOKE) == {f"results/figures/ikd_fig1.{kind}" for kind in ("pdf", "png")}


def test_editing_a_metric_makes_only_its_scores_stale(copy: Project) -> None:
    copy.append("src/nldr/metrics/alignment.py", "SENTINEL = 1")
    stale = copy.stale(*SMOKE)
    assert stages(stale) == {"scores": 8, "tables": 2, "timings": 1, "figures": 2}
    assert all("/alignment/" in f for f in stale if "scores" in f)
    assert all("gallery" not in f for f in stale)


def test_editing_a_kernel_makes_all_that_imports_it_stale(copy: Project) -> None:
    copy.append("src/nldr/kernels.py", "SENTINEL = 1")
    stale = copy.stale(*SMOKE)
    assert {f for f in stale if "results/data/" in f} == {
        "results/data/gp@n_features=10@n_samples=100/trial-0.npz",
        "results/data/gp@n_features=10@n_samples=100/trial-1.npz",
        "results/data/gp@n_features=50@n_samples=100/trial-0.npz",
        "results/data/gp@n_features=50@n_samples=100/trial-1.npz",
        "results/data/gp@n_samples=100/trial-0.npz",
    }
    assert {f for f in stale if "embeddings/swiss_roll" in f} == {
        f for f in IKD_FILES if "swiss_roll" in f
    }


def test_comments_rerun_nothing(copy: Project) -> None:
    for path in [*copy.path.glob("src/nldr/**/*.py"), *copy.path.glob("workflow/scripts/*.py")]:
        path.write_text(path.read_text() + "\n# a comment\n")
    for path in [*copy.path.glob("workflow/rules/*"), *copy.path.glob("workflow/studies/*"),
                 copy.path / "Snakefile"]:  # fmt: skip
        path.write_text(path.read_text() + "\n# a comment\n")
    assert copy.stale(*SMOKE) == set()


def test_a_changed_parameter_makes_a_new_cell(copy: Project) -> None:
    copy.edit("workflow/studies/ikd_fig1.yaml", "n_features: [10, 50]", "n_features: [10, 20]")
    stale = copy.stale(*SMOKE)
    assert stages(stale) == {"data": 2, "embeddings": 8, "scores": 4, "tables": 2, "timings": 1,
                             "figures": 2}  # fmt: skip
    copy.edit("workflow/catalog/methods.yaml", "{n_neighbors: 5}", "{n_neighbors: 6}")
    changed = {f.split("/")[3] for f in copy.stale(*SMOKE) - stale if "embeddings" in f}
    assert changed == {"isomap@n_components=2"}


def test_mistakes_end_the_run_before_any_job(project: Project) -> None:
    output = project.snakemake("--cores", "2", "--config", "scael=smoke", fails=True)
    assert "config.yaml: unknown key 'scael': did you mean 'scale'?" in output
    assert "Traceback" not in output
    assert not (project.path / "results").exists()


STUDY = """
title: methods that misbehave
source: ours
datasets: [swiss_roll: {n_samples: 30}]
methods: [%s]
metrics: [r2_affine, trustworthiness_k3]
trials: 1
limits: {Loops: {seconds: 6}, Allocates: {memory_mb: 500}}
figure: {function: nldr.figures.gallery.gallery, panels: true}
"""
STATUSES = {
    "Fine": "ok", "Raises": "error", "Refuses": "invalid_input", "Loops": "timeout",
    "Allocates": "out_of_memory", "Aborts": "error", "ReturnsNan": "error",
    "ReturnsWrongShape": "error", "GivesUp": "not_converged",
}  # fmt: skip


def test_failure_is_a_result(project: Project) -> None:
    shutil.copy(Path(__file__).parent / "planted.py", project.path / "src/nldr/methods/planted.py")
    catalog = project.path / "workflow/catalog/methods.yaml"
    for name in STATUSES:
        entry = f"\n{name}:\n  title: {name}\n  family: pca\n  class: nldr.methods.planted.{name}\n"
        catalog.write_text(catalog.read_text() + entry)
    project.write("workflow/studies/planted.yaml", STUDY % ", ".join(STATUSES))
    output = project.snakemake("planted", *ALL)
    assert "planted: 4 error, 1 invalid_input, 1 not_converged, 1 ok, 1 out_of_memory, " in output

    with (project.path / "results/tables/planted.csv").open(newline="") as file:
        rows = {row["method"]: row for row in csv.DictReader(file)}
    assert {name: row["status"] for name, row in rows.items()} == STATUSES
    for name, row in rows.items():
        scored = name in ("Fine", "GivesUp")
        assert (row["r2_affine"] != "") == (row["trustworthiness_k3"] != "") == scored
        assert (row["message"] == "") == (name == "Fine")
    ran = subprocess.run(
        [sys.executable, "-m", "nldr", "status", "--scale", "smoke"],
        cwd=project.path, env=project.environment(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "planted (smoke): 9 of 9 embeddings: 4 error" in ran.stdout
    assert "timeout: results/embeddings/swiss_roll@n_samples=30/Loops" in ran.stdout
    assert (project.path / "results/figures/planted.png").stat().st_size > 10_000


def test_a_broken_dataset_does_not_stop_other_studies(project: Project) -> None:
    broken = "def swiss_roll(**_):\n    raise OSError('no such file')\n\n\ndef _other("
    project.edit("src/nldr/datasets/manifolds.py", "def swiss_roll(", broken)
    output = project.snakemake(*ALL, fails=True)
    assert "OSError: no such file" in output
    assert "gallery: no table in this run: see the errors above" in output
    assert (project.path / "results/figures/ikd_fig1.pdf").is_file()


def test_tables_do_not_depend_on_the_number_of_cores(built: Project, project: Project) -> None:
    project.snakemake("ikd_fig1", "--cores", "1", *SMOKE)
    made = project.tables()
    assert made.keys() == {"ikd_fig1.csv", "ikd_fig1_summary.csv"}
    assert made == {name: built.tables()[name] for name in made}


def test_second_run_in_the_same_folder_is_refused(copy: Project) -> None:
    shutil.rmtree(copy.path / "results")
    first = subprocess.Popen(
        [sys.executable, "-m", "snakemake", *ALL], cwd=copy.path, env=copy.environment(),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not list(copy.path.glob("results/**/*.npz")):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    output = copy.snakemake(*ALL, fails=True)
    assert "works in this folder: wait for it or end it" in output
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()


def test_tables_are_the_same_after_runs_killed_at_five_moments(
    built: Project, project: Project
) -> None:
    """Each restart is the same command; nothing is unlocked or cleaned by hand."""
    moments = random.Random(0)
    for attempt in range(5):
        run = subprocess.Popen(
            [sys.executable, "-m", "snakemake", *ALL], cwd=project.path,
            env=project.environment(), start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(moments.uniform(1, 8))
        if attempt % 2:
            run.kill()  # its jobs go on without it
        else:
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        for path in project.path.glob("results/**/*.npz"):
            assert path.name.startswith(".tmp-") or path.stat().st_size > 500
    project.snakemake(*ALL)
    assert project.tables() == built.tables()
    assert list(project.path.glob("results/**/.tmp-*")) == []
    assert "Nothing to be done" in project.snakemake(*ALL)
