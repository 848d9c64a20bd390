"""Small images: size, order on the sheet, equal images kept once."""

import io

import numpy as np
import pytest
from PIL import Image

from nldr.report import sprites
from nldr.report.sprites import distinct, sheet, thumbnails


def read(about, file, number):
    """Return one image of a sheet."""
    picture = np.asarray(Image.open(io.BytesIO(file)))
    row, column = divmod(number, about["columns"])
    height, width = about["height"], about["width"]
    return picture[row * height :, column * width :][:height, :width]


def test_tiny_images_are_exact(rng):
    images = rng.integers(0, 256, (11, 8, 6), np.uint8)
    about, file = sheet(images)
    assert (about["n"], about["width"], about["height"]) == (11, 6, 8)
    for i, image in enumerate(images):
        np.testing.assert_array_equal(read(about, file, i), image)


@pytest.mark.parametrize("colors", [(), (3,)])
def test_larger_images_are_similar(rng, colors):
    shades = rng.integers(0, 256, (7, 1, 1, *colors), np.uint8)
    images = np.broadcast_to(shades, (7, 32, 32, *colors)).copy()
    about, file = sheet(images)
    assert about["kind"] == "image/webp"
    for i, shade in enumerate(shades):
        middle = read(about, file, i)[12:20, 12:20].mean(axis=(0, 1))[:3]
        np.testing.assert_allclose(middle, np.broadcast_to(shade[0, 0], 3), atol=12)


def test_thumbnails_average_pixels_and_span_all_grays():
    checkerboard = np.indices((64, 64)).sum(axis=0) % 2
    X = np.stack([np.full(64 * 64, -3.0), checkerboard.ravel() * 10.0 - 3, np.full(64 * 64, 7.0)])
    result = thumbnails(X, (64, 64))
    assert result.shape == (3, 32, 32)
    assert [int(image.mean()) for image in result] == [0, 128, 255]


def test_many_images_are_smaller_and_a_sheet_has_a_largest_size(monkeypatch):
    assert thumbnails(np.zeros((5, 40 * 40)), (40, 40)).shape == (5, 32, 32)
    monkeypatch.setattr(sprites, "FEW_PIXELS", 5 * 20 * 20)
    assert thumbnails(np.zeros((5, 40 * 40)), (40, 40)).shape == (5, 20, 20)
    assert thumbnails(np.zeros((500, 40 * 40)), (40, 40)).shape == (500, 14, 14)
    monkeypatch.setattr(sprites, "MAX_PIXELS", 4 * 64)
    assert sheet(np.zeros((9, 8, 8), np.uint8))[0]["n"] == 4


def test_equal_images_share_a_number_over_calls(rng):
    images, known = rng.integers(0, 256, (6, 4, 4), np.uint8), {}
    assert distinct(images, known).tolist() == [0, 1, 2, 3, 4, 5]
    assert distinct(images[[4, 2]], known).tolist() == [4, 2]
    assert len(known) == 6
