"""MVU: number of neighbors.

Each edge fixes a distance. With many edges, layers of the roll are tied together, and it cannot be
unrolled.
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
