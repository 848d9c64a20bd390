"""The explorer's plots, number by number: what is unpacked, drawn, found, marked and turned."""

import numpy as np
import pytest

from nldr.report.clouds import Cloud, Embedding
from nldr.report.content import Report
from nldr.report.page import write

pytestmark = pytest.mark.browser
N = 120
SHOWN = "const app = nldr.explorer.shown, panel = app.panels[arguments[0]], plot = panel.plot;"
PLOT = ".explorer-plot canvas[role=application]"


@pytest.fixture(scope="module")
def cloud():
    """Return points in one, two and three dimensions; the second plane is a turn of the first."""
    rng = np.random.default_rng(0)
    plane, space = rng.uniform(size=(N, 2)) * (3, 2), rng.normal(size=(N, 3))
    turned = plane[:, ::-1] @ [[0.6, 0.8], [-0.8, 0.6]] + 7
    loss = rng.uniform(size=N)
    loss[5] = np.nan
    errors = {"trustworthiness": loss, "distortion": rng.normal(size=N)}
    by_name = {"plane": plane, "turned": turned, "space": space, "line": plane[:, :1]}
    embeddings = [
        Embedding(name, name, name.title(), 0, "ok", "", Z, {"m": 0.5}, errors)
        for name, Z in by_name.items()
    ]
    latent, labels = rng.normal(size=(N, 1)), np.arange(N) % 3 + 4
    return Cloud("points", "points", "Points", 0, N, 9, None, latent, labels, None, embeddings)


@pytest.fixture
def page(chrome, cloud, tmp_path):
    """Return the browser at the explorer with these points, not turned."""
    write(Report("0", "smoke", "now", {}, [], [], [], [cloud]), tmp_path / "report.html")
    chrome.open(tmp_path / "report.html", "explorer?methods=plane,turned,space,line&align=0")
    chrome.wait(lambda: len(chrome.find_all(PLOT)) == 4, "the plots")
    chrome.settle()
    yield chrome
    assert chrome.errors() == []


def numbers(page, expression, plot=0):
    """Return numbers of a plot."""
    values = page.run(
        f"{SHOWN} return Array.from({expression}, (v) => Number.isNaN(v) ? null : v)", plot
    )
    return np.array(values, float)


def close_to(values, expected, steps):
    """Tell whether numbers are as exact as their format allows."""
    extent = np.ptp(expected[np.isfinite(expected)])
    return bool(np.nanmax(np.abs(values - expected)) <= extent / steps)


def test_numbers_arrive(page, cloud):
    for i, embedding in enumerate(cloud.embeddings):
        for k, column in enumerate(embedding.Z.T):
            values = numbers(page, f"app.found.get(panel.shown.key).axes[{k}]", i)
            assert close_to(values, column, 4095)
    loss = numbers(page, "panel.shown.errors.trustworthiness")
    expected = cloud.embeddings[0].errors["trustworthiness"]
    assert np.flatnonzero(np.isnan(loss)).tolist() == [5]
    assert close_to(loss, expected, 254)
    stretch = numbers(page, "panel.shown.errors.distortion")
    assert np.abs(stretch - cloud.embeddings[0].errors["distortion"].clip(-3, 3)).max() <= 6 / 254
    assert (numbers(page, "app.cloud.labels") == np.arange(N) % 3).all()
    assert page.run("return nldr.explorer.shown.cloud.classes") == ["4", "5", "6"]


def test_marked_points_lie_in_the_rectangle(page, cloud):
    plot = page.find_all(PLOT)[0]
    box = page.run("return arguments[0].getBoundingClientRect().toJSON()", plot)
    page.drag(plot, (1, 1), (box["width"] / 2, box["height"] - 1))
    page.settle()
    x = cloud.embeddings[0].Z[:, 0]
    middle = (x.min() + x.max()) / 2
    selected = numbers(page, "app.selected") > 0
    clear = np.abs(x - middle) > 0.02
    assert (selected == (x < middle))[clear].all()
    # Marked points keep their color in all plots, the others fade
    for i in range(4):
        drawn = [pixel(page, i, int(point)) for point in np.flatnonzero(selected)[:20]]
        faded = [pixel(page, i, int(point)) for point in np.flatnonzero(~selected)[:20]]
        assert np.ptp(drawn, axis=1).mean() > 3 * np.ptp(faded, axis=1).mean()


def pixel(page, plot, point):
    """Return the color at a point, or in the corner of the plot if there is no such point."""
    return page.run(
        f"""{SHOWN}
      const x = Math.floor(plot.sx[arguments[1]] ?? 0), y = Math.floor(plot.sy[arguments[1]] ?? 0);
      const copy = new OffscreenCanvas(1, 1).getContext("2d", {{willReadFrequently: true}});
      copy.drawImage(plot.base, x, y, 1, 1, 0, 0, 1, 1);
      return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3);""",
        plot,
        point,
    )


