"""Disconnected data have no common map.

A strip is cut out of a Swiss roll. No path joins its two parts, so graph-based methods must choose
how the parts lie to each other: they add one edge at the closest pair (`bridges`) or several edges
(`enhanced`), or unfold the parts separately and place them by the distances between them (disjoint
MVU). The position of one part relative to the other is a choice of the method, not a property of
the data.
"""

import matplotlib.pyplot as plt
import numpy as np
from samples import draw

from nldr.datasets import broken_swiss_roll
from nldr.methods import MVU, DisjointMVU, Isomap

rng = np.random.default_rng(0)
data = broken_swiss_roll(n_samples=400, height=12, noise=0.05, rng=rng)
methods = {
    "Isomap, bridges": Isomap(n_neighbors=8, disconnected="bridges"),
    "Isomap, enhanced": Isomap(n_neighbors=8, disconnected="enhanced"),
    "disjoint MVU": DisjointMVU(),
    "MVU, bridges": MVU(disconnected="bridges"),
}
draw({name: method.fit_transform(data.X) for name, method in methods.items()}, data)
plt.show()
