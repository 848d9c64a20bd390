"""The report works in Firefox too, where that is installed."""

import shutil

import pytest
from firefox import Firefox

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (shutil.which("firefox-esr") or shutil.which("firefox")),
        reason="Firefox is not installed",
    ),
]


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    """Return a browser; the tests of this file share it."""
    firefox = Firefox(tmp_path_factory.mktemp("profile"))
    yield firefox
    firefox.quit()


@pytest.mark.parametrize(
    ("route", "ready"),
    [
        ("", "document.querySelectorAll('#main .claim-row').length === 2"),
        ("claim/claim-1", "document.querySelector('#main figure img')?.naturalWidth > 0"),
        ("study/ikd_fig1", "document.querySelector('#main figure img')?.naturalWidth > 0"),
        ("failures", "main.textContent.includes('this dataset does not suit me')"),
        ("methods", "document.querySelectorAll('#main [data-item]').length > 20"),
    ],
)
def test_pages_are_shown(firefox, report, pictures, route, ready):
    firefox.load(report, route)
    firefox.wait(ready)
    assert firefox.run("document.querySelector('h1').textContent") != "No such page"
    firefox.screenshot(pictures / f"firefox-{route.partition('/')[0] or 'overview'}.png")
    assert firefox.complaints == []


def test_tables_are_sorted(firefox, report):
    firefox.load(report, "study/ikd_fig1")
    firefox.wait("document.querySelector('#main [data-sort]') !== null")
    firefox.run("document.querySelector('#main [data-key=r2_affine_mean] button').click()")
    column = """[...document.querySelector('#main table').tBodies[0].rows].map(
      (row) => +row.cells[3].textContent)"""
    numbers = firefox.run(column)
    assert numbers == sorted(numbers)
    assert len(numbers) == 8


def test_explorer_draws_and_marks(firefox, report, pictures):
    firefox.load(report, "explorer?data=digits@subset=150")
    firefox.wait("document.querySelectorAll('.explorer-plot canvas').length === 8")
    drawn = """[...document.querySelectorAll('.explorer-plot')].map(
      (frame) => frame.querySelector('canvas').toDataURL().length)"""
    firefox.wait(f"{drawn}.every((size) => size > 3000)")
    firefox.run("document.querySelector('[data-legend] [data-class]').click()")
    firefox.wait("document.querySelector('[data-summary]').textContent.startsWith('15 of 150')")
    firefox.screenshot(pictures / "firefox-explorer.png")
    assert firefox.complaints == []
