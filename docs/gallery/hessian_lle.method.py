"""Hessian LLE.

Finds coordinates that are linear in every neighborhood. It is accurate on a smooth sheet, even with
holes, up to the scale of its axes. Clusters and digits are not a sheet of two dimensions: there,
many points coincide.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import LLE

data = four()
method = LLE(n_neighbors=12, method="hessian", disconnected="bridges")
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
