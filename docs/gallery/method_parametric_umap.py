"""Parametric UMAP.

A network that is trained to draw the map of UMAP.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import ParametricUMAP

data = four()
maps = {name: ParametricUMAP(random_state=0).fit_transform(one.X) for name, one in data.items()}
draw(maps, data)
plt.show()
