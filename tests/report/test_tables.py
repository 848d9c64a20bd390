"""Tables show numbers alike, link to cards, and keep four digits of what readers download."""

import math
from dataclasses import replace

import pytest
from reports import hostile_report, published, results

from nldr.report.content import Column, TableContent
from nldr.report.tables import MOST, Links, links_of, table_view
from nldr.report.templating import fixed, interval, number, slug


def view(*values):
    """Return text and exact value of the cells of a column."""
    table = TableContent("T", [Column("a", "A", "number")], [{"a": value} for value in values])
    return [(row[0].text, row[0].value) for row in table_view(table, Links(), "t").rows]


def keys(found):
    return [column.key for column in found.columns]


def test_numbers_of_a_column_have_the_same_decimals():
    expected = [("0.5123", ""), ("0.9700", ""), ("0.0019", "0.00195")]
    assert view(0.51234567, 0.97, 0.00195) == expected
    assert view(3.0, 1000.0, 12345.0) == [("3", ""), ("1000", ""), ("12\u202f345", "")]
    assert view(0.5, 1e-9, -0.25) == [("0.5000", ""), ("1e−9", ""), ("−0.2500", "")]


def test_what_is_downloaded_has_four_digits(rng):
    values = [float(v) for v in rng.normal(size=50) * 10.0 ** rng.uniform(-8, 8, size=50)]
    for value, (text, exact) in zip(values, view(*values), strict=True):
        plain = exact or text.replace("−", "-").replace("\u202f", "")
        assert math.isclose(float(plain), value, rel_tol=5e-4)


def test_empty_columns_are_left_out_and_empty_cells_are_empty():
    result = table_view(results(), Links(), "t")
    assert "empty" not in keys(result)
    assert result.rows[1][keys(result).index("r2")].text == ""
    assert view(None, math.nan, 1.5)[:2] == [("", ""), ("", "")]


def test_long_table_has_its_first_rows_unless_no_file_has_them_all():
    rows = [{"a": float(i)} for i in range(MOST + 1)]
    table = TableContent("T", [Column("a", "A", "number")], rows, "results/t.csv")
    cut, whole = (table_view(t, Links(), "t") for t in (table, replace(table, file="")))
    assert (len(cut.rows), cut.total) == (MOST, MOST + 1)
    assert cut.rows == whole.rows[:MOST]
    assert len(whole.rows) == whole.total == MOST + 1


def test_methods_and_datasets_link_to_their_cards():
    links = links_of(hostile_report())
    first, second = table_view(results(), links, "t").rows
    assert (first[0].text, first[0].href) == ("Roll, n = 3", "#/dataset/roll")
    assert (first[1].text, first[1].href) == ("PCA", "#/method/pca")
    assert first[1].look is not None
    # A name of the catalog becomes its title; a method without a card has no link.
    assert (second[0].text, second[0].href) == ("Roll", "#/dataset/roll")
    assert second[1].href == ""


def test_published_numbers_have_bars_and_those_that_were_run_come_first():
    view = table_view(published(), Links(), "t")
    assert [row[0].text for row in view.rows] == ["b", "a"]
    assert [column.kind for column in view.columns if column.key in ("low", "high")] == ["end"] * 2
    at = keys(view).index("interval")
    bar = view.rows[0][at].dots
    # The band is the margin: a third of each half.
    assert bar.band == (34.0, 66.0)
    assert bar.low < 50.0 < bar.at < bar.high < 66.0
    assert view.rows[1][at].dots is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (True, "True"),
        ("a", "a"),
        (None, ""),
        (math.nan, ""),
        (1234.5, "1234"),
        (0.00012345, "0.0001234"),
        (-1e9, "−1\u202f000\u202f000\u202f000"),
        (2.5e-7, "2.5e−7"),
        (1e300, "1e300"),
        (0.99999, "1"),
    ],
)
def test_number(value, text):
    assert number(value) == text


def test_interval_shows_the_digits_that_differ():
    assert interval(0.5, 0.4, 0.6) == "0.50 (0.40 to 0.60)"
    assert interval(120.0, 80.0, 160.0) == "120 (80 to 160)"
    assert interval(-0.0001, -0.2, 0.2) == "0.00 (−0.20 to 0.20)"
    assert interval(0.25, 0.25, 0.25) == "0.25"
    # Tiny numbers have one power of ten, not one each
    assert interval(3.2e-5, 2.9e-5, 3.5e-5) == "32.0e−6 (29.0e−6 to 35.0e−6)"
    assert interval(1e-6, -0.002, 0.002) == "0.0000 (−0.0020 to 0.0020)"
    assert interval(None, None, None) == ""
    assert fixed(-0.0, 2) == "0.00"


def test_a_name_of_a_class_has_no_underscore():
    assert slug("not run") == slug("not_run") == "not-run"
