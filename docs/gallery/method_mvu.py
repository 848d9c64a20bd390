"""Maximum variance unfolding.

Pulls all points apart while the distances to neighbors stay as they are. One of two methods
here that unroll the Swiss roll to scale.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import MVU

data = four()
maps = {name: MVU(disconnected="bridges").fit_transform(one.X) for name, one in data.items()}
draw(maps, data)
plt.show()
