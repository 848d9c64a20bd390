"""Tables sort, filter, and can be taken along as CSV; lists can be searched."""

import csv
import io

import pytest

pytestmark = pytest.mark.browser
TABLE = "#main section[data-table]"


@pytest.fixture
def table(page):
    """Return the browser at a study with several tables."""
    page.go("study/ikd_fig1")
    return page


def column(page, heading, section=0):
    """Return the visible texts of a column of the first table."""
    script = """const section = document.querySelectorAll(arguments[0])[arguments[2]];
      const heads = [...section.querySelectorAll('thead th')].map(e => e.textContent.trim());
      const at = heads.findIndex(text => text.startsWith(arguments[1]));
      return [...section.querySelectorAll('tbody tr')].filter(r => r.checkVisibility())
        .map(r => r.cells[at].textContent.trim())"""
    return page.run(script, TABLE, heading, section)


def click(page, heading):
    """Click a heading of the first table; return its ``aria-sort``."""
    script = """const heads = [...document.querySelector(arguments[0]).querySelectorAll('th')];
      const head = heads.find(e => e.textContent.trim().startsWith(arguments[1]));
      head.querySelector('button').click(); return head.getAttribute('aria-sort')"""
    return page.run(script, TABLE, heading)


def numbers(texts):
    return [float(text.replace("−", "-").replace("\u202f", "")) for text in texts]


def test_numbers_sort_by_size(table):
    before = numbers(column(table, "R²"))
    assert click(table, "R²") == "ascending"
    assert numbers(column(table, "R²")) == sorted(before)
    assert click(table, "R²") == "descending"
    assert numbers(column(table, "R²")) == sorted(before, reverse=True)
    assert before != sorted(before)


def test_texts_sort_by_alphabet_and_only_one_column_is_marked(table):
    click(table, "R²")
    assert click(table, "Method") == "ascending"
    methods = column(table, "Method")
    assert methods == sorted(methods, key=str.lower)
    marked = table.run(
        "return document.querySelector(arguments[0]).querySelectorAll('[aria-sort]').length", TABLE
    )
    assert marked == 1


def test_rows_are_filtered_by_words(table):
    rows = len(column(table, "Method"))
    box = table.find(f"{TABLE} input[type=search]")
    box.send_keys("oracle 50")
    assert column(table, "Method") == ["oracle"]
    assert f"1 of {rows}" in table.find(f"{TABLE} [data-count]").text
    table.run("arguments[0].value = ''; arguments[0].dispatchEvent(new Event('input'))", box)
    assert len(column(table, "Method")) == rows
    box.send_keys("no such row")
    assert column(table, "Method") == []


def test_long_table_shows_the_rows_of_the_page_and_names_the_file_of_all(table):
    few = len(column(table, "Metric", 1))
    section = f"document.querySelectorAll('{TABLE}')[1]"
    assert "The first 100 of 105 rows" in table.run(f"return {section}.textContent")
    table.run(f"{section}.querySelector('[data-more]').click()")
    assert len(column(table, "Metric", 1)) == 100 > few


def test_rows_can_be_taken_along(table):
    table.find(f"{TABLE} input[type=search]").send_keys("oracle")
    script = """window.blobs = [];
      URL.createObjectURL = (blob) => { blobs.push(blob); return 'blob:none'; };
      HTMLAnchorElement.prototype.click = () => {};
      document.querySelector(arguments[0]).querySelector('[data-csv]').click();
      blobs[0].text().then(done)"""
    text = table.later(script, TABLE)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2
    assert {row["method"] for row in rows} == {"oracle"}
    assert all(float(row["r2_affine_mean"]) == pytest.approx(1) for row in rows)


@pytest.mark.parametrize(
    ("route", "word"),
    [
        ("claims", "random"),
        ("studies", "images"),
        ("methods", "isomap"),
        ("datasets", "digits"),
        ("metrics", "continuity"),
        ("failures", "refuses"),
    ],
)
def test_lists_are_searched(page, route, word):
    page.go(route)
    everything = len(page.texts("#main [data-item]"))
    page.find("#main [data-filter-text]").send_keys(word)
    result = page.texts("#main [data-item]")
    assert 0 < len(result) < everything
    assert all(word in text.lower() for text in result)
    assert f"{len(result)} of {everything}" in page.find("#main [data-count]").text


def test_claims_are_filtered_by_verdict_and_the_address_keeps_it(page):
    page.go("claims")
    page.run("document.querySelector('#main input[value=open]').click()")
    assert len(page.texts("#main [data-item]")) == 2
    assert page.run("return location.hash") == "#/claims?verdict=open"
    page.go("claims?verdict=open")
    assert page.run("return document.querySelector('#main input[value=open]').checked")
