"""The templates of docs/templates work as documented: copied, built and tested."""

import doctest
import re
import shutil
import sys

import pytest
from conftest import ROOT, load

from nldr.tables import read_csv

TEMPLATES = ROOT / "docs/templates"
TABLE = (TEMPLATES / "README.md").read_text(encoding="utf-8")

# Template → place, as the table in docs/templates/README.md says.
PLACES = dict(re.findall(r"^\| \[([\w.]+)\]\(\1\) \| `([\w/.]+)` \|", TABLE, re.MULTILINE))


def install(project):
    """Copy each template to its place; entries are appended to catalogs."""
    for name, place in PLACES.items():
        text = (TEMPLATES / name).read_text(encoding="utf-8")
        target = project.path / place
        if place.startswith("workflow/catalog/"):
            text = target.read_text(encoding="utf-8") + text
        project.write(place, text)


def test_every_template_has_a_place():
    files = {path.name for path in TEMPLATES.iterdir() if path.is_file()}
    assert PLACES.keys() == files - {"README.md"}


@pytest.mark.recipe
def test_study_of_templates_builds(project):
    install(project)
    project.snakemake("--cores", "2", "--config", "scale=smoke", "--", "mine", "claims")

    # Table: one trial of two methods on a helix at two levels of noise.
    rows = read_csv(project.path / "results/smoke/tables/mine.csv")
    cells = [(row["method"], float(row["data.noise"])) for row in rows]
    assert sorted(cells) == [("mine", 0.0), ("mine", 0.1), ("pca", 0.0), ("pca", 0.1)]
    assert {row["status"] for row in rows} == {"ok"}, {row["message"] for row in rows}
    assert all(float(row["fit.n_iter"]) >= 1 for row in rows if row["method"] == "mine")

    # Subspace iteration finds the principal components, so its scores are those of PCA.
    scores = {cell: float(row["mine_k10"]) for cell, row in zip(cells, rows, strict=True)}
    for noise in (0.0, 0.1):
        assert 0 < scores["mine", noise] <= 1
        assert scores["mine", noise] == pytest.approx(scores["pca", noise])

    # Claim: one trial of random data decides nothing.
    claims = {row["claim"]: row for row in read_csv(project.path / "results/smoke/claims.csv")}
    assert claims["mine-01"]["verdict"] == "open"

    # Figure, in both formats.
    assert (project.path / "results/smoke/figures/mine.pdf").read_bytes().startswith(b"%PDF")
    assert (project.path / "results/smoke/figures/mine.png").stat().st_size > 10_000


@pytest.mark.recipe
def test_tests_of_the_method_pass(project):
    install(project)
    for file in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(ROOT / file, project.path / file)
    files = ("tests/methods/test_mine.py", "src/nldr/methods/mine.py")
    project.run("pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files)


@pytest.mark.parametrize("name", ["method.py", "dataset.py", "metric.py"])
def test_examples_in_docstrings_run(name, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # leave nothing beside the templates
    failed, attempted = doctest.testmod(load(TEMPLATES / name))
    assert attempted > 0
    assert failed == 0
