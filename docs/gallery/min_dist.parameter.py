"""UMAP: smallest distance.

How close points may come in the map. It changes how tight groups look, and nothing in the data:
tight is no sign of similar.
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
