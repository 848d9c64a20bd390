"""Sammon mapping.

As metric MDS, but an error counts in relation to the distance, so that small distances are kept
better.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import Sammon

data = four()
method = Sammon()
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
