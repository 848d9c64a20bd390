"""Long lists of datasets and methods in the explorer are searched by words."""

import numpy as np
import pytest

from nldr.report.clouds import Cloud, Embedding
from nldr.report.content import Look, Report
from nldr.report.page import write

pytestmark = pytest.mark.browser
KINDS = ("roll", "sheet")


def cloud_of(kind, number, n_methods):
    """Return five points of a dataset in some embeddings."""
    Z = np.random.default_rng(number).normal(size=(5, 2))
    errors = {"trustworthiness": np.zeros(5), "continuity": np.zeros(5)}
    embeddings = [
        Embedding(f"m{k}", f"m{k}", f"Method {k}", 0, "ok", "", Z, {}, errors)
        for k in range(n_methods)
    ]
    cell, title = f"{kind}@n_samples={number}", f"A {kind}, n = {number}"
    return Cloud(kind, cell, title, 0, 5, 2, None, Z, np.arange(5), None, embeddings)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Return a report of twelve datasets and up to twelve methods."""
    clouds = [cloud_of(kind, n, 12 if n == 1 else 3) for kind in KINDS for n in range(1, 7)]
    looks = {f"m{k}": Look("#1f77b4", "o", True) for k in range(12)}
    path = tmp_path_factory.mktemp("search") / "report.html"
    write(Report("0", "paper", "now", {}, [], [], [], clouds, looks, 25_000_000), path)
    return path


@pytest.fixture
def explorer(chrome, file):
    """Return the browser at the explorer."""
    chrome.open(file, "explorer?data=roll@n_samples=1")
    chrome.wait(lambda: chrome.find_all(".explorer-panel"), "the panels")
    yield chrome
    assert chrome.errors() == []


def search(page, name, words, event="input"):
    script = """const field = document.querySelector(`[name=${arguments[0]}]`);
      field.value = arguments[1];
      field.dispatchEvent(new Event(arguments[2]));"""
    page.run(script, name, words, "input")
    if event != "input":
        page.run(script, name, words, event)


def shown(page, selector):
    script = """return [...document.querySelectorAll(arguments[0])]
      .filter((e) => !e.hidden && !e.parentElement.hidden).map((e) => e.textContent.trim())"""
    return page.run(script, selector)


def test_datasets_are_searched_by_words(explorer):
    assert len(shown(explorer, "[name=data] option")) == 12
    search(explorer, "dataset", "SHEET 3")
    assert shown(explorer, "[name=data] option") == ["A sheet, n = 3"]
    search(explorer, "dataset", "sheet 3", "change")
    chosen = explorer.run("return document.querySelector('[name=data]').value")
    assert chosen == "sheet@n_samples=3"
    address = "return decodeURIComponent(location.hash)"
    explorer.wait(lambda: "n_samples=3" in explorer.run(address), "the address")
    search(explorer, "dataset", "")
    assert len(shown(explorer, "[name=data] option")) == 12


def test_methods_are_searched_by_words(explorer):
    hidden = "return document.querySelector('[name=method]').hidden"
    assert not explorer.run(hidden)
    search(explorer, "method", "11")
    (method,) = shown(explorer, ".explorer-list label")
    assert method.startswith("Method 11")
    # What is checked stays, and a short list needs no search
    assert len(explorer.find_all(".explorer-panel")) == 6
    explorer.go("explorer?data=roll@n_samples=2")
    explorer.wait(lambda: explorer.run(hidden), "the short list")
