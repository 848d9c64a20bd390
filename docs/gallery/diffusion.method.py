"""Diffusion maps.

Distances in these coordinates tell how easily a random walk gets from one point to another. They
show branches, and the order of points along a branch.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import DiffusionMaps

data = four()
method = DiffusionMaps()
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
