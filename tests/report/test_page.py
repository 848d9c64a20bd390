"""The report is one file that needs nothing else, whatever texts it is given."""

import re
from dataclasses import replace
from urllib.parse import quote

import pytest
from reports import HOSTILE, SVG, Page, hostile_report, unpack

from nldr.report.claims import MOST_CELLS
from nldr.report.content import Report
from nldr.report.page import FIRST, SCRIPTS, STYLES, asset, render, write
from nldr.report.templating import FOLDER


@pytest.fixture(scope="module")
def html():
    return render(hostile_report())


@pytest.fixture(scope="module")
def pages(html):
    by_name = {name: Page(data.decode()) for name, data in unpack(html, "page").items()}
    return by_name | {"": Page(html)}


def test_every_claim_study_and_card_has_a_page(pages):
    expected = {
        "claims",
        "claim/x-01",
        "claim/x-02",
        "studies",
        "study/study",
        "failures",
        f"study/{quote('odd/na me?', safe='')}",
        "methods",
        "method/pca",
        "datasets",
        "dataset/roll",
        "metrics",
        "metric/r2",
        "explorer",
    }
    assert expected <= set(pages)


def test_every_link_leads_to_a_page(pages):
    for name, page in pages.items():
        for link in (result.get("href", "") for result in page.all("a")):
            if link.startswith("#/"):
                assert link[2:].partition("?")[0] in pages, f"{name}: {link}"
            else:
                # Otherwise a place on the page, or the paper, which is elsewhere
                assert link.startswith(("#", "https://doi.org/")), f"{name}: {link}"


def test_nothing_is_loaded_from_outside(html, pages):
    for name, page in pages.items():
        loaded = page.values("src") + page.values("srcset") + page.values("data")
        loaded += [result["href"] for tag in ("link", "use", "image") for result in page.all(tag)]
        assert not loaded, name
        assert not page.all("iframe"), name
    assert "default-src 'none'" in html
    for file in (*STYLES, *SCRIPTS):
        assert not re.search(
            r"url\((?!\s*['\"]?(data|#))|@import|https?://(?!www\.w3\.org)", asset(file)
        ), file


def test_texts_stay_texts(html, pages):
    assert "<b onclick" not in html
    kinds = {result.get("type") for result in pages[""].all("script")}
    assert kinds == {None, "application/gzip+base91"}
    for name, page in pages.items():
        assert name == "" or not page.all("script"), name
        assert not page.values("onclick"), name
        assert "49" not in page.text.replace("1.49", ""), name
    assert HOSTILE in " ".join(pages["claim/x-01"].text.split())


def test_headings_elements_and_pictures_are_accessible(pages):
    for name, page in pages.items():
        assert len(page.all("h1")) == 1, name
        result = page.values("id")
        assert len(result) == len(set(result)), name
        for label in page.values("aria-labelledby"):
            assert label in result, f"{name}: {label}"
        for drawing in page.all("svg"):
            assert drawing.get("aria-label") or drawing.get("aria-hidden"), name
        assert all("alt" in image for image in page.all("img")), name
    assert pages["study/study"].all("img")[0]["alt"] == f"Alt {HOSTILE}"


def test_a_figure_is_an_image_without_scripts_of_its_own(html, pages):
    image = pages["study/study"].all("img")[0]
    assert (image["data-figure"], image["width"], image["height"]) == ("fig", "96", "48")
    blocks = unpack(html, "block")
    assert blocks["figure/fig"].decode() == SVG
    assert "figure/gone" not in blocks
    assert "could not be drawn" in pages["study/study"].text
    assert "<script>alert(1)</script>" in SVG
    assert "alert(1)" not in html


def test_the_same_report_gives_the_same_file(html, tmp_path):
    write(hostile_report(), tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == html


def test_a_large_report_is_written_and_says_so(tmp_path, capsys):
    write(replace(hostile_report(), max_bytes=1000), tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 1000
    assert "more than 1,000: show fewer" in capsys.readouterr().err


def test_an_empty_report_has_pages_too():
    html = render(Report("1.0", "smoke", "today", {}, [], [], []))
    pages = unpack(html, "page")
    assert "Nothing failed" in pages["failures"].decode()
    assert "explorer" not in pages
    assert 'href="#/explorer"' not in html


def test_every_asset_is_part_of_the_page():
    names = {path.name for path in (FOLDER / "assets").iterdir()}
    assert names == {*STYLES, FIRST, *SCRIPTS, "comparison.css"}


def test_a_claim_shows_its_cells_with_their_results(pages):
    text = pages["claim/x-01"].text
    # The row of the study's table, and the name of the folder
    assert "0.9877" in text
    assert "roll@n=3/pca" in text
    # A cell without a row in the table is named, too.
    assert "roll/gone" in text
    # Scores that its tests do not compare are on the study's page only.
    assert "0.4321" in pages["study/study"].text
    assert "0.4321" not in text


def test_a_claim_with_many_cells_refers_to_its_study():
    report = hostile_report()
    paper = report.papers[0]
    evaluation = paper.claims[0].evaluations[0]
    many = replace(evaluation, cells=[f"roll@n={n}/pca" for n in range(MOST_CELLS + 1)])
    claim = replace(paper.claims[0], evaluations=[many])
    html = render(replace(report, papers=[replace(paper, claims=[claim])]))
    text = " ".join(Page(unpack(html, "page")["claim/x-01"].decode()).text.split())
    assert f"of which {MOST_CELLS + 1} cells are compared" in text
    assert "roll@n=3/pca" not in text
