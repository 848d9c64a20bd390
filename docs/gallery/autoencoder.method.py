"""Autoencoder.

Two networks: one maps the data to two numbers, one back. What is kept is what helps to
reconstruct the data, so neighborhoods may be torn or folded.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import Autoencoder

data = four()
method = Autoencoder(hidden=(128, 32), random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
