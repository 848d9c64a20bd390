"""UMAP: minimum distance.

`min_dist` limits how close points may come in the map. It changes how compact groups look, but says
nothing about the data: points of a compact group need not be similar.
"""

import matplotlib.pyplot as plt
from samples import draw, some_digits

from nldr.methods import UMAP

data = some_digits()
maps = {
    f"min_dist = {value}": UMAP(min_dist=value, random_state=0).fit_transform(data.X)
    for value in (0.0, 0.1, 0.5, 0.99)
}
draw(maps, data)
plt.show()
