"""GPLVM.

Models the data as a Gaussian process of latent points, and optimizes these points. The result
depends on the initialization, here by IKD.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import GPLVM

data = four()
method = GPLVM(max_iter=3000)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
