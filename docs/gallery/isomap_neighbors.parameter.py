"""Isomap: number of neighbors.

With too many neighbors, edges join different layers of the roll, and the map is folded. With too
few, paths along the graph have detours, or the graph is disconnected.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import Isomap

data = four()["Swiss roll"]
maps = {
    f"n_neighbors = {value}": Isomap(n_neighbors=value).fit_transform(data.X)
    for value in (5, 8, 12, 40)
}
draw(maps, data)
plt.show()
