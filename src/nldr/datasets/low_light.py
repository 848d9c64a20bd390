"""Images taken with few photons: counts, or bits of a sensor that detects any photon."""

from __future__ import annotations

import numpy as np

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_choice, check_positive
from nldr.datasets.rendering.scenes import turntable

SENSORS = {"counts": False, "bits": True}


def low_light(
    *,
    sensor: str,
    photons: float,
    n_objects: int,
    n_views: int,
    size: int,
    rng: np.random.Generator,
) -> Dataset:
    """Render solids on a turntable as seen by a sensor that few photons reach.

    The number of photons in a pixel has a Poisson distribution whose mean is proportional to the
    brightness. The sensor counts them, or detects only whether there was any.

    Parameters
    ----------
    sensor : {"counts", "bits"}
        Output of the sensor.
    photons : float
        Expected number of photons in a white pixel.
    n_objects, n_views, size : int
        Number of solids, of views of each, and height and width in pixels, as for
        :func:`nldr.datasets.rendering.scenes.turntable`.

    Returns
    -------
    Dataset
        As of the turntable; ``clean`` has the expected counts, or the probabilities of a one.

    Examples
    --------
    >>> data = low_light(sensor="bits", photons=2.0, n_objects=1, n_views=3, size=16,
    ...                  rng=np.random.default_rng(0))
    >>> data.X.shape, np.unique(data.X).tolist(), data.image_shape
    ((3, 256), [0.0, 1.0], (16, 16))
    """
    bits = check_choice("sensor", sensor, SENSORS)
    check_positive(photons=photons)
    scene = turntable(n_objects=n_objects, n_views=n_views, size=size)
    rates = photons * scene.X
    counts = rng.poisson(rates).astype(np.float64)
    return Dataset(
        X=np.minimum(counts, 1.0) if bits else counts,
        clean=-np.expm1(-rates) if bits else rates,
        Z=scene.Z,
        y=scene.y,
        image_shape=scene.image_shape,
    )
