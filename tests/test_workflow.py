"""Builds by real Snakemake, at scale smoke, in copies of the project with the tests' studies."""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
import yaml
from conftest import flip, outputs
from reports import unpack

from nldr.tables import read_csv

SMOKE = ("--config", "scale=smoke")
ALL = ("--cores", "2", *SMOKE)
GP10 = "gp@n_features=10@n_samples=100"


CLAIMS = ("claims.csv", "claims.md", "claims.json", ".claims.json")
REPORT = ("report.html", ".report.json")


def stages(files):
    """Count files by their folder in results/, or in that of the scale."""
    return Counter(
        file.removeprefix("results/smoke/").removeprefix("results/").split("/")[0] for file in files
    )


def read(project, table):
    return read_csv(project.path / f"results/smoke/tables/{table}.csv")


def test_everything_is_built(built):
    for study in ("gallery", "ikd_fig1"):
        for kind in ("pdf", "png"):
            assert (built.path / f"results/smoke/figures/{study}.{kind}").stat().st_size > 10_000
        rows = read(built, study)
        assert {row["status"] for row in rows} == {"ok"}
        assert read(built, f"{study}_failures") == []
    oracle = [float(r["r2_affine"]) for r in rows if r["method"] == "oracle"]
    assert oracle == pytest.approx([1.0] * 4, abs=1e-12)
    noise = [float(r["r2_affine"]) for r in rows if r["method"] == "random"]
    assert max(noise) < 0.2


def test_output_is_a_line_per_study(built):
    """Without a terminal there is no bar; of Snakemake only what it says before jobs start."""
    lines = (built.path / "built.txt").read_text().splitlines()
    # On a slow machine there is a line of progress every 30 s.
    others = re.compile(r"Using |Config file |$|\[.+\] \d+/43 jobs, .* left$")
    ours = [line for line in lines if not others.match(line)]
    patterns = [
        r"43 jobs to run, 0 done before: about \d+ s on 2 core\(s\)",
        r"\[\d+ s\] gallery: 8 ok -> results/smoke/figures/gallery.pdf",
        r"\[\d+ s\] ikd_fig1: 16 ok -> results/smoke/figures/ikd_fig1.pdf",
        r"done in \d+ s",
        r"claims: 2 open -> results/smoke/claims.md",
        r"report: results/report.html",
    ]
    assert len(ours) == len(patterns), "\n".join(ours)
    ours[1:3] = sorted(ours[1:3], key=lambda line: "ikd_fig1" in line)  # either may end first
    for line, pattern in zip(ours, patterns, strict=True):
        assert re.fullmatch(pattern, line)


def test_nothing_to_do_though_there_are_new_comments(copy):
    code = [*copy.path.glob("src/nldr/**/*.py"), *copy.path.glob("workflow/**/*.smk")]
    for path in (*code, *copy.path.glob("workflow/studies/*"), copy.path / "Snakefile"):
        path.write_text(path.read_text() + "\n# a comment\n")
    output = copy.snakemake(*ALL)
    assert "Nothing to be done" in output
    assert len(output.splitlines()) < 8
    # A mistake is told in each run, also where no job is left to tell it after.
    copy.write("workflow/claims/mine.yaml", "titles: x")
    # The target tables does not draw what is missing.
    (copy.path / "results/smoke/figures/ikd_fig1.png").unlink()
    output = copy.snakemake("tables", "gallery", *ALL)
    assert output.count("the file of claims will be left out: workflow/claims/mine.yaml") == 1
    assert "Nothing to be done" in output


def test_targets_by_name(project):
    fig1 = project.stale("ikd_fig1", *SMOKE)
    assert not any("swiss_roll" in file for file in fig1)
    expected = {"data": 2, "embeddings": 8, "scores": 8, "tables": 7, "timings": 2, "figures": 4}
    assert stages(fig1) == expected


