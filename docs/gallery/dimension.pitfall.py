"""Two dimensions are too few.

Points are spread evenly over a cube of one, two, five or twenty dimensions, embedded by t-SNE and
colored by their first coordinate. From about five dimensions on, the map cannot even keep
neighbors, and its appearance does not show this. Compare the scores with those of random
coordinates, and look at the intrinsic dimension that `nldr doctor` estimates.
"""

import matplotlib.pyplot as plt
import numpy as np
from samples import draw

from nldr.dataset import Dataset
from nldr.methods import TSNE

rng = np.random.default_rng(0)
cubes = {f"{d} dimension{'s' if d > 1 else ''}": rng.random((400, d)) for d in (1, 2, 5, 20)}
data = {
    # Every cube lies in a space of twenty dimensions.
    name: Dataset(np.pad(cube, ((0, 0), (0, 20 - cube.shape[1]))), Z=cube[:, :1])
    for name, cube in cubes.items()
}
draw({name: TSNE(random_state=0).fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
