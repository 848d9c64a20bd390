"""LLE: number of neighbors.

LLE is sensitive to this parameter: similar values may give very different maps.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import LLE

data = four()["Swiss roll"]
maps = {
    f"n_neighbors = {value}": LLE(n_neighbors=value, disconnected="bridges").fit_transform(data.X)
    for value in (5, 8, 12, 30)
}
draw(maps, data)
plt.show()
