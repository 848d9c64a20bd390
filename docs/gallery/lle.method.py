"""LLE.

Locally linear embedding preserves the weights with which neighbors reconstruct each point. The
scales of the axes have no meaning, sheets become curved bands, and clusters may collapse to points.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import LLE

data = four()
method = LLE(n_neighbors=12, disconnected="bridges")
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
