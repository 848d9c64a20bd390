"""Nothing that a user writes runs in the page, and the browser itself would refuse it."""

import pytest
from reports import hostile_report, unpack

from nldr.report.page import write

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Return a report all of whose texts try to run a script."""
    file = tmp_path_factory.mktemp("hostile") / "report.html"
    write(hostile_report(), file)
    return file


def test_no_text_runs_or_breaks_a_page(chrome, hostile):
    chrome.load(hostile)
    for route in ["", *unpack(hostile.read_text(encoding="utf-8"), "page")]:
        chrome.go(route)
        assert chrome.run("return document.querySelectorAll('#main [onclick]').length") == 0
    assert chrome.errors() == []
    assert chrome.requests() == []


@pytest.mark.parametrize(
    ("element", "directive"),
    [
        ("<img src=data: onerror='window.ran = 1'>", "script-src-attr"),
        ("<script>window.ran = 1</script>", "script-src-elem"),
        ("<style>body { color: red }</style>", "style-src-elem"),
        ("<p style='color: red'></p>", "style-src-attr"),
        ("<img src='https://example.org/x.png'>", "img-src"),
    ],
)
def test_policy_refuses_what_is_not_of_the_page(chrome, hostile, element, directive):
    chrome.load(hostile)
    insert = "document.body.append(document.createRange().createContextualFragment(arguments[0]))"
    chrome.run(insert, element)
    chrome.run("return new Promise((done) => setTimeout(done, 100))")
    assert any(
        f"refused by policy: {directive}" in error for error in chrome.run("return seen.errors")
    )
    assert chrome.run("return window.ran ?? null") is None
