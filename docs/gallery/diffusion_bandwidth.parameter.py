"""Diffusion maps: bandwidth.

The squared reach of a step. With a small one, branches are drawn as far apart as the walk finds
them, and single points may split off; a large one shows what PCA shows.
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
