"""SVG of figures: small, accessible, and safe to put several of them into one page."""

from __future__ import annotations

import base64
import io
import re
import xml.etree.ElementTree as ET
from html import escape, unescape
from itertools import groupby
from pathlib import Path
from zlib import crc32

import matplotlib
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

DPI = 150  # of rasterized parts: at print size a dot per pixel of a screen
# The font in which texts are laid out, others of the same widths, then any narrower one
FONTS = "'DejaVu Sans', 'Bitstream Vera Sans', Verdana, Geneva, sans-serif"
COLORS = 128  # of the palette of a rasterized part
PHOTO, QUALITY = 3000, 72  # with more colors it is a JPEG, of this quality

IMAGE = re.compile(r'"data:image/png;base64,\s*([^"]*)"')
NUMBERS = re.compile(r' (?:d|x|y|x1|y1|x2|y2|width|height|transform|points)="[^"]*"')
DIGITS = re.compile(r"(\.\d\d)\d+")
LINES = re.compile(r"[ML] [-\d.\s]+(?:L [-\d.\s]+)+")  # lines after a line need no letter
UPRIGHT = re.compile(r' transform="rotate\(-?0 [^"]*"')
# What Matplotlib writes and a page does not need; its style would hold for the whole page
IDLE = re.compile(r"<metadata>.*?</metadata>|<!--.*?-->|<defs>\s*<style.*?</defs>", re.DOTALL)
SHARED = ("style", "clip-path")  # attributes that a group hands down to what it holds
OPACITY = re.compile(r"(?<![-a-z])opacity:")
NAMESPACES = {"": "http://www.w3.org/2000/svg", "xlink": "http://www.w3.org/1999/xlink"}
ROOT = (
    '<svg role="img" aria-labelledby="{name}-alt" font-family="' + FONTS + '" '
    'stroke-linejoin="round" stroke-linecap="butt"{rest}><desc id="{name}-alt">{alt}</desc>'
)


def write_svg(figure: Figure, path: str | Path, box: Bbox, name: str, alt: str) -> None:
    """Write the part of a figure inside ``box`` as SVG.

    Texts stay texts, which readers can search and select.

    Parameters
    ----------
    figure : Figure
        The figure.
    path : str or Path
        File to write.
    box : Bbox
        Part to show, in inches from the lower left corner of the figure.
    name : str
        Name of the figure.
    alt : str
        Description for readers who do not see it; :func:`read_alt` returns it.
    """
    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure.savefig(buffer, format="svg", dpi=DPI, bbox_inches=box, metadata={"Date": None})
    Path(path).write_text(polish(buffer.getvalue(), name, alt), encoding="utf-8")


def polish(svg: str, name: str, alt: str) -> str:
    r"""Return Matplotlib's SVG with a description, unique ids, and less text.

    Parameters
    ----------
    svg : str
        SVG as Matplotlib writes it.
    name : str
        Gives ids their prefix, so that a page can hold several figures.
    alt : str
        The description.

    Returns
    -------
    str
        One element without declarations; coordinates have two decimals, images few colors.

    Examples
    --------
    >>> drawn = '<?xml version="1.0"?>\n<svg width="9"><g id="a"><path d="M 1.23456 0"/></g></svg>'
    >>> polish(drawn, "mine", "A line.").partition("butt")[2]
    '" width="9"><desc id="mine-alt">A line.</desc><g><path d="M 1.23 0"/></g></svg>'
    """
    body = IDLE.sub("", svg[svg.index("<svg") :])
    # Images first, whose text is the longest
    body = IMAGE.sub(lambda match: f'"{_smaller(match[1])}"', body)
    body = UPRIGHT.sub("", body).replace(" font-family: 'DejaVu Sans';", "")
    body = NUMBERS.sub(lambda match: _shorter(match[0]), body)
    body = re.sub(r"\s*\n\s*", "\n", body)
    # Ids that are referred to get unique names, in order; others are removed
    references = set(re.findall(r'(?:url\(|")#([^")]+)', body))
    prefix = f"f{crc32(name.encode()):x}"
    names = {old: f"{prefix}-{i}" for i, old in enumerate(re.findall(r' id="([^"]*)"', body))}
    body = re.sub(r' id="([^"]*)"', lambda m: f' id="{names[m[1]]}"' * (m[1] in references), body)
    body = re.sub(r'(url\(|")#([^")]+)', lambda m: f"{m[1]}#{names.get(m[2], m[2])}", body)
    body = _share_attributes(body)
    # Description of the root
    rest, _, content = body.removeprefix("<svg").partition(">")
    return ROOT.format(name=name, alt=escape(alt), rest=rest) + content


