"""PCA.

A projection onto the two directions of largest variance. Distances between far points are as
large as in the data or smaller, never larger. It cannot unroll the Swiss roll, and is the map to
look at first: what it shows needs no further explanation.
"""

import matplotlib.pyplot as plt
from samples import draw, four
from sklearn.decomposition import PCA

data = four()
method = PCA(n_components=2)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
