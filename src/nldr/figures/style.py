"""Common style of all figures: sizes, fonts, the look of a method, saving to file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from nldr.figures.svg import write_svg
from nldr.figures.text import text_width, wrap

SINGLE, DOUBLE = 89.0, 183.0  # widths of one and two columns, millimeters
TITLE, TEXT, SMALL = 8.0, 7.0, 6.0  # font sizes, points
GRAY, LIGHT = "#767676", "#CCCCCC"
# Text that reads upward, to the left of a row
TURNED = {"rotation": 90, "va": "center", "ha": "right", "multialignment": "center"}
NOTE, ABOVE_NOTE, NOTE_LINE = "note", 1.0, 2.8  # id of the note, room above it and per line, mm
MOST_LINES = 3  # of a note, if a page is wide enough for that

STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": TEXT,
    "axes.titlesize": TEXT,
    "axes.labelsize": TEXT,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "axes.linewidth": 0.5,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "xtick.minor.width": 0.3,
    "ytick.minor.width": 0.3,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "ytick.minor.size": 1.5,
    "xtick.major.pad": 2.0,
    "ytick.major.pad": 2.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.solid_capstyle": "round",
    "pdf.fonttype": 42,
    "svg.hashsalt": "nldr",
}

# Okabe & Ito's colors without yellow, and four more that differ for color-blind readers
COLORS = (
    "#D55E00",
    "#0072B2",
    "#009E73",
    "#CC79A7",
    "#000000",
    "#882255",
    "#E69F00",
    "#56B4E9",
    "#332288",
    "#8C564B",
    "#999933",
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")
MARKER_SIZES = {"o": 1.05, "D": 0.9, "P": 1.3, "X": 1.3, "p": 1.2, "h": 1.2}

# Line styles, in the order in which variants of a method take them
SOLID, LONG = "-", (0, (7, 1.2, 1.2, 1.2))
DOTTED, MIXED, SPARSE = (0, (1, 1.4)), (0, (4, 1.4, 1, 1.4)), (0, (1, 3))
VARIANT_LINES = (SOLID, LONG, DOTTED, (0, (5, 1, 1, 1, 1, 1)))
DASHED = (0, (7, 2.5))
CONTROL_LINES = (DOTTED, MIXED, SPARSE, DASHED)
LIGHTER = 0.3  # amount of white per step of lightness


@contextmanager
def journal() -> Iterator[None]:
    """Apply the project's style, as a context or as a decorator of a figure function.

    The user's own Matplotlib settings have no effect inside, and are restored afterwards.

    Examples
    --------
    >>> @journal()
    ... def draw():
    ...     return matplotlib.rcParams["font.size"]
    >>> draw()
    7.0
    """
    with matplotlib.style.context(STYLE, after_reset=True):
        yield


def titled_figure(width: float, height: float, title: str, note: str) -> tuple[Figure, float]:
    """Return a figure with a title, an empty area of ``width`` x ``height`` mm, and a note below.

    Parameters
    ----------
    width, height : float
        Size of the empty area in millimeters.
    title : str
        Title of the figure.
    note : str
        The meaning of dots, bars, bands, numbers and colors: see :func:`add_note`.

    Returns
    -------
    figure : Figure
        The figure, without the note's height.
    head : float
        Distance of the empty area from the figure's upper edge, in millimeters.
    """
    text = wrap(title, 1.1 * TITLE, width - 4)
    head = 5 + 3.4 * (text.count("\n") + 1)
    figure = Figure(figsize=(width / 25.4, (head + height) / 25.4))
    add_text(figure, 2, 2, text, size=TITLE, weight="bold")
    add_note(figure, note)
    return figure, head


def add_note(figure: Figure, text: str) -> None:
    """Add sentences to the note below a figure, for which :func:`save` makes room.

    A figure has one note, however often this is called. Line breaks are kept. The note of a narrow
    figure is wider than the figure if it would be long otherwise.

    Examples
    --------
    >>> figure = Figure()
    >>> add_note(figure, "Dots: means."), add_note(figure, "Scale quick; 5 trials.")
    (None, None)
    >>> find_note(figure)
    'Dots: means. Scale quick; 5 trials.'
    """
    # Text below the lower edge, where nothing else is drawn
    artist = _note_of(figure)
    if artist is None:
        artist = figure.text(0, 0, "", gid=NOTE, va="top", size=SMALL, color=GRAY)
    width, height = figure.get_size_inches() * 25.4
    current = find_note(figure)
    note = current + " " * bool(current and not current.endswith("\n")) + text
    artist.set_label(note)
    # Lines as wide as the figure or, if they are too many, wider, up to the width of a page
    for room in (width, *(wider for wider in (1.3 * SINGLE, DOUBLE) if wider > width)):
        lines = [wrap(line, SMALL, room - 4) for line in note.strip().split("\n")]
        wrapped = "\n".join(lines)
        if wrapped.count("\n") < MOST_LINES:
            break
    artist.set_text(wrapped)
    artist.set_position((2 / width, -ABOVE_NOTE / height))


def find_note(figure: Figure) -> str:
    """Return the note below a figure, in one line unless it has line breaks."""
    artist = _note_of(figure)
    return str(artist.get_label()) if artist is not None else ""


def note_size(figure: Figure) -> tuple[float, float]:
    """Return the width and height of the note with the margins around it, in millimeters."""
    artist = _note_of(figure)
    if artist is None or not artist.get_text():
        return 0.0, 0.0
    lines = artist.get_text().split("\n")
    width = 4 + max(text_width(line, SMALL) for line in lines)
    return width, ABOVE_NOTE + NOTE_LINE * len(lines) + 1.5


def _note_of(figure: Figure) -> Text | None:
    """Return the text of the note, or None before there is one."""
    return next((text for text in figure.texts if text.get_gid() == NOTE), None)


def add_axes(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Add axes at a distance from the figure's left and upper edges, all in millimeters."""
    w, h = figure.get_size_inches() * 25.4
    return figure.add_axes((left / w, 1 - (top + height) / h, width / w, height / h))


