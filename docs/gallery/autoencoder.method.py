"""Autoencoder.

Two networks are trained together: one maps the data to two numbers, the other maps these back to
the data. The map keeps what is needed to reconstruct the data, so neighborhoods may be torn or
folded.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import Autoencoder

data = four()
method = Autoencoder(hidden=(128, 32), random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
