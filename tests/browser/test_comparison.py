"""The page of a comparison on own data, in a browser without network."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

import nldr

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Return the page of a comparison of three methods."""
    wine = load_wine(as_frame=True)
    result = nldr.compare(wine.data, wine.target_names[wine.target], methods=["isomap", "le"])
    return result.report(tmp_path_factory.mktemp("comparison") / "wine.html")


@pytest.fixture
def shown(chrome, file):
    """Return the browser at the page; nothing may fail, nothing be asked for."""
    chrome.open(file)
    chrome.wait(lambda: chrome.find_all(".explorer-panel canvas"), "the maps")
    yield chrome
    assert chrome.errors() == []
    assert chrome.requests() == []


def test_recommendation_comes_first(shown):
    assert shown.driver.title == "Which map for X?"
    assert shown.texts(".lede p")[0].startswith("For local neighborhoods take")
    names = [text.split()[0] for text in shown.texts(".ranking tbody th")]
    assert sorted(names) == ["Isomap", "Laplacian", "PCA", "random"]


def test_maps_are_linked_and_colored_by_label_trust_or_column(shown):
    assert len(shown.find_all(".explorer-panel")) == 3
    options = shown.run("return [...document.querySelector('[name=color]')].map((o) => o.text)")
    for choice in ("label", "points not to trust", "proline"):
        assert choice in options
        shown.run(
            """const s = document.querySelector("[name=color]");
            s.value = [...s.options].find((o) => o.text === arguments[0]).value;
            s.dispatchEvent(new Event("change", {bubbles: true}));""",
            choice,
        )
        legend = " ".join(shown.texts(".explorer-legend"))
        assert choice in legend
    plot = shown.find(".explorer-panel canvas")
    shown.drag(plot, (10, 10), (200, 200))
    shown.wait(lambda: "marked" in shown.texts("[data-summary]")[0], "a selection")


def test_points_are_told_by_their_rows(shown):
    shown.run("document.querySelector('.explorer-panel canvas[tabindex]').focus()")
    shown.press("HOME")
    shown.wait(lambda: shown.texts(".explorer-tip strong") == ["Row 0"], "the first row")


def test_choices_in_the_address_lead_back(shown, file):
    shown.run("document.querySelector('[name=align]').click()")
    address = shown.driver.current_url
    shown.driver.get("about:blank")
    shown.driver.get(address)
    shown.wait(lambda: shown.find_all(".explorer-panel canvas"), "the maps")
    assert shown.texts(".lede p")[0].startswith("For local neighborhoods take")


def test_nothing_is_wider_than_the_page(shown):
    for width in (1280, 700, 380):
        shown.resize(width, 900)
        wide = shown.run("return document.documentElement.scrollWidth")
        assert wide <= width, width


def test_page_of_5000_points_is_small(tmp_path):
    X = np.random.default_rng(0).normal(size=(5000, 40))
    result = nldr.compare(X, methods=["pca"])
    # Ten maps take ten times the room of one
    one = result.report(tmp_path / "one.html").stat().st_size
    scripts = 200_000
    assert scripts + 10 * (one - scripts) < 3_000_000
