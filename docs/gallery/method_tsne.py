"""t-SNE.

Keeps the neighbors of each point, and pays little attention to the rest: groups are clear, but
sizes of groups and distances between them mean nothing.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import TSNE

data = four()
maps = {name: TSNE(random_state=0).fit_transform(one.X) for name, one in data.items()}
draw(maps, data)
plt.show()
