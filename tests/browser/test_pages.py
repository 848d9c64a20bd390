"""Every page is shown, every link leads somewhere, and what failed can be read."""

import re

import pytest

pytestmark = pytest.mark.browser
ROUTE = re.compile(r"#/([^?]*)(\?.*)?")


def test_overview_opens_without_complaint(page):
    assert page.find("h1").text
    assert page.driver.title == "nldr report"
    # Claims with verdicts, and the run: scale, machine, failures.
    assert len(page.find_all("#main .claim-row")) == 2
    text = page.find("#main").text
    for word in ("A paper", "open", "smoke", "timeout", "invalid", "error"):
        assert word in text
    assert page.find_all("#main .claim-row svg")


def test_overview_is_readable_without_scripts(page):
    page.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.driver.refresh()
        text = page.find("#main").text
        assert "The true latent coordinates are better" in text
        assert "JavaScript" in text
    finally:
        page.command("Emulation.setScriptExecutionDisabled", value=False)


def test_every_page_is_shown(seen):
    kinds = {route.partition("/")[0] for route in seen}
    lists = {"claims", "studies", "methods", "datasets", "metrics", "failures"}
    assert kinds == lists | {"", "claim", "study", "method", "dataset", "metric", "explorer"}
    for route, result in seen.items():
        (heading,) = result.headings
        assert heading, route
        assert heading != "No such page", route
        assert "nldr" in result.title
        assert result.current == 1, route


def test_nothing_was_forgotten(seen):
    """No missing value, and nothing of a template, is taken for text."""
    for route, result in seen.items():
        assert not re.search(r"\b(undefined|NaN)\b|\[object |{{|{%", result.text), route
        assert "None" not in result.cells, route


def test_every_link_leads_somewhere(seen):
    for route, result in seen.items():
        for link, relation in result.links:
            if target := ROUTE.fullmatch(link):
                assert target[1] in seen, f"{link} on #/{route}"
            elif link.startswith("#"):
                assert link == "#" or link[1:] in result.anchors, f"{link} on #/{route}"
            elif link.startswith("https://"):
                # Other sites open no way back; they are the only addresses outside the file.
                assert "noopener" in relation, f"{link} on #/{route}"
            else:
                assert link.startswith("blob:"), f"{link} on #/{route}"


def test_unknown_page_says_so_and_its_address_is_text(page):
    page.run("seen.route = null; location.hash = '#/<img src=x onerror=alert(1)>'")
    page.wait(lambda: page.run("return seen.route"))
    assert page.texts("h1") == ["No such page"]
    assert page.find_all("#main img") == []
    assert "onerror=alert(1)" in page.find("#main").text


def test_back_leads_back(page):
    page.run("document.querySelector('#main a.claim-link').click()")
    page.wait(lambda: page.run("return seen.route").startswith("claim/"))
    page.run("seen.route = null")
    page.driver.back()
    page.wait_for_page("")
    assert len(page.find_all("#main .claim-row")) == 2


def test_link_to_the_page_that_is_shown_starts_it_anew(page):
    """A page changes its own address, as a list does that is filtered."""
    page.go("claims")
    page.run("document.querySelector('#main input[value=open]').click()")
    page.go("claims")
    assert not page.run("return document.querySelector('#main input[value=open]').checked")


def test_claim_page_has_its_evidence(page):
    page.go("claim/claim-1")
    text = page.find("#main").text
    for words in (
        "The true latent coordinates are better",
        "A paper",
        "Fig. 1",
        "As published",
        "Under equal tuning",
        "there is nothing to tune",
        "open",
    ):
        assert words in text
    assert re.search(r"workflow/claims/ours\.yaml:\d+", text)
    assert page.find_all("#main a[href^='#/study/ikd_fig1']")
    # Cells behind it, comparisons, and the figure
    assert page.find_all("#main a[href*='#/explorer?data=gp']")
    assert len(page.find_all("#main section[data-table] tbody tr")) == 6
    is_loaded = "const i = document.querySelector('#main figure img'); return i?.naturalWidth > 0"
    page.wait(lambda: page.run(is_loaded), "the figure")


def test_study_page_has_figure_table_and_published_numbers(page):
    page.go("study/ikd_fig1")
    is_loaded = """const i = [...document.querySelectorAll('#main figure img')];
      return i.length && i.every(e => e.complete && e.naturalWidth > 100)"""
    page.wait(lambda: page.run(is_loaded), "the figure")
    headings = " ".join(page.texts("#main th"))
    for word in ("Dataset", "Method", "Published", "Verdict"):
        assert word in headings
    assert "not run" in page.find("#main").text
    assert page.find_all("#main a[href^='#/claim/claim-1']")


def test_failures_are_told_with_message_and_log(page):
    for route in ("study/methods_that_fail_in_several_ways", "failures"):
        page.go(route)
        text = page.find("#main").text
        for words in (
            "timeout",
            "ended at its limit of 1 s",
            "this dataset does not suit me",
            "broken <",
            "invalid",
        ):
            assert words in text, (route, words)
        logs = page.run("return [...document.querySelectorAll('#main pre')].map(e=>e.textContent)")
        assert any("ValueError" in log for log in logs)
        assert any("Traceback" in log for log in logs)


def test_study_with_a_mistake_is_told(page):
    for route in ("failures", "study/broken"):
        page.go(route)
        assert "unknown method 'no_such_method'" in page.find("#main").text


def test_failures_are_filtered_by_status(page):
    page.go("failures")
    shown = "#main [data-item]"
    everything = len(page.texts(shown))
    page.run("document.querySelector('#main input[type=checkbox][value=timeout]').click()")
    timeouts = page.texts(shown)
    assert 0 < len(timeouts) < everything
    assert all("timeout" in text for text in timeouts)
