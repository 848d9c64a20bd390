"""Sizes of groups have no meaning.

One group is ten times as wide as the other, as PCA shows. t-SNE and UMAP draw both equally
large, since they use who the neighbors are, not how near they are. Do not read spread or variance
from such a map; densMAP is designed to show it.
"""

import matplotlib.pyplot as plt
import numpy as np
from samples import draw
from sklearn.decomposition import PCA

from nldr.dataset import Dataset
from nldr.methods import TSNE, UMAP, DensMAP

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 150)
X = np.where(y[:, None] == 0, 1, 10) * rng.standard_normal((300, 10)) + 40 * y[:, None]
methods = {
    "PCA": PCA(n_components=2),
    "t-SNE": TSNE(random_state=0),
    "UMAP": UMAP(random_state=0),
    "densMAP": DensMAP(random_state=0),
}
draw({name: method.fit_transform(X) for name, method in methods.items()}, Dataset(X, y=y))
plt.show()
