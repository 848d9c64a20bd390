"""Bayesian GPLVM.

The GPLVM with a distribution over each latent point, which shows how certain its position is.
Dimensions that are not needed are switched off.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import BayesianGPLVM

data = four()
method = BayesianGPLVM(n_inducing=30, max_iter=1000, random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
