"""Fixtures: a small report that the workflow has built, and a browser to look at it."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from chrome import Chrome
from conftest import ROOT, Project, copy_project
from reports import unpack

HERE = Path(__file__).parent
AXE = Path(os.environ.get("NLDR_AXE", ROOT / ".venv/axe.min.js"))  # made by `make test-browser`
METHODS = {"raises": "Raises", "refuses": "Refuses", "loops": "Loops"}


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """Return a project in which everything is built, some of it in vain."""
    # A finished project may be given, to try one test after the other.
    if given := os.environ.get("NLDR_BROWSER_PROJECT"):
        return Project(Path(given))
    project = copy_project(ROOT, tmp_path_factory.mktemp("browser") / "project", HERE / "studies")
    shutil.copy(ROOT / "tests/planted.py", project.path / "src/nldr/methods/planted.py")
    for name, kind in METHODS.items():
        entry = {"title": name, "family": "pca", "class": f"nldr.methods.planted.{kind}"}
        project.append("workflow/catalog/methods.yaml", yaml.safe_dump({name: entry}))
    project.snakemake("--cores", "2", "--config", "scale=smoke")
    return project


@pytest.fixture(scope="session")
def report(project):
    """Return the report of that project."""
    return project.path / "results/smoke/report.html"


@pytest.fixture(scope="session")
def chrome(tmp_path_factory):
    """Return a browser; all tests share it."""
    chrome = Chrome(tmp_path_factory.mktemp("profile"))
    yield chrome
    chrome.quit()


@pytest.fixture
def page(chrome, report):
    """Return the browser at the overview of the report; nothing may fail, nothing be asked for."""
    chrome.open(report)
    yield chrome
    assert chrome.errors() == []
    assert chrome.requests() == []


@pytest.fixture(scope="session")
def routes(report):
    """Return the routes of all pages of the report."""
    return ["", *unpack(report.read_text(encoding="utf-8"), "page")]


@dataclass(frozen=True)
class Seen:
    """What one page of the report shows."""

    title: str
    headings: list[str]
    current: int
    text: str
    cells: list[str]
    links: list[list[str]]
    anchors: list[str]
    pictures: list[str]
    verdicts: list[str]


LOOK = """
const all = (selector) => [...document.querySelectorAll(selector)];
const shown = (selector) => all(selector).filter((e) => e.checkVisibility());
return {
  title: document.title,
  headings: all("h1").map((e) => e.textContent.trim()),
  current: all("nav [aria-current=page]").length,
  text: document.querySelector("#main").textContent,
  cells: shown("#main :is(td, dd, p, span)").map((e) => e.textContent.trim()),
  links: [...document.links].map((a) => [a.getAttribute("href"), a.rel]),
  anchors: all("[id]").map((e) => e.id),
  pictures: all("#main img").map((e) => e.alt ?? "")
    .concat(all("#main [role=img]").map((e) => e.getAttribute("aria-label") ?? "")),
  verdicts: shown("#main .verdict:not(th):not(td)").map((e) => e.textContent.trim()),
}"""


@pytest.fixture(scope="session")
def seen(chrome, report, routes):
    """Return what every page of the report shows, one visit each."""
    by_name = {}
    chrome.load(report)
    for route in routes:
        chrome.go(route)
        by_name[route] = Seen(**chrome.run(LOOK))
    assert chrome.errors() == []
    assert chrome.requests() == []
    return by_name


@pytest.fixture(scope="session")
def kinds(routes):
    """Return one route of each kind of page: of several, the one that has most to show."""
    best = {"study": "study/ikd_fig1", "claim": "claim/claim-1", "dataset": "dataset/digits"}
    by_name = {}
    for route in routes:
        by_name.setdefault(route.partition("/")[0], route)
    return by_name | {kind: route for kind, route in best.items() if route in routes}


@pytest.fixture(scope="session")
def axe_file():
    """Return the file of axe-core, which `make test-browser` fetches."""
    assert AXE.is_file(), f"{AXE} is missing: run `make test-browser`, or `make {AXE.name}`"
    return AXE


@pytest.fixture(scope="session")
def pictures():
    """Return the folder of screenshots; NLDR_SCREENSHOTS names another one."""
    return Path(os.environ.get("NLDR_SCREENSHOTS", ROOT / ".pytest_cache/screenshots"))
