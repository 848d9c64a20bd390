"""Diffusion maps: bandwidth.

The bandwidth is the squared length of a typical step of the random walk. With a small bandwidth,
branches are clearly separated, but single points may split off; with a large one, the map resembles
PCA.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import DiffusionMaps

data = four()["tree"]
maps = {
    f"bandwidth = {value}": DiffusionMaps(bandwidth=value).fit_transform(data.X)
    for value in (0.05, 0.2, 1.0, 10.0)
}
draw(maps, data)
plt.show()
