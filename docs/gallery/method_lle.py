"""LLE.

Locally linear embedding keeps the weights by which neighbors reconstruct each point. Scales of
the axes mean nothing, and dense regions often collapse into points or threads.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import LLE

data = four()
maps = {name: LLE(n_neighbors=12, disconnected="bridges").fit_transform(one.X) for name, one in data.items()}
draw(maps, data)
plt.show()
