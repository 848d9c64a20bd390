"""Hessian LLE.

Looks for coordinates that are linear in every neighborhood. It is accurate on a smooth sheet,
holes included, and fails on anything that is no sheet of two dimensions.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import LLE

data = four()
maps = {name: LLE(n_neighbors=12, method="hessian", disconnected="bridges").fit_transform(one.X) for name, one in data.items()}
draw(maps, data)
plt.show()
