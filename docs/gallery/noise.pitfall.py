"""Noise makes shortcuts.

The Swiss roll with more and more noise, under Isomap. Once noisy points of two layers are
neighbors, an edge joins the layers and the map changes at once, not gradually. A good score on
clean data does not carry over.
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
