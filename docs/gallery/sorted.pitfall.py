"""Sorted rows hide points and bias samples.

Tables are often sorted by class. If points are drawn in this order, the last class hides the
others; in random order the overlap is visible. The first rows of a sorted table are not a random
sample, so a map of them shows different groups than a map of as many random rows. Shuffle the rows
first; `nldr doctor` reports whether rows are sorted.
"""

import matplotlib.pyplot as plt
import numpy as np
from samples import square
from sklearn.decomposition import PCA

from nldr.datasets import digits
from nldr.figures.colors import label_colors

data = digits()
data = data.rows(np.argsort(data.y, kind="stable"))
Z = PCA(n_components=2).fit_transform(data.X)
shuffled = np.random.default_rng(0).permutation(len(Z))
rows = {
    "all rows, sorted": np.arange(len(Z)),
    "all rows, shuffled": shuffled,
    "first 500, sorted": np.arange(500),
    "first 500, shuffled": shuffled[:500],
}
_, axes = plt.subplots(1, 4, figsize=(7.6, 2.2), layout="constrained")
for ax, (title, order) in zip(axes, rows.items(), strict=True):
    ax.scatter(*Z[order].T, c=label_colors(10)[data.y[order]], s=12, linewidths=0)
    ax.set_title(title, fontsize=8)
    square(ax, Z)
plt.show()
