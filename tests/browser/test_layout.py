"""Pages fit narrow windows and paper; a picture of each kind of page is saved."""

import pytest

pytestmark = pytest.mark.browser


def test_no_page_is_wider_than_a_telephone(page, routes):
    page.resize(380, 800)
    for route in routes:
        page.go(route)
        width = page.run("return document.documentElement.scrollWidth")
        beyond = page.run("""return [...document.querySelectorAll('body *')]
          .filter(e => e.getBoundingClientRect().right > 381 && !e.closest('.scroll, [tabindex]'))
          .map(e => e.outerHTML.slice(0, 120)).slice(0, 3)""")
        assert width <= 380, (route, beyond)


def test_text_can_be_read_on_a_telephone(page, kinds):
    page.resize(380, 800)
    small = """return [...document.querySelectorAll('#main *')]
      .filter(e => e.checkVisibility() && !e.closest('svg') && [...e.childNodes]
        .some(n => n.nodeType === 3 && n.textContent.trim())
        && parseFloat(getComputedStyle(e).fontSize) < 11)
      .map(e => e.outerHTML.slice(0, 100)).slice(0, 3)"""
    for kind, route in kinds.items():
        page.go(route)
        assert page.run(small) == [], kind


def test_drawings_are_dark_in_the_dark_and_photographs_are_not(page):
    page.media(scheme="dark")
    page.go("study/ikd_fig1")
    page.wait(lambda: page.find_all("figure img[src]"), "the figure")
    filtered = "return getComputedStyle(document.querySelector('figure img')).filter"
    assert page.run(filtered).startswith("invert")
    page.run("document.querySelector('figure img').toggleAttribute('data-photo', true)")
    assert page.run(filtered) == "none"
    page.run("document.querySelector('figure img').toggleAttribute('data-photo', false)")
    page.media(scheme="light")
    assert page.run(filtered) == "none"


def test_a_wide_figure_is_not_shrunk_to_a_telephone(page):
    page.resize(380, 800)
    page.go("study/ikd_fig1")
    page.wait(lambda: page.find_all("figure img[src]"), "the figure")
    image = "document.querySelector('figure img')"
    natural = int(page.run(f"return {image}.getAttribute('width')"))
    assert natural > 500
    assert page.run(f"return {image}.offsetWidth") >= 0.85 * natural


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_paper_there_is_no_navigation_and_ink_on_white(page, kinds, scheme, theme):
    page.go(kinds["study"])
    page.run("document.documentElement.dataset.theme = arguments[0]", theme)
    page.media("print", scheme)
    assert page.texts("nav[aria-label=Pages] a") == []
    assert page.texts("[data-theme-toggle]") == []
    brightness = """const [r, g, b] = getComputedStyle(arguments[0]).%s.match(/[\\d.]+/g);
      return (+r + +g + +b) / 3"""
    assert page.run(brightness % "color", page.find("h1")) < 100
    paper = page.run("return getComputedStyle(document.body).backgroundColor")
    assert paper in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")
    pdf = page.command("Page.printToPDF", printBackground=False)["data"]
    assert len(pdf) > 10_000


@pytest.mark.parametrize("size", ["wide", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_of_all_kinds_of_pages(page, kinds, pictures, scheme, size):
    page.resize(*{"wide": (1280, 900), "narrow": (380, 800)}[size])
    page.media(scheme=scheme)
    for kind, route in kinds.items():
        page.go(route)
        page.later("""Promise.all([...document.images].map(i => i.src && i.decode()
          .catch(() => null))).then(() => setTimeout(done, 150))""")
        file = pictures / f"{kind or 'overview'}-{scheme}-{size}.png"
        page.screenshot(file)
        assert file.stat().st_size > 5_000
