"""A sphere must be torn or folded.

No map in the plane preserves all neighborhoods of a sphere. PCA and Isomap fold it, so that points
of both sides are neighbors. t-SNE and UMAP tear it, so that neighbors along the tear are drawn
apart. Dark points have the most false or missing neighbors, by
{py:func}`~nldr.metrics.pointwise.pointwise_errors`; `nldr check` marks such points in your own map.
"""

import matplotlib.pyplot as plt
import numpy as np
from samples import square
from sklearn.decomposition import PCA

from nldr.methods import TSNE, UMAP, Isomap
from nldr.metrics import pointwise_errors

X = np.random.default_rng(0).standard_normal((500, 3))
X /= np.linalg.norm(X, axis=1, keepdims=True)
methods = {
    "PCA": PCA(n_components=2),
    "Isomap": Isomap(n_neighbors=8),
    "t-SNE": TSNE(random_state=0),
    "UMAP": UMAP(random_state=0),
}
maps = [method.fit_transform(X) for method in methods.values()]
_, axes = plt.subplots(1, 4, figsize=(7.6, 2.2), layout="constrained")
for ax, title, Z, errors in zip(axes, methods, maps, pointwise_errors(X, maps), strict=True):
    worse = np.maximum(errors["trustworthiness"], errors["continuity"])
    ax.scatter(*Z.T, c=worse, cmap="viridis_r", vmin=0, vmax=0.1, s=6, linewidths=0)
    ax.set_title(title, fontsize=8)
    square(ax, Z)
plt.show()
