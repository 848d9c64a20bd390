"""Images taken with few photons."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from nldr.datasets.low_light import low_light
from nldr.datasets.rendering.scenes import turntable

SIZE = {"n_objects": 2, "n_views": 8, "size": 24}


def test_counts_and_bits_have_the_expected_means(rng):
    scene = turntable(**SIZE)
    for sensor, expected in (("counts", 3 * scene.X), ("bits", 1 - np.exp(-3 * scene.X))):
        data = low_light(sensor=sensor, photons=3.0, **SIZE, rng=rng)
        assert_allclose(data.clean, expected)
        variance = expected if sensor == "counts" else expected * (1 - expected)
        assert abs((data.X - expected).sum()) < 4 * np.sqrt(variance.sum())
        assert abs(np.square(data.X - expected).mean() / variance.mean() - 1) < 0.1
        assert_array_equal(data.y, scene.y)
