"""LLE.

Locally linear embedding keeps the weights by which neighbors reconstruct each point. The scales
of the axes mean nothing, sheets become curved bands, and clusters collapse into points.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import LLE

data = four()
method = LLE(n_neighbors=12, disconnected="bridges")
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
