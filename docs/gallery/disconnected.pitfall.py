"""Data in parts have no common map.

A Swiss roll from which a strip is cut out. No path joins its two parts, so methods on a graph
have to invent their relation: one edge at the closest pair (`bridges`), several (`enhanced`), or
parts that are unfolded on their own and placed by their distances (disjoint MVU). The place of
one part relative to the other is a choice of the method.
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
