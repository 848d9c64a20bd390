"""One look for all figures: sizes, type, a fixed style a method, saving."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

SINGLE, DOUBLE = 89.0, 183.0  # widths of one and two columns, millimeters
TITLE, TEXT, SMALL = 8.0, 7.0, 6.0  # sizes of type, points
GRAY, LIGHT = "#767676", "#CCCCCC"

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

# Okabe & Ito's colors without yellow, and four that stay apart from them for the color-blind.
COLORS = (
    "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#000000", "#882255",
    "#E69F00", "#56B4E9", "#332288", "#8C564B", "#999933",
)  # fmt: skip
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")
MARKER_SIZES = {"o": 1.05, "D": 0.9, "P": 1.3, "X": 1.3, "p": 1.2, "h": 1.2}
SOLID, LONG = "-", (0, (7, 1.2, 1.2, 1.2))
DOTTED, MIXED, SPARSE = (0, (1, 1.4)), (0, (4, 1.4, 1, 1.4)), (0, (1, 3))

# Methods of the field: a color and marker by place. The second row repeats the colors with open
# markers on a dash-dotted line.
KNOWN = (
    ("ikd", "isomap", "tsne", "umap", "pca", "gplvm", "vae", "le", "lle", "kpca", "mds"),
    ("mvu", "landmarkmvu", "parametrictsne", "parametricumap", "disjointmvu", "bayesiangplvm",
     "lolagp", "diffusionmaps", "hlle", "autoencoder", "ltsa"),
)  # fmt: skip
CONTROLS = {"random": DOTTED, "oracle": MIXED}


@contextmanager
def journal() -> Iterator[None]:
    """Context, or decorator of a figure function, in which Matplotlib has the project's style.

    The user's own Matplotlib settings do not enter.

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


def titled_figure(width: float, height: float, title: str) -> tuple[Figure, float]:
    """Return a figure with a title and empty space of ``width`` x ``height`` millimeters below.

    Returns
    -------
    figure : Figure
        The figure.
    head : float
        Where the empty space begins, in millimeters from the figure's upper edge.
    """
    text = wrap(title, 1.1 * TITLE, width - 4)
    head = 5 + 3.4 * (text.count("\n") + 1)
    figure = Figure(figsize=(width / 25.4, (head + height) / 25.4))
    add_text(figure, 2, 2, text, size=TITLE, weight="bold")
    return figure, head


def add_axes(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Add axes at a distance from the figure's left and upper edge, all in millimeters."""
    w, h = figure.get_size_inches() * 25.4
    return figure.add_axes((left / w, 1 - (top + height) / h, width / w, height / h))


def add_text(figure: Figure, left: float, top: float, text: str, **kwargs: Any) -> None:
    """Add text whose upper left corner is given in millimeters from the figure's."""
    w, h = figure.get_size_inches() * 25.4
    figure.text(left / w, 1 - top / h, text, **{"va": "top", "ha": "left", **kwargs})


def text_width(text: str, size: float) -> float:
    """Width of a text in millimeters when set at ``size`` points.

    Examples
    --------
    >>> 5 < text_width("Isomap", 7.0) < 12
    True
    """
    font = FontProperties(family="DejaVu Sans", size=size)
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] / 72 * 25.4


def wrap(text: str, size: float, width: float) -> str:
    r"""Break a text into lines of at most ``width`` millimeters when set at ``size`` points.

    Examples
    --------
    >>> wrap("one two three", 7.0, 12.0)
    'one two\nthree'
    """
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def canonical(name: object) -> str:
    """Name in lower case without punctuation, as sources that spell it differently agree on it.

    Examples
    --------
    >>> canonical("t-SNE") == canonical("tsne")
    True
    """
    return re.sub(r"[\W_]", "", str(name)).lower()