def test_what_depends_on_an_edit_is_made_again(copy):
    """A second study of the same cells adds only its reports."""
    study = (copy.path / "workflow/studies/ikd_fig1.yaml").read_text()
    copy.write("workflow/studies/again.yaml", study)
    expected = {"tables": 7, "timings": 2, "figures": 4, **dict.fromkeys(REPORT, 1)}
    assert stages(copy.stale(*SMOKE)) == expected
    (copy.path / "workflow/studies/again.yaml").unlink()
    # A dry run says what has changed, and what is left out.
    copy.append("src/nldr/methods/ikd/ikd.py", "SENTINEL = 1")
    copy.write("workflow/studies/mine.yml", "title: x")
    output = copy.snakemake("-n", *SMOKE)
    assert "4 result(s) out of date: nldr/methods/ikd/ikd.py changed" in output
    changed = ".snakemake/nldr/reasons/changed/nldr/methods/ikd/"
    assert f"reason: Updated input files: {changed}" in output
    why = "workflow/studies/mine.yml: only .yaml files are read: rename it to mine.yaml"
    assert f"mine will be left out: {why}" in output
    stale = outputs(output)
    assert stages(stale) == {
        "embeddings": 4,
        "scores": 4,
        "tables": 11,
        "timings": 4,
        "figures": 8,
        **dict.fromkeys((*CLAIMS, *REPORT), 1),
    }
    assert all("/ikd@" in f for f in stale if "scores" in f or "embeddings" in f)


def test_mistake_ends_the_run_before_any_job(project):
    """Of a key that is given twice, Snakemake itself would take the second."""
    project.append("config.yaml", "scale: smoke")
    output = project.snakemake("--cores", "2", fails=True)
    assert "Traceback" not in output
    assert not (project.path / "results").exists()
    assert re.search(
        r"^config.yaml: line \d+: the key 'scale' is given twice: remove or rename one$",
        output,
        re.M,
    )


@pytest.mark.parametrize("target", ["ikd_figg1", "results/quick/figures/ikd_figg1.pdf"])
def test_name_of_nothing_is_one_line(project, target):
    output = project.snakemake(target, "--cores", "2", fails=True)
    message = "ikd_figg1: no study, figure or claim has this name: did you mean 'ikd_fig1'?"
    assert output.splitlines()[-1] == message
    assert "Exception" not in output


def assert_is_drawn(run, project):
    assert run.wait(timeout=100) == 0
    assert (project.path / "results/smoke/figures/gallery.pdf").exists()


MORE_LINES = [pytest.param(number, marks=pytest.mark.recipe) for number in (1, 2, 4, 5)]


