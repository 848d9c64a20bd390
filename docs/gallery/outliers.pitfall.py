"""Outliers dominate the map.

The data are digits and three rows of noise, which is ten times as large. In PCA and MDS, the
outliers take up most of the picture; t-SNE and UMAP draw them next to or among the other points, as
if they were ordinary. Circles mark the outliers. Look for outliers in the data, not in the map.
"""

import matplotlib.pyplot as plt
import numpy as np
from samples import draw, some_digits
from sklearn.decomposition import PCA

from nldr.dataset import Dataset
from nldr.methods import TSNE, UMAP, MetricMDS

data = some_digits()
noise = 10 * np.abs(np.random.default_rng(0).standard_normal((3, 64))) * data.X.std()
X = np.vstack([data.X, noise])
labels = np.concatenate([data.y, [10, 10, 10]])
methods = {
    "PCA": PCA(n_components=2),
    "metric MDS": MetricMDS(),
    "t-SNE": TSNE(random_state=0),
    "UMAP": UMAP(random_state=0),
}
axes = draw(
    {name: method.fit_transform(X) for name, method in methods.items()}, Dataset(X, y=labels)
)
for ax in axes:
    ax.scatter(*ax.collections[0].get_offsets()[-3:].T, s=40, facecolors="none", edgecolors="black")
plt.show()
