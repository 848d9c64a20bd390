"""Variational autoencoder.

An autoencoder whose points are blurred during training and drawn to the origin, so that the map has
no gaps and nearby points decode to similar data.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import VAE

data = four()
method = VAE(hidden=(128, 32), random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
