"""PCA.

Projects onto the two directions of largest variance. Distances in the map are at most as large as
in the data. PCA cannot unroll the Swiss roll. Look at this map first, because a projection is easy
to interpret.
"""

import matplotlib.pyplot as plt
from samples import draw, four
from sklearn.decomposition import PCA

data = four()
method = PCA(n_components=2)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
