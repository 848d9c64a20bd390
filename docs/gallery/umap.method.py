"""UMAP.

Neighbors attract each other, and random pairs repel each other. It shows about the same as t-SNE,
with more empty space between groups.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import UMAP

data = four()
method = UMAP(random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
