"""t-SNE.

Keeps the neighbors of each point, and pays little attention to the rest: groups are clear, but
sizes of groups and distances between them mean nothing.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import TSNE

data = four()
method = TSNE(random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
