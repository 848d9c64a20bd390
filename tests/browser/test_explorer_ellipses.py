"""Ellipses of uncertain points in the explorer: their place, their turn, their color."""

import numpy as np
import pytest

from nldr.report.clouds import Cloud, Embedding
from nldr.report.content import Report
from nldr.report.page import write

pytestmark = pytest.mark.browser
N = 60
SHOWN = "const app = nldr.explorer.shown, panel = app.panels[arguments[0]], plot = panel.plot;"
PLOT = ".explorer-plot canvas[role=application]"
DIRECTION = np.array([np.cos(0.5), np.sin(0.5)])  # of the long axis


@pytest.fixture
def page(chrome, tmp_path):
    """Return the browser at a plane, its mirror image turned, and the plane without ellipses."""
    rng = np.random.default_rng(0)
    plane = rng.uniform(size=(N, 2)) * (3, 2)
    spread = rng.uniform(0.01, 0.02, N)[:, None, None]
    covariances = spread * (2 * np.outer(DIRECTION, DIRECTION) + 0.1 * np.eye(2))
    move = np.array([[0.0, 1.0], [1.0, 0.0]]) @ [[0.6, 0.8], [-0.8, 0.6]]
    turned = plane @ move + 7, move.T @ covariances @ move
    by_name = {"plane": (plane, covariances), "turned": turned, "plain": (plane, None)}
    # The right half of the mirror image is gray
    shares = np.zeros((8, 8))
    shares[:, 4:] = 1
    gray = {"turned": (shares, (4.4, 8.4, 6.6, 10.6))}
    embeddings = [
        Embedding(
            name, name, name.title(), 0, "ok", "", Z, {"m": 0.5}, {}, ellipses, gray.get(name)
        )
        for name, (Z, ellipses) in by_name.items()
    ]
    cloud = Cloud(
        "points", "points", "Points", 0, N, 9, None, None, np.arange(N) % 3, None, embeddings
    )
    write(Report("0", "smoke", "now", {}, [], [], [], [cloud]), tmp_path / "report.html")
    chrome.open(tmp_path / "report.html", "explorer?methods=plane,turned,plain")
    chrome.wait(lambda: len(chrome.find_all(PLOT)) == 3, "the plots")
    chrome.settle()
    yield chrome
    assert chrome.errors() == []


def covariances(page, plot):
    """Return the covariances of a plot's ellipses."""
    first, second, angle = np.array(
        page.run(f"{SHOWN} return plot.ellipses.map((column) => Array.from(column))", plot)
    )
    axes = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.einsum("kn,kin,kjn->nij", np.square([first, second]), axes, axes)


def test_ellipses_are_turned_with_their_plot(page):
    scale = np.abs(covariances(page, 0)).max()
    np.testing.assert_allclose(covariances(page, 0), covariances(page, 1), atol=0.05 * scale)
    assert page.run(f"{SHOWN} return plot.ellipses", 2) is None


def ink(page, plot, along):
    """Return the share of points that have color at 1.5 standard deviations of the long axis."""
    x, y = DIRECTION if along else (-DIRECTION[1], DIRECTION[0])
    return page.run(
        f"""{SHOWN}
      const reach = 1.5 * plot.unit, [x, y] = [arguments[1], arguments[2]];
      const copy = new OffscreenCanvas(plot.base.width, plot.base.height)
        .getContext("2d", {{willReadFrequently: true}});
      copy.drawImage(plot.base, 0, 0);
      const paper = copy.getImageData(0, 0, 1, 1).data.join();
      const axes = app.panels[0].plot.ellipses;
      let colored = 0;
      for (let i = 0; i < plot.n; i++) {{
        const long = Math.max(axes[0][i], axes[1][i]) * reach;
        const at = [plot.sx[i] + long * x, plot.sy[i] - long * y].map((v) => v * plot.ratio | 0);
        colored += copy.getImageData(...at, 1, 1).data.join() !== paper;
      }}
      return colored / plot.n;""",
        plot,
        float(x),
        float(y),
    )


def test_ellipses_lie_along_their_long_axis(page):
    assert ink(page, 0, along=True) > 0.95
    # Beside the long axis there is paper, but for other points and ellipses
    assert ink(page, 0, along=False) < 0.8
    assert ink(page, 2, along=True) < 0.3


def test_background_is_turned_with_its_plot(page):
    # Before the turn, the background is gray where the first coordinate is above 6.4
    Z = np.array(
        page.run(f"{SHOWN} return app.cloud.embeddings[1].axes.map((v) => Array.from(v))", 1)
    )
    shades = np.array(
        page.run(
            f"""{SHOWN}
      plot.ellipses = null; plot.under = null; panel.draw();
      const copy = new OffscreenCanvas(plot.base.width, plot.base.height)
        .getContext("2d", {{willReadFrequently: true}});
      copy.drawImage(plot.base, 0, 0);
      const reach = plot.radius() + 4;
      const at = (i) => [plot.sx[i] + reach, plot.sy[i]].map((v) => v * plot.ratio);
      return Array.from(plot.sx, (_, i) => copy.getImageData(...at(i), 1, 1).data[0]);""",
            1,
        )
    )
    gray, white = Z[0] > 6.4 + 0.6, Z[0] < 6.4 - 0.6
    assert gray.sum() > 5
    assert white.sum() > 5
    assert np.median(shades[gray]) < 215
    assert np.median(shades[white]) > 245


def test_zoom_and_marks_keep_the_ellipses(page):
    page.run(f"{SHOWN} plot.zoomBy(0.8); panel.draw(); app.toggle(3)", 0)
    page.settle()
    assert ink(page, 0, along=True) > 0.95