@dataclass(frozen=True)
class MethodStyle:
    """How a method looks in every figure.

    Attributes
    ----------
    color : str
        Color of its line and marker.
    marker : str
        Matplotlib marker; empty for controls.
    linestyle : str or tuple
        Matplotlib line style.
    control : bool
        Whether it is a control, drawn thin and gray.
    """

    color: str
    marker: str
    linestyle: Any = SOLID
    control: bool = False

    @property
    def ink(self) -> str:
        """A darker color, for text."""
        return _mixed(self.color, "black", 0.22)

    @property
    def pale(self) -> str:
        """A paler color, for what stands behind."""
        return _mixed(self.color, "white", 0.55)

    def line(self) -> dict[str, Any]:
        """Keyword arguments of a Matplotlib line."""
        face = self.color if self.linestyle == SOLID else "white"
        return {
            "color": self.color,
            "marker": self.marker,
            "linestyle": self.linestyle,
            "linewidth": 0.7 if self.control else 1.1,
            "markersize": 3.3 * MARKER_SIZES.get(self.marker, 1.0),
            "markerfacecolor": face,
            "markeredgecolor": "white" if face == self.color else self.color,
            "markeredgewidth": 0.4 if face == self.color else 0.8,
        }


def _mixed(color: str, other: str, share: float) -> str:
    parts = zip(to_rgb(color), to_rgb(other), strict=True)
    red, green, blue = ((1 - share) * a + share * b for a, b in parts)
    return to_hex((red, green, blue))


def method_styles(
    names: Iterable[str], roles: Mapping[str, str] | None = None
) -> dict[str, MethodStyle]:
    """Return the style of each method of a figure.

    Known methods look the same in every figure. The style of another follows from its name alone,
    unless that would repeat the color of a method in the same figure while others are free.

    Parameters
    ----------
    names : iterable of str
        Method names.
    roles : mapping of str to str, optional
        Method name to role; those of role ``"control"`` are gray.

    Examples
    --------
    >>> styles = method_styles(["ikd", "t-SNE", "random"], {"random": "control"})
    >>> styles["ikd"].color, styles["t-SNE"].marker, styles["random"].control
    ('#D55E00', '^', True)
    """
    names = list(names)
    controls = {name for name in names if (roles or {}).get(name) == "control"}
    methods = [name for name in names if name not in controls]
    styles = {name: style for name in methods if (style := _known(name)) is not None}
    for name in sorted(set(methods) - set(styles)):
        uses = Counter(style.color for style in styles.values())
        color = min(_turned(COLORS, name), key=lambda c: uses[c])
        marked = Counter((style.color, style.marker) for style in styles.values())
        marker = min(_turned(MARKERS, name), key=lambda m: marked[color, m])
        styles[name] = MethodStyle(color, marker)
    for name in controls:
        styles[name] = MethodStyle(GRAY, "", CONTROLS.get(name, SPARSE), control=True)
    return {name: styles[name] for name in names}


def _known(name: str) -> MethodStyle | None:
    for row, linestyle in zip(KNOWN, (SOLID, LONG), strict=True):
        if (key := canonical(name)) in row:
            place = row.index(key)
            return MethodStyle(COLORS[place], MARKERS[place], linestyle)
    return None


def _turned(values: tuple[str, ...], name: str) -> list[str]:
    """Return ``values`` in a cyclic order that depends on ``name``."""
    start = int(hashlib.sha256(name.encode()).hexdigest(), 16) % len(values)
    return [*values[start:], *values[:start]]


def save(figure: Figure, path: str | Path) -> None:
    """Save a figure as PDF, PNG or SVG by the path's ending; equal figures give equal bytes.

    Pictures, and the rasterized parts of a PDF, have 300 dots per inch.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "empty.png"
    >>> save(titled_figure(20, 10, "Empty")[0], path)
    >>> path.read_bytes()[1:4]
    b'PNG'
    """
    metadata: dict[str, dict[str, None]] = {
        ".pdf": {"Creator": None, "Producer": None, "CreationDate": None},
        ".png": {"Software": None},
        ".svg": {"Creator": None, "Date": None},
    }
    suffix = Path(path).suffix
    if suffix not in metadata:
        raise ValueError(f"cannot save a figure as '{path}': the endings are {', '.join(metadata)}")
    with journal():
        figure.savefig(path, dpi=300, metadata=metadata[suffix])
