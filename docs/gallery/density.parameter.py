"""densMAP: weight of the density.

There are three groups, each three times as wide as the one before. Without the weight all look
equally wide; with it, wide groups look wider, though not three times as wide.
"""

import matplotlib.pyplot as plt
import numpy as np
from samples import draw

from nldr.dataset import Dataset
from nldr.methods import DensMAP

rng = np.random.default_rng(0)
y = np.repeat([0, 1, 2], 120)
X = 40 * np.eye(3, 10)[y] + 3.0 ** (y[:, None] - 1) * rng.standard_normal((360, 10))
data = Dataset(X, y=y)
maps = {
    f"density_weight = {value}": DensMAP(density_weight=value, random_state=0).fit_transform(X)
    for value in (0.0, 1.0, 2.0, 5.0)
}
draw(maps, data)
plt.show()
