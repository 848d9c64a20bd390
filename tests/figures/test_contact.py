"""Selection, order and headings of the images of a contact sheet."""

from dataclasses import replace

import numpy as np
import pytest
from sheets import words

from nldr.dataset import Dataset
from nldr.figures.contact import contact_sheet, sheet


def numbered(n=24, shape=(4, 6), **known):
    """Return images of one gray each, from black to white in order."""
    grays = np.linspace(0, 1, n)[:, None]
    return Dataset(X=np.repeat(grays, np.prod(shape), axis=1), image_shape=shape, **known)


def shown(figure):
    (axes,) = figure.axes
    return np.asarray(axes.images[0].get_array())


def tiles(figure, height=6, width=8):
    """Return the gray level at the center of each image; each has a border of one white pixel."""
    return shown(figure)[height // 2 :: height, width // 2 :: width, 0]


def test_each_label_has_a_row_of_evenly_spaced_images():
    data = numbered(y=np.arange(24) % 2)
    figure = contact_sheet(data, title="Grays", n_columns=4)
    members = data.X[:, 0].reshape(12, 2).T
    np.testing.assert_array_equal(tiles(figure), members[:, ::3])
    assert words(figure) == ["Grays", "4 of 12 images of each label, 4 × 6 pixels.", "0", "1"]


def test_images_without_labels_are_in_reading_order():
    data = numbered()
    figure = contact_sheet(data, title="Grays", n_columns=4, n_rows=3)
    np.testing.assert_array_equal(tiles(figure).ravel(), data.X[::2, 0])
    assert words(figure)[-1] == "12 of 24 images, row by row, 4 × 6 pixels."


def test_headings_show_angles_of_a_circular_latent():
    angle = np.arange(12) * np.pi / 6
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    twice = numbered(Z=np.tile(circle, (2, 1)), y=np.repeat([3, 7], 12))
    above = ["0°", "90°", "180°", "270°"]
    assert words(contact_sheet(twice, title="", n_columns=4))[2:] == [*above, "3", "7"]
    beside = contact_sheet(numbered(12, Z=circle), title="", n_columns=6)
    assert words(beside)[2:] == ["0°", "180°"]
    other = contact_sheet(numbered(12, Z=2 * circle), title="", n_columns=6)
    assert words(other)[2:] == []


def test_pixels_keep_position_color_and_shape(rng):
    data = Dataset(X=rng.random((1, 5 * 7 * 3)), image_shape=(5, 7, 3))
    figure = contact_sheet(data, title="Noise")
    np.testing.assert_array_equal(shown(figure)[1:-1, 1:-1], data.X.reshape(5, 7, 3))
    box = figure.axes[0].get_position()
    width, height = figure.get_size_inches() * [box.width, box.height]
    assert width / height == pytest.approx(9 / 7)
    assert figure.get_size_inches()[0] * 25.4 == pytest.approx(183)


def test_sheet_shows_the_only_dataset(make_study):
    images = numbered()
    study = replace(make_study(sizes=(10,)), panel=lambda d, m: (images, None))
    np.testing.assert_array_equal(
        shown(sheet(study, n_columns=4)), shown(contact_sheet(images, title="", n_columns=4))
    )
