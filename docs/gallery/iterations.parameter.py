"""t-SNE: number of iterations.

Stopped early, points are still on their way; the first panel is what the iterations with early
exaggeration leave behind. The map has settled when twice as many iterations change nothing.
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
