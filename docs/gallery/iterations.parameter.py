"""t-SNE: number of iterations.

If the optimization is stopped early, the points have not reached their final positions; the first
panel shows the map right after early exaggeration. The map has converged when twice as many
iterations change nothing.
"""

import matplotlib.pyplot as plt
from samples import draw, some_digits

from nldr.methods import TSNE

data = some_digits()
maps = {
    f"n_iter = {value}": TSNE(n_iter=value, random_state=0).fit_transform(data.X)
    for value in (1, 25, 100, 500)
}
draw(maps, data)
plt.show()
