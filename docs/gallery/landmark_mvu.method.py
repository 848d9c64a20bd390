"""Landmark MVU.

Unfolds a few landmarks as maximum variance unfolding does, and places the other points by the
weights with which their neighbors reconstruct them.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import LandmarkMVU

data = four()
method = LandmarkMVU(disconnected="bridges", random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
