"""UMAP: number of neighbors.

The effect is that of the perplexity of t-SNE: few neighbors show fragments, many show the coarse
arrangement.
"""

import matplotlib.pyplot as plt
from samples import draw, some_digits

from nldr.methods import UMAP

data = some_digits()
maps = {
    f"n_neighbors = {value}": UMAP(n_neighbors=value, random_state=0).fit_transform(data.X)
    for value in (3, 8, 30, 100)
}
draw(maps, data)
plt.show()
