"""The explorer links its plots: what is marked in one is marked in all; a point shows its image."""

import statistics
import time

import numpy as np
import pytest

from nldr.report.clouds import Cloud, Embedding
from nldr.report.content import Look, Report
from nldr.report.page import write

pytestmark = pytest.mark.browser
DIGITS = "digits@subset=150"
PLOT = ".explorer-panel canvas[role=application]"
# A picture of what each plot shows
DRAWN = """return [...document.querySelectorAll('.explorer-plot')].map(
  (frame) => frame.querySelector('canvas').toDataURL())"""


@pytest.fixture
def explorer(page):
    """Return the browser at the explorer with the digits."""
    open_explorer(page, f"explorer?data={DIGITS}")
    return page


def open_explorer(page, route):
    page.go(route)
    page.wait(lambda: page.find_all(".explorer-panel") and summary(page), "the panels")
    page.settle()


def summary(page):
    return page.run("return document.querySelector('[data-summary]').textContent")


def titles_of(page):
    script = "return [...document.querySelectorAll('.explorer-panel')].map(e => e.ariaLabel)"
    return page.run(script)


def middle(page, plot):
    box = page.run("return arguments[0].getBoundingClientRect().toJSON()", plot)
    return box["width"] / 2, box["height"] / 2


def mark_left_half(page, plot):
    """Drag a rectangle over the left half of a plot."""
    width, height = middle(page, plot)
    page.drag(plot, (2, 2), (width, 2 * height - 2))
    page.wait(lambda: "marked" in summary(page) and "Nothing" not in summary(page), "the marks")


def test_a_plot_per_method_with_its_scores(explorer):
    titles = titles_of(explorer)
    for method in ("PCA", "Isomap", "t-SNE", "UMAP"):
        assert any(method in title for title in titles)
    assert "150 points" in summary(explorer)
    assert len(set(explorer.run(DRAWN))) == len(explorer.find_all(PLOT)) == 4
    assert "trustworthiness" in explorer.find("[data-scores]").text


def test_brushing_in_one_plot_marks_in_all(explorer):
    before = explorer.run(DRAWN)
    mark_left_half(explorer, explorer.find_all(PLOT)[1])
    number = int(summary(explorer).split()[0])
    assert 5 < number < 145
    after = explorer.run(DRAWN)
    assert all(old != new for old, new in zip(before, after, strict=True))
    assert "marked points" in explorer.find("[data-scores]").text
    # A click clears it.
    explorer.run("document.querySelector('[data-clear]').click()")
    explorer.wait(lambda: "Nothing" in summary(explorer), "the end of the selection")
    assert explorer.run(DRAWN) == before


def test_legend_marks_a_class(explorer):
    button = explorer.find("[data-legend] [data-class]")
    size = int(button.text.split()[-1])
    button.click()
    explorer.wait(lambda: summary(explorer).startswith(f"{size} of 150"), "the class")
    assert button.get_attribute("aria-pressed") == "true"


def test_pointing_at_a_point_shows_its_image(explorer):
    plot = explorer.find(PLOT)
    width, height = middle(explorer, plot)
    shown = "const c = document.querySelector('.explorer-tip:not([hidden]) canvas'); if (c)"
    # Points lie somewhere along the middle of the plot.
    for step in range(100):
        explorer.point(plot, width * (0.3 + 0.014 * step), height)
        explorer.settle()
        if explorer.run(shown + " return 1"):
            break
    else:
        raise AssertionError("no image was shown")
    # An image of one shade would be compressed to next to nothing.
    assert explorer.run(shown + " return c.toDataURL().length") > 600
    assert "label" in explorer.find(".explorer-tip").text
    # All plots ring the same point.
    rings = """return [...document.querySelectorAll('.explorer-plot')].map(
      (frame) => frame.querySelectorAll('canvas')[1].toDataURL())"""
    ringed = explorer.run(rings)
    explorer.point(explorer.find("h1"), 5, 5)
    explorer.wait(lambda: not explorer.texts(".explorer-tip"), "the end of the tip")
    assert all(old != new for old, new in zip(ringed, explorer.run(rings), strict=True))


def test_points_are_reached_by_keyboard(explorer):
    explorer.run("document.querySelector(arguments[0]).focus()", PLOT)
    explorer.press("HOME", "ARROW_RIGHT", "ENTER")
    explorer.wait(lambda: summary(explorer).startswith("1 of 150"), "the marked point")
    spoken = explorer.run("return document.querySelector('.explorer-spoken').textContent")
    assert "label" in spoken
    explorer.press("PAGE_DOWN", "ENTER")
    explorer.wait(lambda: summary(explorer).startswith("2 of 150"), "the second point")
    explorer.press("ESCAPE")
    explorer.wait(lambda: "Nothing" in summary(explorer), "the end of the selection")


