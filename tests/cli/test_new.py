"""``nldr new`` creates a project that builds."""

import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

from nldr.cli import main
from nldr.cli.new import PLACES, create_project
from nldr.engine.reading.parsing import PlanError
from nldr.tables import read_csv


def run(folder, *command):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NLDR_", "SNAKEMAKE_"))}
    environment = kept | {"PYTHONPATH": str(ROOT / "src")}
    ran = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-3000:]
    return ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return a project whose study and claim are built at scale smoke."""
    folder = tmp_path_factory.mktemp("projects")
    run(folder, "nldr", "new", "my-benchmark")
    project = folder / "my-benchmark"
    run(project, "snakemake", "--cores", "2", "--config", "scale=smoke", "--", "mine", "claims")
    return project


@pytest.mark.recipe
def test_project_builds(built):
    rows = read_csv(built / "results/smoke/tables/mine.csv")
    assert {row["method"] for row in rows} == {"mine", "pca"}
    assert {row["status"] for row in rows} == {"ok"}
    assert all(0 < float(row["mine_k10"]) <= 1 for row in rows)
    assert (built / "results/smoke/figures/mine.pdf").is_file()


@pytest.mark.recipe
def test_own_studies_are_the_default_target(built):
    (built / "results/smoke/report.html").unlink()
    shown = run(built, "snakemake", "-n", "--config", "scale=smoke")
    assert "results/smoke/report.html" in shown
    assert "rule embed" not in shown
    assert "gallery" not in shown


@pytest.mark.recipe
def test_commands_work_in_a_project(built):
    assert "my_benchmark.methods.Mine" in run(built, "nldr", "list", "methods")
    status = run(built, "nldr", "status", "--scale", "smoke")
    assert "mine (smoke): 4 of 4 embeddings: 4 ok" in status
    assert "ikd_fig1" not in status
    assert "mine-01: open" in run(built, "nldr", "claim", "mine-01", "--scale", "smoke")
    shown = run(
        built,
        "nldr",
        "show",
        "--scale",
        "smoke",
        "mine@n_samples=100@noise=0.0/mine@n_components=2",
    )
    assert "my_benchmark.methods.Mine" in shown
    assert re.search(r"^mine +\d+ +\d+", run(built, "nldr", "cost"), re.MULTILINE)


@pytest.mark.recipe
def test_a_change_of_the_projects_code_is_seen(built):
    command = ("snakemake", "-n", "--quiet", "rules", "--config", "scale=smoke", "--", "mine")
    before = run(built, *command)
    assert "embed" not in before.split("Job stats")[-1]
    methods = built / "src/my_benchmark/methods.py"
    text = methods.read_text()
    try:
        methods.write_text(text.replace("centered @ basis", "2 * centered @ basis"))
        after = run(built, "snakemake", "-n", "--config", "scale=smoke", "--", "mine")
    finally:
        methods.write_text(text)
    assert "rule embed" in after
    assert "rule data" not in after


@pytest.mark.recipe
def test_studies_that_come_with_nldr_can_be_named(built):
    shown = run(built, "snakemake", "-n", "--config", "scale=smoke", "--", "gallery")
    assert "results/smoke/figures/gallery.pdf" in shown


def test_verdicts_are_those_of_the_projects_own_numbers(tmp_path, capsys):
    project = tmp_path / "mine"
    create_project(project)
    assert main(["--root", str(project), "verdicts"]) == 0
    assert capsys.readouterr().out == "no study compares with published numbers\n"
    study = project / "workflow/studies/mine.yaml"
    spec = "published: {file: mine.csv, keys: {method: method}, values: {mine_k10: [mine_k10]}}"
    study.write_text(f"{study.read_text()}\n{spec}\n")
    (project / "workflow/published/mine.csv").write_text("method,mine_k10\npca,0.5\n")
    assert main(["--root", str(project), "verdicts"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["published", "mine.csv", "all"]


def test_templates_are_adapted(tmp_path):
    files = create_project(tmp_path / "Deep Maps")
    assert set(files) >= {place.format(module="deep_maps") for place in PLACES.values()}
    for file in files:
        text = (tmp_path / "Deep Maps" / file).read_text(encoding="utf-8")
        if not file.startswith("profiles/"):
            assert "nldr.methods.mine" not in text, file
            assert "Copy this file" not in text, file
            assert "Append this entry" not in text, file
    catalog = (tmp_path / "Deep Maps/workflow/catalog/datasets.yaml").read_text()
    assert catalog.startswith("# yaml-language-server: $schema=../schemas/datasets.json\n")
    assert "function: deep_maps.datasets.mine" in catalog


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("3d", "'3d' is not a valid name of a Python package: begin with a letter"),
        ("class", "'class' is not a valid name of a Python package"),
        ("numpy", "Python has a package 'numpy' already: choose another name"),
        ("full", "exists and is not empty: choose another folder"),
    ],
)
def test_bad_name_raises(tmp_path, name, message):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    with pytest.raises(PlanError, match=message):
        create_project(tmp_path / name)
    assert not (tmp_path / name / "Snakefile").exists()


def test_outside_a_project_the_command_says_what_to_do(tmp_path, capsys):
    assert main(["--root", str(tmp_path), "status"]) == 2
    assert "is not a project, as it has no config.yaml" in capsys.readouterr().err
