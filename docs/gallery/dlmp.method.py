"""Deep learning multidimensional projection.

A network is trained to reproduce a given t-SNE map of the data, and then places new points as that
map would.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import DLMP

data = four()
method = DLMP(random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
