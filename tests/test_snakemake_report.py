"""Snakemake's own report shows figures, tables, verdicts and claims, and needs no network."""

import json
import re

import pytest

SMOKE = ("--config", "scale=smoke")
FOLDER = "results/smoke"


@pytest.fixture
def copy(copy, monkeypatch):
    """Return the copy, from which nothing can be downloaded."""
    for scheme in ("http", "https", "all"):
        monkeypatch.setenv(f"{scheme}_proxy", "http://127.0.0.1:9")
    return copy


def variable(page, name):
    """Return a variable of the page's scripts."""
    result = re.search(rf"^\s*var {name} = ([{{\"].*);$", page, re.M)
    return json.loads(result[1])


def test_page_has_figures_tables_and_claims_with_captions(copy):
    copy.snakemake("--report", "page.html", *SMOKE)
    page = (copy.path / "page.html").read_text(encoding="utf-8")
    categories = variable(page, "categories")
    assert categories["Claims"]["Other"] == [f"{FOLDER}/claims.csv", f"{FOLDER}/claims.md"]
    studies = categories["Own studies"]
    (heading,) = (title for title in studies if title.startswith("ikd_fig1: "))
    assert studies[heading] == [
        f"{FOLDER}/figures/ikd_fig1.svg",
        f"{FOLDER}/tables/ikd_fig1_summary.csv",
        f"{FOLDER}/tables/ikd_fig1_verdicts.csv",
    ]
    results = variable(page, "results")
    for file in (*categories["Claims"]["Other"], *studies[heading]):
        assert "scale" in results[file]["caption"]
        assert "smoke" in results[file]["caption"]
        assert "{" not in results[file]["caption"]
        assert results[file]["data_uri"].startswith("data:")
        assert results[file]["labels"].keys() == {"kind", "name", "title"}
    assert "Every table and figure" in variable(page, "workflow_desc")
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=.https?:", page)
