"""LocalMAP.

PaCMAP with a graph that is adjusted during the optimization, which draws sharper borders between
groups.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import LocalMAP

data = four()
method = LocalMAP(random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
