"""PaCMAP.

Attracts neighbors, and first also pairs at middle distance, so that the coarse arrangement is
settled before details.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import PaCMAP

data = four()
maps = {name: PaCMAP(random_state=0).fit_transform(one.X) for name, one in data.items()}
draw(maps, data)
plt.show()
