"""Colors of the points of an embedding, by true latent coordinates or label."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.colors import to_rgb
from numpy.typing import ArrayLike, NDArray

from nldr.dataset import Dataset

# Okabe & Ito's colors and more, each as different as possible from those before it, for readers
# with and without red-green color blindness
_HEX = "0072B2 E69F00 009E73 CC79A7 56B4E9 D55E00 882255 DDCC33 000000 332288 "
_HEX += "87D9A0 B4B4A5 875A4B 8778FF C31E96 4B5A00 C8C8FF FF9C8F 005F6B 5A0FFF"
LABEL_COLORS = tuple(f"#{color}" for color in _HEX.split())

_RGB_TO_XYZ = np.array(  # IEC 61966-2-1, D65
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
)


def point_colors(data: Dataset) -> NDArray:
    """Return a color for each point of a dataset.

    Points are colored by a known latent, scaled so that the middle 98 % of the points span the
    colors of :func:`latent_colors`. Without one, or if classes share latent coordinates (see
    :func:`by_label`), they are colored by label; without labels, all points have one color.

    Returns
    -------
    ndarray of shape (n_samples, 3)
        Red, green and blue in [0, 1].

    Examples
    --------
    >>> point_colors(Dataset(X=np.zeros((3, 2)), y=np.array([5, 7, 5]))).shape
    (3, 3)
    """
    if data.Z is not None and not by_label(data):
        low, high = np.percentile(data.Z, (1, 99), axis=0)
        return latent_colors(np.clip((data.Z - low) / np.where(high > low, high - low, 1), 0, 1))
    if data.y is not None:
        labels, which = np.unique(data.y, return_inverse=True)
        return label_colors(len(labels))[which]
    return np.tile(to_rgb(LABEL_COLORS[0]), (data.n_samples, 1))


def by_label(data: Dataset) -> bool:
    """Return whether points are colored by label.

    They are if there is no latent, or if points of different classes share their latent
    coordinates, as the poses of several objects on a turntable do.

    Examples
    --------
    >>> pose = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    >>> by_label(Dataset(X=pose, Z=pose, y=np.array([0, 0, 1, 1])))
    True
    """
    if data.y is None or data.Z is None:
        return data.y is not None
    points = len(np.unique(data.Z, axis=0))
    return len(np.unique(np.column_stack([data.Z, data.y]), axis=0)) > points


def label_colors(n_labels: int) -> NDArray:
    """Return one color per label: distinct up to 20 labels, from a continuous map beyond that."""
    if n_labels > len(LABEL_COLORS):
        return matplotlib.colormaps["viridis"](np.linspace(0, 1, n_labels))[:, :3]
    return np.array([to_rgb(color) for color in LABEL_COLORS[:n_labels]])


def latent_colors(unit: ArrayLike) -> NDArray:
    """Return colors of latent coordinates.

    A single coordinate is mapped to viridis. Two are mapped to a surface that is smooth in CIELAB:
    the first changes hue from blue through pink to amber, which readers with red-green color
    blindness see as blue to yellow, the second changes lightness. Others are ignored.

    Parameters
    ----------
    unit : array-like of shape (n_samples, n_latent)
        Coordinates in [0, 1].

    Returns
    -------
    ndarray of shape (n_samples, 3)
        Red, green and blue in [0, 1].
    """
    unit = np.asarray(unit, float)
    if unit.shape[1] == 1:
        return matplotlib.colormaps["viridis"](unit[:, 0])[:, :3]
    # CIELAB: lightness by the second coordinate, hue by the first
    u, v = unit[:, 0], unit[:, 1]
    strength = 1 - 0.25 * v
    lightness = 36 + 44 * v
    a, b = strength * (8 + 47 * np.sin(np.pi * u)), strength * (-52 + 112 * u)
    # CIELAB to XYZ
    y = (lightness + 16) / 116
    f = np.stack([y + a / 500, y, y - b / 200], axis=-1)
    xyz = np.where(f > 6 / 29, f**3, 3 * (6 / 29) ** 2 * (f - 4 / 29)) * (0.9505, 1.0, 1.089)
    # XYZ to linear RGB to sRGB
    linear = np.clip(xyz @ np.linalg.inv(_RGB_TO_XYZ).T, 0, 1)
    return np.where(linear > 0.0031308, 1.055 * linear ** (1 / 2.4) - 0.055, 12.92 * linear)
