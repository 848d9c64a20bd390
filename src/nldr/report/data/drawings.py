"""Figures as the report has them."""

from __future__ import annotations

import base64
import html
import io
import re
from collections.abc import Set
from pathlib import Path

from nldr.engine.files.layout import Outputs
from nldr.figures.svg import read_alt
from nldr.report.content import Drawing

PNG = re.compile(r"data:image/png;base64,([^\"]*)")


def read_drawing(outputs: Outputs, figure: str, title: str, available: Set[str]) -> Drawing:
    """Return a figure; one that is not there has no picture.

    Its images are lossless WebP, which takes a sixth less than PNG. ``available`` are the files
    that are there.
    """
    svg, picture = (p.format(figure=figure) for p in (outputs.drawing, outputs.picture))
    text = ""
    if svg in available:
        original = Path(svg).read_text(encoding="utf-8")
        text = PNG.sub(lambda match: _as_webp(base64.b64decode(match[1]))[0], original)
    elif picture in available:
        image, width, height = _as_webp(Path(picture).read_bytes())
        size = f"{width * 72 / 150:.2f} {height * 72 / 150:.2f}"  # at 150 dots per inch
        text = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}">'
            f"<title>{html.escape(title)}</title>"
            f'<image width="100%" height="100%" href="{image}"/></svg>'
        )
    return Drawing(figure, title, text, read_alt(text) or title, svg)


def _as_webp(png: bytes) -> tuple[str, int, int]:
    """Return an image with the same pixels as a URL, its width and its height."""
    from PIL import Image

    image, file = Image.open(io.BytesIO(png)), io.BytesIO()
    image.save(file, "WEBP", lossless=True)
    return f"data:image/webp;base64,{base64.b64encode(file.getvalue()).decode()}", *image.size
