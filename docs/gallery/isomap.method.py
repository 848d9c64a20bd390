"""Isomap.

Classical MDS of the distances along a neighborhood graph. It unrolls a sheet to scale, as long as
no edge is a shortcut between its layers. Here, disconnected parts of the graph are joined by an
edge.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import Isomap

data = four()
method = Isomap(n_neighbors=8, disconnected="bridges")
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
