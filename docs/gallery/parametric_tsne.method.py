"""Parametric t-SNE.

A network that is trained to draw the map of t-SNE, and places new points without training again.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import ParametricTSNE

data = four()
method = ParametricTSNE(hidden=(128, 32), random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
