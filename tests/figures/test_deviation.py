"""The background of a panel that tells where a model is uncertain."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sheets import words

from nldr.figures import deviation
from nldr.figures.gallery import gallery


def table(size=5):
    """Return a grid around (0.5, 0.5) whose deviation is larger at the top right."""
    line = np.linspace(-1, 2, size)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    return np.column_stack([grid, np.maximum(grid.sum(axis=1), 0.0)])


def test_pixels_are_dark_where_the_deviation_is_large():
    figure, axes = plt.subplots(figsize=(2, 2))
    axes.set_position([0, 0, 1, 1])
    axes.set(xlim=(-1, 2), ylim=(-1, 2))
    axes.set_axis_off()
    deviation.draw_deviation(axes, table())
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., 0].astype(float)
    size = len(pixels)
    assert pixels[size // 10, size * 9 // 10] < 170  # top right
    assert pixels[size * 9 // 10, size // 10] == 255  # bottom left
    plt.close(figure)


@pytest.mark.parametrize("known", [True, False])
def test_panels_show_the_background_where_it_is_known(make_study, known):
    recorded = {deviation.NAME: table() if known else np.empty((0, 3))}
    study = make_study(methods={"pca": "PCA"}, sizes=(10,), trials=1)
    figure = gallery(replace(study, history=lambda d, m, name: recorded.get(name)))
    images = [image for axes in figure.axes for image in axes.images if image.get_gid()]
    assert len(images) == known
    assert any(deviation.NOTE in text for text in words(figure)) == known
    plt.close(figure)