def _shorter(numbers: str) -> str:
    """Return an attribute with two decimals, and lines without what they do not need."""
    numbers = DIGITS.sub(r"\1", numbers)
    lines = LINES.sub(lambda match: match[0][0] + match[0][1:].replace("L ", ""), numbers)
    return re.sub(r'\s+"$', '"', lines)


def _share_attributes(svg: str) -> str:
    """Return an SVG in which neighbors that look the same are a group that says so once."""
    for prefix, uri in NAMESPACES.items():
        ET.register_namespace(prefix, uri)
    root = ET.fromstring(svg)
    _merge(root)
    return ET.tostring(root, encoding="unicode", short_empty_elements=True).replace(" />", "/>")


def _merge(node: ET.Element) -> None:
    """Dissolve groups without attributes, and group neighbors of equal style and clip.

    Empty paths are dropped.
    """
    group = f"{{{NAMESPACES['']}}}g"
    children: list[ET.Element] = []
    for child in node:
        _merge(child)
        if child.tag == f"{{{NAMESPACES['']}}}path" and not child.get("d"):
            continue
        children += child if child.tag == group and not child.attrib else [child]
    node[:] = []
    for attributes, run in groupby(children, key=_shared):
        members = list(run)
        if attributes and len(members) > 1:
            holder = ET.SubElement(node, group, dict(attributes))
            holder.text = holder.tail = "\n"
            for member in members:
                for name in SHARED:
                    member.attrib.pop(name, None)
            holder[:] = members
        else:
            node.extend(members)


def _shared(node: ET.Element) -> tuple[tuple[str, str], ...]:
    """Return the attributes of a mark that a group may state; none of a definition or a text."""
    if node.tag.rpartition("}")[2] not in ("path", "use") or "id" in node.attrib:
        return ()
    if OPACITY.search(node.get("style", "")):  # of a group it is another thing than of its members
        return ()
    return tuple((name, node.attrib[name]) for name in SHARED if name in node.attrib)


def read_alt(svg: str) -> str:
    """Return the description in an SVG of :func:`write_svg`; empty if there is none.

    Examples
    --------
    >>> read_alt("<svg><desc>Dots &amp; bars.</desc></svg>")
    'Dots & bars.'
    """
    match = re.search(r"<desc[^>]*>(.*?)</desc>", svg, re.DOTALL)
    return unescape(match[1]) if match else ""


def _smaller(text: str) -> str:
    """Return a PNG as the URL of a smaller image: with few colors, or a JPEG if it has many."""
    from PIL import Image

    image = Image.open(io.BytesIO(base64.b64decode(text))).convert("RGBA")
    buffer, kind = io.BytesIO(), "png"
    opaque = image.getchannel("A").getextrema() == (255, 255)
    if opaque and image.getcolors(PHOTO) is None:
        kind = "jpeg"
        image.convert("RGB").save(buffer, "JPEG", quality=QUALITY, optimize=True)
    else:
        reduced = image.quantize(COLORS, method=Image.Quantize.FASTOCTREE)
        reduced.save(buffer, "PNG", optimize=True)
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode()}"