def test_controls_are_reached_by_keyboard(page):
    open_explorer(page, f"explorer?data={DIGITS}")
    reached = set()
    name = "const e = document.activeElement; return e.name || e.getAttribute('role') || e.tagName"
    for _ in range(80):
        page.press("TAB")
        reached.add(page.run(name))
        if page.run("return document.activeElement === document.body"):
            break
    assert {"data", "trial", "color", "mode", "application", "SUMMARY"} <= reached


@pytest.mark.parametrize("color", ["label", "trustworthiness", "continuity", "distortion"])
def test_colors_by_label_and_error(explorer, color):
    before = explorer.run(DRAWN)
    other = "none" if color == "label" else color
    for value in (other, color):
        explorer.run(
            """const select = document.querySelector('[data-controls] [name=color]');
          select.value = arguments[0];
          select.dispatchEvent(new Event("change", {bubbles: true}))""",
            value,
        )
    explorer.settle()
    assert (explorer.run(DRAWN) == before) == (color == "label")
    assert f"color={color}" in explorer.run("return location.hash")
    assert explorer.texts("[data-legend] strong")


def test_latent_colors_where_it_is_known(page):
    open_explorer(page, "explorer?data=swiss_roll@n_samples=200&color=latent1")
    assert "True latent" in titles_of(page)
    assert page.run("return document.querySelector('[name=color]').value") == "latent1"


def test_address_names_dataset_and_methods(page):
    open_explorer(page, f"explorer?data={DIGITS}&methods=pca@n_components=2&trial=1")
    assert len(page.find_all(PLOT)) == 1
    assert page.run("return document.querySelector('[name=trial]').value") == "1"
    page.run("document.querySelector('[data-choose=first]').click()")
    page.wait(lambda: len(page.find_all(PLOT)) == 4, "four plots")
    assert "methods=" in page.run("return location.hash")


def test_failed_embeddings_say_why(page):
    open_explorer(page, "explorer?data=swiss_roll@n_samples=60")
    page.run("document.querySelector('[data-choose=first]').click()")
    page.wait(lambda: page.find_all(".explorer-panel.failed"), "the failures")
    text = " ".join(page.texts(".explorer-panel.failed"))
    assert "this dataset does not suit me" in text
    assert "timeout" in text


# --- 70 000 points ------------------------------------------------------------------------------

N = 70_000


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Return a report of as many points as MNIST has, in four embeddings."""
    rng = np.random.default_rng(0)
    labels = rng.integers(10, size=N)
    centers = rng.normal(size=(10, 2)) * 5

    def embedding(number):
        Z = centers[rng.permutation(10)][labels] + rng.normal(size=(N, 2))
        errors = {"trustworthiness": rng.random(N), "continuity": rng.random(N)}
        name = f"method{number}"
        return Embedding(name, name, f"Method {number}", 0, "ok", "", Z, {}, errors)

    cloud = Cloud(
        *("many", "many", "Many points", 0, N, 784, None, rng.normal(size=(N, 2)), labels, None),
        [embedding(number) for number in range(4)],
    )
    looks = {
        f"method{k}": Look(color, "o", True)
        for k, color in enumerate(("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728"))
    }
    path = tmp_path_factory.mktemp("large") / "report.html"
    report = Report("0", "paper", "now", {}, [], [], [], [cloud], looks, 25_000_000)
    write(report, path)
    return path


@pytest.fixture
def many(chrome, large):
    """Return the browser at the explorer with many points."""
    chrome.open(large)
    open_explorer(chrome, "explorer")
    yield chrome
    assert chrome.errors() == []


def test_many_points_open_quickly(chrome, large):
    assert large.stat().st_size < 10_000_000
    chrome.load(large)
    start = time.monotonic()
    open_explorer(chrome, "explorer")
    assert time.monotonic() - start < 5
    assert f"{N} points" in summary(chrome)


def test_many_points_follow_the_mouse(many):
    """While brushing, five plots are drawn anew several times a second.

    Limits are for a busy machine without a graphics card: on a quiet one it is three times as fast.
    """
    plot = many.find_all(PLOT)[-1]
    mark_left_half(many, plot)
    many.run("seen.tasks.length = 0")
    for _ in range(3):
        mark_left_half(many, plot)
    brushing = many.run("return seen.tasks.splice(0)")
    width, height = middle(many, plot)
    for step in range(20):
        many.point(plot, width * (0.5 + step / 20), height)
    many.settle()
    pointing = many.run("return seen.tasks.splice(0)")
    # Tasks below 50 ms are not even listed.
    assert statistics.median(brushing or [0]) < 250, brushing
    assert max(brushing, default=0) < 1500, brushing
    assert statistics.median(pointing or [0]) < 150, pointing
