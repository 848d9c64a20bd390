"""Maximum variance unfolding.

Maximizes the distances between all points while the distances between neighbors stay fixed. It
unrolls the Swiss roll to scale. The digits show what happens if neighborhoods have many dimensions.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import MVU

data = four()
method = MVU(disconnected="bridges")
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
