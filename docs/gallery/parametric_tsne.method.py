"""Parametric t-SNE.

A network is trained with the loss of t-SNE. It places new points without further training.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import ParametricTSNE

data = four()
method = ParametricTSNE(hidden=(128, 32), random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
