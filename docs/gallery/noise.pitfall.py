"""Noise makes shortcuts.

Isomap of the Swiss roll with increasing noise. As soon as noisy points of two layers are neighbors,
an edge joins the layers and the map changes abruptly. A good score on clean data does not imply a
good score on noisy data.
"""

import matplotlib.pyplot as plt
import numpy as np
from samples import draw

from nldr.datasets import swiss_roll
from nldr.methods import Isomap

levels = (0.0, 0.5, 1.0, 2.0)
data = {
    f"noise = {noise}": swiss_roll(
        n_samples=400, height=12, noise=noise, rng=np.random.default_rng(0)
    )
    for noise in levels
}
isomap = Isomap(n_neighbors=8, disconnected="bridges")
draw({name: isomap.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
