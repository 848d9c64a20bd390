"""Diffusion maps.

Coordinates in which distances tell how easily a random walk gets from one point to another. Good
at branches and at the order along them.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import DiffusionMaps

data = four()
method = DiffusionMaps()
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
