"""MVU: number of neighbors.

Each edge is a distance to be kept. With many, layers of the roll are tied together and it cannot
unfold.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import MVU

data = four()["Swiss roll"]
maps = {
    f"n_neighbors = {value}": MVU(n_neighbors=value, disconnected="bridges").fit_transform(data.X)
    for value in (4, 6, 10, 20)
}
draw(maps, data)
plt.show()
