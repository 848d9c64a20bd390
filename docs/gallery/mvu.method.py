"""Maximum variance unfolding.

Pulls all points apart while the distances to neighbors stay as they are. It unrolls the Swiss
roll to scale; the digits show what happens where neighborhoods have many dimensions.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import MVU

data = four()
method = MVU(disconnected="bridges")
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
