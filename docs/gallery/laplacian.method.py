"""Laplacian eigenmaps.

The coordinates are the smoothest functions on a neighborhood graph. Branches and clusters become
spikes and corners, and distances between points have no meaning.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import LaplacianEigenmaps

data = four()
method = LaplacianEigenmaps(n_neighbors=12, disconnected="bridges")
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
