"""GPLVM.

A Gaussian process from the map to the data, whose latent points are optimized. The result depends
on the start, here IKD.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import GPLVM

data = four()
method = GPLVM(max_iter=3000)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
