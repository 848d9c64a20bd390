"""Pages can be used by keyboard and by screen reader, in the light and in the dark."""

import pytest

pytestmark = pytest.mark.browser
FOCUSED = "return document.activeElement"


def violations(page, axe):
    """Return what axe-core finds serious on the page that is shown."""
    page.run(axe)
    script = """axe.run(document, {resultTypes: ['violations']}).then(
      (found) => done(found.violations), (error) => done([{id: String(error), impact: 'critical',
      nodes: []}]))"""
    result = page.later(script)
    return [
        f"{one['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:200]}"
        for one in result
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3] or [{"html": ""}]
    ]


@pytest.fixture(scope="module")
def axe(axe_file):
    return axe_file.read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_violation(page, kinds, axe, scheme):
    page.media(scheme=scheme)
    by_name = {}
    for route in kinds.values():
        page.go(route)
        # What is folded is looked at too.
        page.run("for (const e of document.querySelectorAll('details')) e.open = true")
        if bad := violations(page, axe):
            by_name[route] = bad
    assert by_name == {}


def test_axe_finds_what_is_wrong(page, axe):
    page.run("document.querySelector('#main').innerHTML += '<img src=\"data:,\"><button></button>'")
    result = " ".join(violations(page, axe))
    assert "image-alt" in result
    assert "button-name" in result


def test_every_picture_says_what_it_shows(seen):
    for route, result in seen.items():
        assert all(result.pictures), route
    figures = [alt for result in seen.values() for alt in result.pictures if len(alt) > 40]
    assert len(figures) >= 3


def test_skip_link_is_the_first_stop(page):
    page.press("TAB")
    focused = page.run(FOCUSED)
    assert focused.text.lower().startswith("skip")
    box = page.run("return arguments[0].getBoundingClientRect().toJSON()", focused)
    assert box["left"] >= 0
    assert box["top"] >= 0
    page.press("ENTER")
    assert page.run("return document.activeElement.id") == "main"


def test_table_is_sorted_by_keyboard(page):
    page.go("study/ikd_fig1")
    for _ in range(60):
        page.press("TAB")
        inside = "return document.activeElement.closest('thead th button') !== null"
        if page.run(inside):
            break
    else:
        raise AssertionError("no heading of a table was reached")
    outline = page.run(
        "const s = getComputedStyle(document.activeElement);"
        "return s.outlineStyle + ' ' + s.outlineWidth"
    )
    assert "none" not in outline
    assert not outline.endswith(" 0px")
    for direction in ("ascending", "descending"):
        page.press("ENTER")
        heading = page.run("return document.activeElement.closest('th').getAttribute('aria-sort')")
        assert heading == direction


def test_nothing_traps_the_keyboard(page):
    page.go("study/ikd_fig1")
    seen = set()
    for _ in range(200):
        page.press("TAB")
        seen.add(page.run("return document.activeElement.outerHTML.slice(0, 200)"))
        if page.run("return document.activeElement === document.body"):
            break
    else:
        raise AssertionError("the end of the page was not reached")
    assert len(seen) > 15


def test_new_page_is_announced(page):
    """The focus moves to the content, so that reading and tabbing go on there."""
    page.go("studies")
    assert page.run("return document.activeElement.id") == "main"
    assert page.driver.title.startswith("Studies")


def test_theme_is_toggled_and_kept(page, report):
    paper = "return getComputedStyle(document.body).backgroundColor"
    seen = {}
    for _ in range(3):
        page.run("document.querySelector('[data-theme-toggle]').click()")
        theme = page.run("return document.documentElement.dataset.theme")
        seen[theme] = page.run(paper)
    assert seen.keys() == {"auto", "light", "dark"}
    assert seen["auto"] == seen["light"] != seen["dark"]
    page.media(scheme="dark")
    assert page.run(paper) == seen["dark"]  # automatic follows the system
    # A choice outlives the page.
    page.run("document.querySelector('[data-theme-toggle]').click()")
    page.load(report)
    assert page.run("return document.documentElement.dataset.theme") == "light"
    assert page.run(paper) == seen["light"]
    page.run("localStorage.clear()")


def test_verdicts_are_words_not_colors(seen):
    for route, result in seen.items():
        assert all(any(map(str.isalpha, text)) for text in result.verdicts), route
    assert any(result.verdicts for result in seen.values())
