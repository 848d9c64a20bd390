"""Other rows give another map.

UMAP of two random draws of the rows, each with two seeds. Here another seed changes little, but
other rows of the same data move whole groups. Do not interpret what differs between such maps.
`nldr compare` repeats its methods over draws and seeds, and reports for each point how much it
moves.
"""

import matplotlib.pyplot as plt
import numpy as np
from samples import draw

from nldr.datasets import digits
from nldr.methods import UMAP

everything = digits()
order = np.random.default_rng(0).permutation(everything.n_samples)
draws = {"rows": everything.rows(order[:400]), "other rows": everything.rows(order[400:800])}
maps, data = {}, {}
for rows, drawn in draws.items():
    for seed in (0, 1):
        maps[f"{rows}, seed {seed}"] = UMAP(random_state=seed).fit_transform(drawn.X)
        data[f"{rows}, seed {seed}"] = drawn
draw(maps, data)
plt.show()