def add_text(figure: Figure, left: float, top: float, text: str, **kwargs: Any) -> None:
    """Add text with its upper left corner at a distance from the figure's, in millimeters."""
    w, h = figure.get_size_inches() * 25.4
    figure.text(left / w, 1 - top / h, text, **{"va": "top", "ha": "left", **kwargs})


def add_key(figure: Figure, handles: Sequence[Any]) -> None:
    """Add a legend of three columns at the lower left corner."""
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.005, 0.0)}
    figure.legend(handles=handles, ncols=3, frameon=False, borderaxespad=0.2, **place)


@dataclass(frozen=True)
class MethodStyle:
    """The look of a method, the same in every figure.

    Attributes
    ----------
    color : str
        Color of its line and marker.
    marker : str
        Matplotlib marker; empty for controls.
    linestyle : str or tuple
        Matplotlib line style.
    filled : bool
        Whether the marker is filled with the color, or else white.
    control : bool
        Whether it is a control, which is drawn with a thin gray line.
    """

    color: str
    marker: str
    linestyle: Any = SOLID
    filled: bool = True
    control: bool = False

    @property
    def ink(self) -> str:
        """A darker color, for text."""
        return mixed(self.color, "black", 0.22)

    @property
    def pale(self) -> str:
        """A paler color, for curves in the background."""
        return mixed(self.color, "white", 0.55)

    def line(self) -> dict[str, Any]:
        """Return the keyword arguments of a Matplotlib line."""
        return {
            "color": self.color,
            "marker": self.marker,
            "linestyle": self.linestyle,
            "linewidth": 0.7 if self.control else 1.1,
            "markersize": 3.3 * MARKER_SIZES.get(self.marker, 1.0),
            "markerfacecolor": self.color if self.filled else "white",
            "markeredgecolor": "white" if self.filled else self.color,
            "markeredgewidth": 0.4 if self.filled else 0.8,
        }


