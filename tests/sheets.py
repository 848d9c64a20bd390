"""Look for what makes a figure hard to read, and put figures on sheets to look at.

``python tests/sheets.py FOLDER [NAME …]`` draws the figures of the record from its tables,
prints what is wrong with them and writes sheets of several figures to a folder. Panels of points
that the record does not keep are drawn with random points.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from matplotlib.typing import ColorType
from numpy.typing import NDArray

from nldr.archive.contents import ARCHIVE, POINTS
from nldr.archive.figures import draw_figure
from nldr.dataset import Dataset
from nldr.engine.planning.plan import Plan, make_plan
from nldr.engine.reading.parsing import read_model
from nldr.engine.reading.specs import Config
from nldr.engine.stages.figure import figure_of_build
from nldr.figures.style import MOST_LINES, NOTE, save

SMALLEST = 6.0  # font size in print, points
ROOM = 1.5  # smallest distance of tick labels, points
INK = 0.16  # share of the height of a line above and below which there is no ink
TOUCH = 0.1  # boxes of other words may touch, points
NAMES = "names"  # id of a legend that names lines, one of them at times
SHEET = 1800  # width of a sheet, pixels
# Linear RGB as a deuteranope sees it (Machado, Oliveira & Fernandes 2009, severity 1)
DEUTERANOPIA = np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]])


def find_faults(figure: Figure) -> list[str]:
    """Return what makes a figure hard to read."""
    canvas = FigureCanvasAgg(figure)
    figure.set_dpi(72)  # pixels are points
    figure.draw_without_rendering()
    renderer = canvas.get_renderer()
    texts = [*_texts(figure)]
    ticks = [tick for axes in figure.axes for tick in _tick_labels(axes)]
    faults = [
        f"{text.get_text()!r} has {text.get_fontsize():g} points"
        for text in [*texts, *ticks]
        if text.get_fontsize() < SMALLEST - 0.01
    ]
    boxes = [(text, _ink(text, renderer)) for text in [*texts, *ticks]]
    tick_ids = {id(tick) for tick in ticks}
    for (one, box), (other, second) in combinations(boxes, 2):
        both = {id(one), id(other)} <= tick_ids and one.get_rotation() == 0
        room = ROOM / 2 if both else -TOUCH
        if box.padded(room, 0).overlaps(second.padded(room, 0)):
            kind = "touches" if both else "overlaps"
            faults.append(f"{one.get_text()!r} {kind} {other.get_text()!r}")
    faults += [f"axes at {_place(axes)} have no data" for axes in figure.axes if _is_empty(axes)]
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes)]
    faults += [
        f"the legend has one entry: {legend.get_texts()[0].get_text()!r}"
        for legend in legends
        if legend is not None and len(legend.get_texts()) == 1 and legend.get_gid() != NAMES
    ]
    note = next((text for text in figure.texts if text.get_gid() == NOTE), None)
    lines = note.get_text().count("\n") + 1 if note is not None else 0
    if lines > MOST_LINES:
        faults.append(f"the note has {lines} lines")
    return list(dict.fromkeys(faults))


def words(parent: Figure | Axes, gid: str | None = None) -> list[str]:
    """Return the texts of a figure or of axes, of a kind if it is given, each on one line."""
    texts = (text for text in parent.texts if gid in (None, text.get_gid()))
    return [text.get_text().replace("\n", " ") for text in texts]


def color_difference(one: ColorType, other: ColorType) -> float:
    """Return the smaller of the differences in CIELAB in normal and deuteranopic vision."""
    rgb = [np.array(to_rgb(color)) for color in (one, other)]
    sights = (np.eye(3), DEUTERANOPIA)
    return float(min(np.linalg.norm(_cielab(rgb[0], s) - _cielab(rgb[1], s)) for s in sights))


def _cielab(rgb: NDArray, sight: NDArray) -> NDArray:
    """Return the CIELAB coordinates of an sRGB color."""
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    linear = np.clip(sight @ linear, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = linear @ np.transpose(to_xyz) / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (xyz * 24389 / 27 + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def _texts(figure: Figure) -> Iterator[Text]:
    """Yield the visible texts other than tick labels."""
    groups: list[Sequence[Text]] = [figure.texts]
    groups += [legend.get_texts() for legend in figure.legends]
    for axes in figure.axes:
        groups.append(axes.texts)
        if axes.axison:
            groups.append([axes.title, axes.xaxis.label, axes.yaxis.label])
        if (legend := axes.get_legend()) is not None:
            groups.append(legend.get_texts())
    for text in (text for group in groups for text in group):
        if text.get_visible() and text.get_text().strip():
            yield text


def _tick_labels(axes: Axes) -> Iterator[Text]:
    """Yield the visible labels of the ticks within the limits of axes."""
    for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
        low, high = sorted(axis.get_view_interval())
        slack = 1e-9 * (high - low)
        for place, tick in zip(axis.get_majorticklocs(), axis.get_major_ticks(), strict=False):
            for label in (tick.label1, tick.label2):
                inside = low - slack <= place <= high + slack
                if inside and label.get_visible() and label.get_text().strip():
                    yield label


def _ink(text: Text, renderer: RendererAgg) -> Bbox:
    """Return the box of a text without the room above and below its letters, in points."""
    box = Text.get_window_extent(text, renderer)
    upright = text.get_rotation() % 180 == 0
    x, y = (0.0, -INK * text.get_fontsize()) if upright else (-INK * text.get_fontsize(), 0.0)
    return box.padded(x, y)


def _is_empty(axes: Axes) -> bool:
    """Return whether nothing is drawn in axes: no marks and no pictures."""
    if not axes.get_visible():
        return True
    marks = [line for line in axes.lines if np.isfinite(line.get_xydata()).all(1).any()]
    sets = [c for c in axes.collections if len(c.get_offsets()) or len(c.get_paths())]
    # Axes for words alone have no ticks; counts of failures have an id.
    words = [t for t in axes.texts if t.get_gid() or not axes.axison or not axes.get_xticks().size]
    return not (marks or sets or axes.images or axes.patches or words)


def _place(axes: Axes) -> str:
    x, y = axes.get_position().p0
    return f"({x:.2f}, {y:.2f})"


def record_plan(root: Path) -> Plan:
    """Return the plan of all studies at full size."""
    config = read_model(Config, root, "config.yaml").model_dump()
    return make_plan(config | {"scale": "paper", "studies": "all"}, root.resolve())


def draw_from_record(plan: Plan, name: str) -> Figure:
    """Return a figure that is drawn from the tables of the record."""
    rng = np.random.default_rng(0)

    def panel(data_cell: str, method_cell: str) -> tuple[Dataset, np.ndarray]:
        points = plan.root / ARCHIVE / POINTS.format(data=data_cell, method=method_cell)
        embedding = np.load(points)["embedding"] if points.is_file() else rng.normal(size=(300, 2))
        n = len(embedding)
        angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
        curve = [np.cos(angle), np.sin(angle), angle]
        latent = np.column_stack(curve[: 3 if data_cell.startswith("latent_curve") else 2])
        images = rng.random((n, 64))
        return Dataset(X=images, Z=latent, y=np.arange(n) * 6 // n, image_shape=(8, 8)), embedding

    def history(data_cell: str, method_cell: str, name: str) -> np.ndarray:
        return np.exp(-np.linspace(0, 5, 50))

    return draw_figure(plan, plan.root, name, panel, history)


def draw_from_build(plan: Plan, name: str) -> Figure:
    """Return a figure that is drawn from the results of a build in the present folder."""
    study = plan.owners[name]
    inputs = {
        "table": [plan.outputs.table.format(study=study)],
        "timings": [plan.outputs.timings.format(study=study)],
        "published": plan.published_files(study),
        "panel_data": plan.panel_data_files(name),
        "panel_embeddings": plan.panel_embeddings(name),
    }
    return figure_of_build(plan.figure_job(name), inputs)


def main() -> None:
    """Draw figures of the record, print their faults, and write sheets."""
    folder, *names = sys.argv[1:]
    root = Path(__file__).parents[1]
    plan = record_plan(root)
    pictures = []
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in names or plan.owners:
        if not (root / ARCHIVE / "studies" / plan.owners[name] / "table.csv.xz").is_file():
            continue
        try:
            figure = draw_from_record(plan, name)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}")
            continue
        for fault in find_faults(figure):
            print(f"{name}: {fault}")
        pictures.append(Path(folder) / f"{name}.png")
        save(figure, pictures[-1])
    write_sheets(pictures, Path(folder))


def write_sheets(pictures: Sequence[Path], folder: Path, height: int = 2200) -> None:
    """Write pictures in two columns on as many sheets as they need."""
    from PIL import Image

    sheet, n_sheets, tops = Image.new("RGB", (SHEET, height), "white"), 0, [0, 0]
    for path in pictures:
        picture = Image.open(path).convert("RGB")
        picture.thumbnail((SHEET // 2 - 10, height))
        column = int(tops[1] < tops[0])
        if tops[column] and tops[column] + picture.height > height:
            sheet.save(folder / f"sheet-{n_sheets}.png")
            sheet, n_sheets = Image.new("RGB", (SHEET, height), "white"), n_sheets + 1
            tops, column = [0, 0], 0
        sheet.paste(picture, (column * SHEET // 2, tops[column]))
        tops[column] += picture.height + 12
    sheet.save(folder / f"sheet-{n_sheets}.png")


if __name__ == "__main__":
    main()