@pytest.mark.parametrize("n_lines", [3, *MORE_LINES])
def test_run_outlives_the_reader_of_its_messages(copy, n_lines):
    """As in `snakemake ... 2>&1 | head -3`."""
    shutil.rmtree(copy.path / "results/smoke/figures")
    run = copy.start("gallery", *ALL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    for _ in range(n_lines):
        assert run.stdout.readline()
    run.stdout.close()
    assert_is_drawn(run, copy)


def test_run_outlives_its_terminal(copy):
    shutil.rmtree(copy.path / "results/smoke/figures")
    window, terminal = os.openpty()
    run = copy.start("gallery", *ALL, stdout=terminal, stderr=terminal)
    os.close(terminal)
    # What Snakemake says before it has read our rules is not ours to protect.
    text = b""
    while b"jobs to run" not in text:
        text += os.read(window, 1000)
    os.close(window)
    assert_is_drawn(run, copy)


@pytest.mark.recipe
def test_run_under_nohup_outlives_the_end_of_a_session(copy):
    shutil.rmtree(copy.path / "results/smoke/figures")
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    run = copy.start("gallery", *ALL, **pipe, under=["nohup"])
    assert run.stdout.readline()
    while not list(copy.path.glob("results/smoke/figures/*")):
        assert run.poll() is None
        os.killpg(run.pid, signal.SIGHUP)
        time.sleep(0.1)
    assert_is_drawn(run, copy)


# --- failures of every stage --------------------------------------------------------------------

STUDY = """
title: methods that misbehave
source: ours
datasets: [%s]
methods: [%s]
metrics: [trustworthiness_k3, spread, broken_metric, slow_metric]
trials: 1
limits: {Loops: {seconds: 2}, Allocates: {memory_mb: 500}}
figure: {function: nldr.figures.gallery.gallery, panels: true}
"""
STATUSES = {
    "Fine": "ok",
    "Raises": "error",
    "Refuses": "invalid_input",
    "Loops": "timeout",
    "Allocates": "out_of_memory",
    "Aborts": "error",
    "ReturnsNan": "error",
    "ReturnsWrongShape": "error",
    "GivesUp": "not_converged",
}
DATASETS = {"line": "ok", "raises": "error", "hangs": "timeout"}
METRICS = {"spread": "spread", "metric_raises": "broken_metric", "metric_hangs": "slow_metric"}


def plant(project):
    """Give a project methods, datasets, metrics and figures that misbehave, and a broken study."""
    shutil.copy(Path(__file__).parent / "planted.py", project.path / "src/nldr/methods/planted.py")
    module = "nldr.methods.planted"
    look = {"source": "ours", "label": "x", "range": [0, None], "direction": "higher"}
    entries = {
        "methods": {name: {"family": "pca", "class": f"{module}.{name}"} for name in STATUSES},
        "datasets": {
            name: {
                "source": "ours",
                "function": f"{module}.{name}",
                "seconds": 2,
                "params": {"n_samples": 20},
                "n_samples": "n_samples",
                "n_features": 3,
            }
            for name in DATASETS
        },
    }
    for catalog, named in entries.items():
        for name, entry in named.items():
            text = yaml.safe_dump({name: {"title": name, **entry}})
            project.append(f"workflow/catalog/{catalog}.yaml", text)
    for name, metric in METRICS.items():
        scorer = {
            "function": f"{module}.{name}",
            "seconds": 2,
            "metrics": {metric: {"title": metric, **look}},
        }
        project.append("workflow/catalog/metrics.yaml", yaml.safe_dump({name: scorer}))
    study = STUDY % (", ".join(DATASETS), ", ".join(STATUSES))
    project.write("workflow/studies/planted.yaml", study)
    figure = "figure: {function: nldr.methods.planted.figure_raises}\n"
    few = (STUDY % ("line", "Fine")).replace("limits:", "# limits:").replace("figure:", "# figure:")
    project.write("workflow/studies/undrawn.yaml", few + figure)
    project.write("workflow/studies/broken.yaml", study.replace("trials", "trails"))


@pytest.mark.recipe
def test_failures_cost_their_own_cells(project):
    plant(project)
    (project.path / "workflow/studies/ikd_fig1.yaml").unlink()
    output = project.snakemake(*ALL, fails=True)

    # Methods and datasets: a status for each cell.
    rows = {(row["dataset"], row["method"]): row for row in read(project, "planted")}
    assert {m: row["status"] for (d, m), row in rows.items() if d == "line"} == STATUSES
    for name, status in DATASETS.items():
        if name != "line":
            values = {(r["status"], r["message"][:8]) for (d, _), r in rows.items() if d == name}
            assert values == {(status, "dataset:")}
    for (data, method), row in rows.items():
        scored = data == "line" and method in ("Fine", "GivesUp")
        assert (row["spread"] != "") == (row["trustworthiness_k3"] != "") == scored
        assert row["broken_metric"] == row["slow_metric"] == ""
    # Metrics: named in the table of failures.
    failures = [row for row in read(project, "planted_failures") if row["stage"] == "score"]
    assert {(row["method_cell"], row["scorer"], row["status"]) for row in failures} == {
        (f"{method}@n_components=2", scorer, status)
        for method in ("Fine", "GivesUp")
        for scorer, status in (("metric_raises", "error"), ("metric_hangs", "timeout"))
    }
    assert "data raises/1: RuntimeError: no such manifold" in output
    assert (project.path / "results/smoke/figures/planted.png").stat().st_size > 10_000
    # A figure that cannot be drawn leaves its table; other studies are complete.
    assert "figure undrawn: RuntimeError: cannot draw this" in output
    assert "undrawn: not finished in this run" in output
    assert read(project, "undrawn")[0]["status"] == "ok"
    assert (project.path / "results/smoke/figures/gallery.pdf").is_file()
    # The report is made all the same, and shows what is missing.
    report = (project.path / "results/smoke/report.html").read_text(encoding="utf-8")
    pages = {name: page.decode() for name, page in unpack(report, "page").items()}
    assert "trails" in pages["study/broken"]
    assert "timeout" in pages["failures"]
    assert "no such manifold" in pages["failures"]
    # The broken study says why, also when it is asked for.
    why = "workflow/studies/broken.yaml: unknown key 'trails': did you mean 'trials'?"
    assert f"study broken was left out: {why}" in output
    assert output.index(f"study broken will be left out: {why}") < output.index("done in")
    assert "Traceback" not in output
    assert why in project.snakemake("broken", *ALL, fails=True)
    assert "did you mean 'broken'?" in project.snakemake("broken2", *ALL, fails=True)


def test_mistake_in_a_cause_is_told_before_anything_is_built(project):
    cause = "{file: ikd_fig1.csv, hypothesis: another kernel, variant: {study: ikd_fig11}}"
    project.write("workflow/published/causes.yaml", f"mine: {cause}\n")
    output = project.snakemake("gallery", *ALL, fails=True)
    problem = "mine.variant: study 'ikd_fig11' does not compare with this file"
    assert f"workflow/published/causes.yaml: {problem}: did you mean 'ikd_fig1'?" in output
    assert "Traceback" not in output
    assert not (project.path / "results/data").exists()


# --- damage and kills ---------------------------------------------------------------------------


@pytest.mark.recipe
def test_damage_heals(built, copy):
    """What is damaged or missing is made again by the same command, and nothing else."""
    results = copy.path / "results"
    fine = results / f"embeddings/{GP10}/oracle@n_components=3/trial-0.npz"
    kept = results / f"embeddings/{GP10}/pca@n_components=3/trial-1.npz"
    before = {path: path.stat().st_mtime_ns for path in (fine, kept)}
    kept.with_name("trial-0.npz").unlink()
    (results / "data/gp@n_features=50@n_samples=100/trial-1.npz").unlink()
    flip(results / f"embeddings/{GP10}/ikd@n_components=3/trial-1.npz")
    table = results / "smoke/tables/gallery.csv"
    table.write_text(table.read_text().replace("0.9", "0.1"))
    (results / "embeddings/swiss_roll@n_samples=100/pca@n_components=2/trials-1.json").unlink()
    shutil.rmtree(copy.path / ".snakemake")
    copy.snakemake(*ALL)
    assert copy.tables() == built.tables()
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert "Nothing to be done" in copy.snakemake(*ALL)


def processes_in(folder):
    """Return the processes whose working folder this is."""
    result = []
    for process in psutil.process_iter():
        try:
            is_other = process.pid != os.getpid()  # the tests work in that folder as well
            is_there = is_other and process.cwd() == str(folder)
            if is_there and process.status() != psutil.STATUS_ZOMBIE:
                result.append(process)
        except psutil.Error:
            continue
    return result


@pytest.mark.recipe
def test_more_trials_through_kills_give_the_tables_of_one_run(built, copy):
    """Each restart is the same command; nothing is unlocked or cleaned by hand.

    Old trials are kept. The last run uses one core, of which tables do not depend either.
    """
    # As after a build of one trial
    shutil.rmtree(copy.path / "results/smoke")
    for name in ("trial-1.npz", "trials-2.json", "cache.jsonl"):
        for path in copy.path.glob(f"results/*/gp@n_features*/**/{name}"):
            path.unlink()
    old = {p: p.stat().st_mtime_ns for p in copy.path.glob("results/*/gp@n_features*/**/*.npz")}
    assert len(old) == 2 + 8
    n_files = len(list(copy.path.glob("results/**/*.npz")))
    moments = random.Random(0)
    for attempt in range(3):
        run = copy.start("ikd_fig1", *ALL)
        # From a moment before the first embedding to one before the last.
        deadline = time.monotonic() + 300
        while len(list(copy.path.glob("results/**/*.npz"))) < n_files + 1 + 3 * attempt:
            assert time.monotonic() < deadline
            if run.poll() is not None:
                break
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 0.2))
        if attempt == 0:
            run.kill()
        elif attempt == 1:
            os.killpg(run.pid, signal.SIGKILL)
        else:
            for process in processes_in(copy.path):
                if process.pid != run.pid:
                    with suppress(psutil.NoSuchProcess):
                        process.kill()
            run.wait(timeout=120)
        run.wait()
        _, alive = psutil.wait_procs(processes_in(copy.path), timeout=10)
        assert alive == []
        for path in copy.path.glob("results/**/*.npz"):
            assert path.name.startswith(".tmp-") or path.stat().st_size > 500
    copy.snakemake("ikd_fig1", "--cores", "1", *SMOKE)
    assert {path: path.stat().st_mtime_ns for path in old} == old
    assert list(copy.path.glob("results/**/.tmp-*")) == []
    result = copy.tables()
    assert result.keys() == {
        "ikd_fig1.csv",
        "ikd_fig1_failures.csv",
        "ikd_fig1_summary.csv",
        "ikd_fig1_verdicts.csv",
        "ikd_fig1_verdicts.md",
    }
    assert {name: built.tables()[name] for name in result} == result
