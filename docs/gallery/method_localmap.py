"""LocalMAP.

PaCMAP that adjusts its graph while it runs, to draw sharper borders between groups.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import LocalMAP

data = four()
maps = {name: LocalMAP(random_state=0).fit_transform(one.X) for name, one in data.items()}
draw(maps, data)
plt.show()
