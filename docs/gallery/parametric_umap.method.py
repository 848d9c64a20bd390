"""Parametric UMAP.

A network is trained with the loss of UMAP.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import ParametricUMAP

data = four()
method = ParametricUMAP(random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
