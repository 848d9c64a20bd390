"""The report is one file, small, quick, and asks for nothing."""

import shutil

import pytest

pytestmark = pytest.mark.browser
MEGABYTE = 10**6


def test_file_is_small(report):
    """A report of a handful of studies; the limit of a whole one is in the report itself."""
    assert report.stat().st_size < 1.5 * MEGABYTE


def test_first_paint_is_early(chrome, report):
    paints = []
    for _ in range(3):
        chrome.load(report)
        chrome.wait(lambda: chrome.run("return seen.paint"), "the first paint")
        paints.append(chrome.run("return seen.paint"))
    assert min(paints) <= 1500


def test_pages_follow_at_once(page, routes):
    script = """const start = performance.now();
      document.addEventListener('page', () => done(performance.now() - start), {once: true});
      location.hash = `#/${arguments[0]}`"""
    slow = {}
    for route in [*routes[1:], ""]:
        milliseconds = page.later(script, route)
        if milliseconds > 500:
            slow[route] = milliseconds
    assert slow == {}


def test_file_works_alone_in_a_folder_with_an_odd_name(page, report, tmp_path):
    copy = tmp_path / "a folder #1 ü" / "my report.html"
    copy.parent.mkdir()
    shutil.copy(report, copy)
    page.load(copy, "studies")
    assert page.texts("h1") == ["Studies"]


def test_network_is_blocked(page):
    """Were the page to ask for anything, the other tests would notice: here it does."""
    page.run("fetch('https://example.org/').catch(() => null)")
    asked = page.wait(lambda: page.errors(), "the refusal")
    assert any("example.org" in message for message in asked)
    page.requests()
