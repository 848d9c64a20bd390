"""The README and the documentation: recipes work as written, and what they name exists."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
import yaml
from conftest import Project

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_recipes_of_the_readme_build(project: Project) -> None:
    # Each recipe is a code block after the name of the file that it belongs to.
    steps = re.findall(r"`([\w/.]+)`:\n\n```(?:python|yaml)\n(.*?)```", README, re.DOTALL)
    assert len(steps) == 6
    for file, text in steps:
        path = project.path / file
        project.write(file, (path.read_text() if path.exists() else "") + text)
    project.snakemake("--cores", "2", "mine", "claims")
    claims = (project.path / "results/claims.csv").read_text()
    assert "mine-01" in claims
    with (project.path / "results/tables/mine.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    assert {row["status"] for row in rows} == {"ok"}
    cells = {(row["data_cell"], row["method_cell"]) for row in rows}
    assert {row["method"] for row in rows} == {"isomap", "mine"}
    assert {row["dataset"] for row in rows} == {"circle", "swiss_roll"}
    assert len(cells) == 2 * 3
    assert len(rows) == 2 * len(cells)
    assert (project.path / "results/figures/mine.pdf").is_file()


def test_every_requirement_is_in_the_dependency_table() -> None:
    table = README.split("## Dependencies")[1]
    named = {name.lower() for name in re.findall(r"[A-Za-z][\w-]+", table)}
    requirements = (ROOT / "envs/requirements.in").read_text()
    for line in requirements.splitlines():
        if line and not line.startswith("#"):
            assert re.split(r"[<>=~ ]", line)[0].lower() in named, line


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_named_files_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    # Paths in backticks, from the root of the project; `mine` is what the reader creates.
    folders = r"(?:src|workflow|docs|benchmarks|envs|profiles|tests)/"
    paths = [ROOT / path for path in re.findall(rf"`({folders}[\w/.]+)`", text)]
    # Links and pictures, from the page.
    links = re.findall(r"\]\(([^):#]+)(?:#[\w-]+)?\)", text)
    paths += [page.parent / link for link in links]
    missing = [str(path) for path in paths if "mine" not in path.name and not path.exists()]
    assert not missing, missing


def test_studies_in_the_readme_exist() -> None:
    studies = set()
    for path in (ROOT / "workflow/studies").glob("*.yaml"):
        studies |= {path.stem, *yaml.safe_load(path.read_text(encoding="utf-8")).get("figures", {})}
    table = README.split("| paper |")[1].split("## Start")[0]
    table = "".join(line.split("|")[2] for line in table.splitlines() if line.startswith("| "))
    named = re.findall(r"`((?:ikd|lolagp|mvu|parametric)_\w+)`", table)
    assert named
    assert set(named) <= studies
