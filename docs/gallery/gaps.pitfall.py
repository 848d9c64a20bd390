"""Random data show gaps and clumps.

The points are from one normal distribution and have no groups. With few neighbors, t-SNE and UMAP
nevertheless draw clumps and gaps. Before you interpret clusters, embed normal data of the same size
and covariance for comparison. `nldr compare` looks for gaps in the data, not in the map.
"""

import matplotlib.pyplot as plt
import numpy as np
from samples import draw
from sklearn.decomposition import PCA

from nldr.dataset import Dataset
from nldr.methods import TSNE, UMAP

X = np.random.default_rng(0).standard_normal((300, 20))
maps = {
    "PCA": PCA(n_components=2).fit_transform(X),
    "t-SNE, perplexity 3": TSNE(perplexity=3, random_state=0).fit_transform(X),
    "t-SNE, perplexity 50": TSNE(perplexity=50, random_state=0).fit_transform(X),
    "UMAP, 3 neighbors": UMAP(n_neighbors=3, random_state=0).fit_transform(X),
}
draw(maps, Dataset(X))
plt.show()
