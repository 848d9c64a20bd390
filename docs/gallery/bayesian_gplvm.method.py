"""Bayesian GPLVM.

As the GPLVM, with a distribution over each latent point, which says how certain its place is;
dimensions that are not needed are switched off.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import BayesianGPLVM

data = four()
method = BayesianGPLVM(n_inducing=30, max_iter=1000, random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
