"""Units decide which points are near.

Wines described by thirteen measurements. In the original units, one column with large numbers
determines all distances; if the columns are standardized, all count equally and three cultivars
appear. `nldr doctor` names columns with different units.
"""

import matplotlib.pyplot as plt
from samples import draw
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from nldr.dataset import Dataset
from nldr.methods import TSNE

X, y = load_wine(return_X_y=True)
standard = StandardScaler().fit_transform(X)
maps = {
    "PCA, as it is": PCA(n_components=2).fit_transform(X),
    "PCA, standardized": PCA(n_components=2).fit_transform(standard),
    "t-SNE, as it is": TSNE(random_state=0).fit_transform(X),
    "t-SNE, standardized": TSNE(random_state=0).fit_transform(standard),
}
draw(maps, Dataset(X, y=y))
plt.show()
