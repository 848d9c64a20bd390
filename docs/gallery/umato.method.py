"""UMATO.

First the hubs of the neighbor graph are laid out by their distances, then the other points are
placed around them, so that the arrangement of groups says more than in UMAP.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import UMATO

data = four()
method = UMATO(n_neighbors=15, n_hubs=60, random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
