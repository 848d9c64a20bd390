"""PaCMAP: number of neighbors.

The number of neighbors matters less than in UMAP, since pairs at a medium distance fix the coarse
arrangement.
"""

import matplotlib.pyplot as plt
from samples import draw, some_digits

from nldr.methods import PaCMAP

data = some_digits()
maps = {
    f"n_neighbors = {value}": PaCMAP(n_neighbors=value, random_state=0).fit_transform(data.X)
    for value in (3, 10, 30, 100)
}
draw(maps, data)
plt.show()
