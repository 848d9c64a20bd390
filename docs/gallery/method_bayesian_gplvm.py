"""Bayesian GPLVM.

As the GPLVM, with a distribution over each latent point, which says how certain its place is;
dimensions that are not needed are switched off.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import BayesianGPLVM

data = four()
maps = {name: BayesianGPLVM(n_inducing=20, max_iter=200, random_state=0).fit_transform(one.X) for name, one in data.items()}
draw(maps, data)
plt.show()
