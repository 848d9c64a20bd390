"""SVG: equal bytes, own ids, text as text, small images, a description, and their sizes."""

import base64
import io
import re
import xml.etree.ElementTree as ET
from zlib import crc32

import numpy as np
import pytest
from PIL import Image

from nldr.figures import style
from nldr.figures.svg import DPI, polish, read_alt


def draw(folder, pixels):
    """Draw lines, points and an image into an SVG, and return its text."""
    rng = np.random.default_rng(0)
    with style.journal():
        figure, head = style.titled_figure(80, 40, "A title & 0.12345", "Dots: means.")
        axes = style.add_axes(figure, 10, head, 30, 30)
        axes.plot([0, 1], [0.123456789, 1], "o-", gid="ours: with spaces", label="x")
        axes.scatter(*rng.random((2, 50)), rasterized=True)
        style.add_axes(figure, 45, head, 30, 30).imshow(rng.random(pixels))
        axes.set_ylabel("R² ↑")
    style.save(figure, folder / "a.svg", "mine", "Lines & points.")
    return (folder / "a.svg").read_text()


@pytest.fixture(scope="module")
def svg(tmp_path_factory):
    """Return an SVG with an image of few colors."""
    return draw(tmp_path_factory.mktemp("svg"), (3, 3))


def images(svg):
    result = re.findall(r"data:image/(\w+);base64,([^\"]+)", svg)
    return [(kind, Image.open(io.BytesIO(base64.b64decode(data)))) for kind, data in result]


def test_it_is_one_element_without_declarations_or_metadata(svg):
    assert ET.fromstring(svg).tag.endswith("svg")
    assert svg.startswith("<svg ")
    for unwanted in ("<?xml", "<!DOCTYPE", "<metadata", "matplotlib.org", "<style", "<!--"):
        assert unwanted not in svg


def test_ids_are_unique_used_and_those_of_the_figure(svg):
    ids = re.findall(r'\bid="([^"]*)"', svg)
    used = set(re.findall(r'(?:url\(#|href="#|aria-labelledby=")([^")]+)', svg))
    assert ids
    assert len(ids) == len(set(ids))
    assert set(ids) == used
    assert {name.partition("-")[0] for name in ids} == {"mine", f"f{crc32(b'mine'):x}"}


def test_texts_are_texts_in_fonts_that_readers_have(svg):
    root = ET.fromstring(svg)
    texts = ["".join(node.itertext()).strip() for node in root.iter() if node.tag.endswith("text")]
    assert {"A title & 0.12345", "Dots: means.", "R² ↑"} <= set(texts)
    family = root.get("font-family")
    assert family.startswith("'DejaVu Sans'")
    assert family.endswith("sans-serif")
    # No text has a font of its own
    assert svg.count("font-family") == 1


def test_the_root_is_an_image_that_its_description_names(svg):
    root = ET.fromstring(svg)
    assert root.get("role") == "img"
    assert root[0].tag.endswith("desc")
    assert root[0].get("id") == root.get("aria-labelledby") == "mine-alt"
    assert root[0].text == read_alt(svg) == "Lines & points."


def test_coordinates_have_two_decimals(svg):
    assert not re.findall(r' (?:d|x|y)="[^"]*\.\d{3}', svg)


def test_rasterized_points_are_small_images_with_transparency(svg):
    (kind, points), _ = images(svg)
    assert kind == "png"
    assert points.mode == "P"
    assert max(points.size) <= 30 / 25.4 * DPI + 3
    alpha = np.asarray(points.convert("RGBA"))[..., 3]
    assert alpha.min() == 0
    assert alpha.max() > 250


def test_pictures_of_many_colors_are_jpegs_that_look_alike(tmp_path):
    kinds = [kind for kind, _ in images(draw(tmp_path, (64, 64, 3)))]
    assert kinds.count("jpeg") == 1


def test_marks_of_one_look_share_a_group_and_keep_their_look():
    """A style stands once for neighbors, never on a definition or where opacity would add up."""
    marks = (
        '<g><g><path d="A" style="fill: #000000" clip-path="url(#c)"/></g>\n'
        '<path d="B" style="fill: #000000" clip-path="url(#c)"/></g>\n'
        '<defs><clipPath id="c"><path id="m" d="C" style="fill: #ffffff"/></clipPath></defs>\n'
        '<use href="#m" x="1" style="opacity: 0.5"/>\n<use href="#m" x="2" style="opacity: 0.5"/>\n'
    )
    svg = polish(f'<svg xmlns="http://www.w3.org/2000/svg">{marks}</svg>', "a", "")
    first, _, rest = svg.partition("</desc>")[2].replace("\n", "").partition("<defs>")
    look = 'style="fill: #000000" clip-path="url(#fe8b7be43-0)"'
    assert first == f'<g {look}><path d="A"/><path d="B"/></g>'
    assert rest.count("style=") == 3


def test_lines_keep_their_letter_after_a_curve():
    path = 'd="M 0 0 L 1 1 L 2 2 Q 3 3 4 4 L 5 5 L 6 6 z\n"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg"><path {path}/></svg>'
    assert 'd="M 0 0 1 1 2 2 Q 3 3 4 4 L 5 5 6 6 z"' in polish(svg, "mine", "A path.")
