"""Distances between groups mean little.

Two groups are close to each other, and the third is five times as far away. PCA and metric MDS show
this. In t-SNE and UMAP, the distances between the three groups are arbitrary: only neighborhoods
can be read from their maps.
"""

import matplotlib.pyplot as plt
import numpy as np
from samples import draw
from sklearn.decomposition import PCA

from nldr.dataset import Dataset
from nldr.methods import TSNE, UMAP, MetricMDS

rng = np.random.default_rng(0)
y = np.repeat([0, 1, 2], 100)
X = rng.standard_normal((300, 10))
X[:, 0] += np.array([0, 15, 75])[y]
methods = {
    "PCA": PCA(n_components=2),
    "metric MDS": MetricMDS(),
    "t-SNE": TSNE(random_state=0),
    "UMAP": UMAP(random_state=0),
}
draw({name: method.fit_transform(X) for name, method in methods.items()}, Dataset(X, y=y))
plt.show()