def test_shift_adds_to_the_marks(page):
    polygon = "[[0, 0], [plot.width, 0], [plot.width, plot.height], [0, plot.height]]"
    page.run(
        f"{SHOWN} app.toggle(3); app.mark(panel, {polygon}.map(([x, y]) => [x / 2, y]), true)", 0
    )
    left = numbers(page, "plot.sx") < page.run(f"{SHOWN} return plot.width / 2", 0)
    expected = left.copy()
    expected[3] = True
    assert ((numbers(page, "app.selected") > 0) == expected).all()


def test_the_nearest_point_is_looked_at(page):
    x, y = numbers(page, "plot.sx", 1), numbers(page, "plot.sy", 1)
    rng = np.random.default_rng(1)
    for place in rng.uniform(20, 250, (30, 2)):
        result = page.run(
            f"{SHOWN} return plot.nearest(arguments[1], arguments[2], null)", 1, *map(float, place)
        )
        distance = np.hypot(x - place[0], y - place[1])
        assert result == (distance.argmin() if distance.min() < 16 else -1)


def test_arrows_go_to_points_in_their_direction(page):
    x, y = numbers(page, "plot.sx"), numbers(page, "plot.sy")
    start = int(np.hypot(x - x.mean(), y - y.mean()).argmin())
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        neighbor = f"{SHOWN} return plot.neighbor(arguments[1], arguments[2], arguments[3])"
        result = page.run(neighbor, 0, start, dx, dy)
        ahead = (x[result] - x[start]) * dx + (y[result] - y[start]) * dy
        assert 0 < ahead < 80


def test_plots_are_turned_to_match_the_first(page):
    page.run("const box = document.querySelector('[name=align]'); box.click()")
    page.wait(lambda: "align" not in page.run("return location.hash"), "the new address")
    page.settle()
    for axis in ("plot.sx", "plot.sy"):
        np.testing.assert_allclose(numbers(page, axis, 1), numbers(page, axis, 0), atol=0.5)


def test_axes_can_be_chosen(page, cloud):
    panels = page.find_all(".explorer-panel")
    assert all(len(panel.find_elements("css selector", "select")) == 2 for panel in panels)
    shown = page.run("""return [...document.querySelectorAll('.explorer-axes')].map(
      (e) => e.checkVisibility())""")
    assert shown == [False, False, True, True]
    names = page.run("""return [...document.querySelectorAll('.explorer-panel select')].map(
      (e) => e.selectedOptions[0].text)""")
    # One coordinate is drawn against the latent
    assert names[4:] == ["coordinate 1", "coordinate 2", "latent", "coordinate"]
    page.run("""const e = document.querySelectorAll('.explorer-panel select')[5];
      e.value = 2; e.dispatchEvent(new Event("change"))""")
    assert close_to(numbers(page, "plot.ys", 2), cloud.embeddings[2].Z[:, 2], 4095)


def test_zoom_keeps_what_is_under_the_pointer(page):
    before = numbers(page, "plot.sx")[7], numbers(page, "plot.sy")[7]
    wheel(page, *before, control=False)
    assert numbers(page, "plot.sx")[7] == before[0]  # the page scrolls, the plot does not change
    wheel(page, *before, control=True)
    assert numbers(page, "plot.sx")[7] == pytest.approx(before[0], abs=1)
    assert numbers(page, "plot.sy")[7] == pytest.approx(before[1], abs=1)
    assert page.run(f"{SHOWN} return plot.zoom", 0) > 1.5
    page.run("document.querySelector('[aria-label=\"Show all points\"]').click()")
    assert page.run(f"{SHOWN} return plot.zoom", 0) == 1


def wheel(page, x, y, control):
    page.run(
        """const e = document.querySelector(arguments[0]), box = e.getBoundingClientRect();
      e.dispatchEvent(new WheelEvent("wheel", {deltaY: -150, ctrlKey: arguments[3], bubbles: true,
        cancelable: true, clientX: box.left + arguments[1], clientY: box.top + arguments[2]}))""",
        PLOT,
        float(x),
        float(y),
        control,
    )


def test_missing_errors_are_gray_and_large_ones_on_top(page):
    page.run("""const e = document.querySelector('[name=color]'); e.value = 'trustworthiness';
      e.dispatchEvent(new Event("change", {bubbles: true}))""")
    order = numbers(page, "app.paint(panel).order").astype(int)
    codes = numbers(page, "app.paint(panel).codes")[order]
    assert (order[0], codes[0]) == (5, 255)
    assert (np.diff(codes[1:]) >= 0).all()
    assert sorted(order) == list(range(N))


def test_colors_follow_the_theme(page):
    def paper():
        return pixel(page, 0, -1)

    light = paper()
    page.media(scheme="dark")
    page.wait(lambda: sum(paper()) < 200, "dark plots")
    page.media("print", scheme="light")
    page.wait(lambda: sum(paper()) > 700, "plots on paper")
    page.media()
    page.wait(lambda: paper() == light, "light plots")
