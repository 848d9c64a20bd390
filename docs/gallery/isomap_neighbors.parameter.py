"""Isomap: number of neighbors.

With too many, edges jump from one layer of the roll to the next and the map is folded. With too
few, paths along the graph have detours, or the graph falls apart.
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
