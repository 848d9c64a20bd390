"""t-SNE.

Preserves the neighbors of each point and gives little weight to all other pairs. Groups are clearly
visible, but their sizes and the distances between them have no meaning.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import TSNE

data = four()
method = TSNE(random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
