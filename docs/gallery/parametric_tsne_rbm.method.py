"""Parametric t-SNE with Boltzmann machines.

Parametric t-SNE as first published: each layer of the network is trained on its own as a Boltzmann
machine, and then the whole network with the loss of t-SNE.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import ParametricTSNERBM

data = four()
method = ParametricTSNERBM(hidden=(128, 128, 512), random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
