"""What the README tells a reader to do works as written."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from conftest import Project

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_add_a_method_a_data_set_and_a_study(project: Project) -> None:
    steps = re.findall(r"`([\w/.]+)`:\n\n```(?:python|yaml)\n(.*?)```", README, re.DOTALL)
    assert len(steps) == 5
    for file, text in steps:
        path = project.path / file
        project.write(file, (path.read_text() if path.exists() else "") + text)
    project.snakemake("--cores", "2", "mine")
    with (project.path / "results/tables/mine.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["method"] for row in rows} == {"pca", "isomap", "mine"}
    assert len({row["data_cell"] for row in rows}) == 3
    assert (project.path / "results/figures/mine.pdf").is_file()


def test_dependency_table_is_complete() -> None:
    table = README.split("## Dependencies")[1]
    named = {name.lower() for name in re.findall(r"[A-Za-z][\w-]+", table)}
    requirements = (ROOT / "envs/requirements.in").read_text()
    for line in requirements.splitlines():
        if line and not line.startswith("#"):
            assert re.split(r"[<>=~ ]", line)[0].lower() in named, line


def test_files_that_are_named_exist() -> None:
    for path in re.findall(r"`((?:src|workflow|docs|benchmarks|envs|profiles)/[\w/.]+)`", README):
        assert "mine" in path or (ROOT / path).exists(), path
    for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README):
        assert (ROOT / path).exists(), path
