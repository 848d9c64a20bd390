"""GPLVM.

A Gaussian process from the map to the data, whose latent points are optimized. The result
depends on the start, here IKD.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import GPLVM

data = four()
maps = {name: GPLVM().fit_transform(one.X) for name, one in data.items()}
draw(maps, data)
plt.show()
