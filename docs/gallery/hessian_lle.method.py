"""Hessian LLE.

Looks for coordinates that are linear in every neighborhood. It is accurate on a smooth sheet,
holes included, up to the scale of its axes. On clusters and digits, which are no sheet of two
dimensions, points fall together.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import LLE

data = four()
method = LLE(n_neighbors=12, method="hessian", disconnected="bridges")
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