def look(color: str, marker: str, variant: int = 0, control: bool = False) -> MethodStyle:
    """Return the look of a method from its declaration in the catalog.

    Variants of a family share color and marker. They differ in line style and marker fill, which
    make eight looks; after every eight variants the color becomes lighter.

    Parameters
    ----------
    color, marker : str
        Color and Matplotlib marker of the method's family.
    variant : int, default=0
        Number of the method within its family; 0 has a solid line and filled markers.
    control : bool, default=False
        Whether the method is a control: gray, thin, without markers.

    Returns
    -------
    MethodStyle
        The look.

    Examples
    --------
    >>> plain, variant = look("#D55E00", "o"), look("#D55E00", "o", 1)
    >>> plain.color == variant.color, plain.filled, variant.filled
    (True, True, False)
    """
    if control:
        return MethodStyle(GRAY, "", CONTROL_LINES[variant % len(CONTROL_LINES)], control=True)
    # Line styles repeat after four variants, then with the other fill.
    n_fills, line = divmod(variant, len(VARIANT_LINES))
    lighter, n_fills = divmod(n_fills, 2)
    shade = mixed(color, "white", 1 - (1 - LIGHTER) ** lighter) if lighter else color
    return MethodStyle(shade, marker, VARIANT_LINES[line], filled=(line + n_fills) % 2 == 0)


def set_apart(looks: Mapping[str, MethodStyle]) -> dict[str, MethodStyle]:
    """Return looks in which methods of one family differ by color and marker too.

    The plain method of a family keeps its look, and all keep their line styles. The others take
    colors and markers of the project that no method has, as long as there are some.

    Parameters
    ----------
    looks : mapping of str to MethodStyle
        Method to its look.

    Examples
    --------
    >>> apart = set_apart({"b": look("#D55E00", "o", 1), "a": look("#D55E00", "o")})
    >>> [(name, a.color, a.marker) for name, a in apart.items()]
    [('b', '#0072B2', 's'), ('a', '#D55E00', 'o')]
    """
    families: dict[str, list[str]] = {}
    for name in sorted(looks, key=lambda name: looks[name] != _plain(looks[name])):
        if not looks[name].control:
            families.setdefault(looks[name].color, []).append(name)
    used = {a.color for a in looks.values()} | {a.marker for a in looks.values()}
    colors, markers = ([x for x in xs if x not in used] for xs in (COLORS, MARKERS))
    others = [name for names in families.values() for name in names[1:]]
    changed = {
        name: replace(looks[name], color=color, marker=marker)
        for name, color, marker in zip(others, colors, markers, strict=False)
    }
    return {**looks, **changed}


def _plain(variant: MethodStyle) -> MethodStyle:
    """Return the look of the family's method without a variant number."""
    return look(variant.color, variant.marker)


def mixed(color: str, other: str, amount: float) -> str:
    """Return a color mixed with an ``amount`` in [0, 1] of another.

    Examples
    --------
    >>> mixed("#ff0000", "white", 0.5)
    '#ff8080'
    """
    channels = zip(to_rgb(color), to_rgb(other), strict=True)
    red, green, blue = ((1 - amount) * a + amount * b for a, b in channels)
    return to_hex((red, green, blue))


def save(figure: Figure, path: str | Path, name: str = "figure", alt: str = "") -> None:
    """Save a figure with its note as PDF, PNG or SVG, according to the file extension.

    Equal figures give equal bytes. Rasterized parts have 300 dots per inch, in SVG fewer.

    Parameters
    ----------
    figure : Figure
        The figure.
    path : str or Path
        File to write.
    name : str
        Name of the figure, which begins all ids of an SVG.
    alt : str
        Description of an SVG for readers who do not see it.

    Raises
    ------
    ValueError
        If the extension is none of the three.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "empty.png"
    >>> save(titled_figure(20, 10, "Empty", "Nothing is drawn.")[0], path)
    >>> path.read_bytes()[1:4]
    b'PNG'
    """
    # No dates and versions, so that equal figures give equal files
    pdf = dict.fromkeys(("Creator", "Producer", "CreationDate"))
    metadata: dict[str, dict[str, None]] = {".pdf": pdf, ".png": {"Software": None}}
    suffix = Path(path).suffix
    if suffix not in (suffixes := [*metadata, ".svg"]):
        raise ValueError(
            f"cannot save a figure as '{path}': the file extensions are {', '.join(suffixes)}"
        )
    # The page reaches to the end of the note.
    width, height = figure.get_size_inches()
    note_width, below = (length / 25.4 for length in note_size(figure))
    box = Bbox([[0, -below], [max(width, note_width), height]])
    with journal():
        if suffix == ".svg":
            write_svg(figure, path, box, name, alt)
        else:
            figure.savefig(path, dpi=300, bbox_inches=box, metadata=metadata[suffix])
