"""LolaGP.

A Bayesian GPLVM with a prior from the neighborhood graph: neighbors in the data are expected to be
neighbors in the map.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import LolaGP

data = four()
method = LolaGP(n_inducing=30, max_iter=500, random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
