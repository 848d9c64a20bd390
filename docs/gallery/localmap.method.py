"""LocalMAP.

PaCMAP that adjusts its graph while it runs, to draw sharper borders between groups.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import LocalMAP

data = four()
method = LocalMAP(random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
