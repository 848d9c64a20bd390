"""Disjoint MVU.

Unfolds each connected part of the data separately, then places the parts by the distances between
them.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import DisjointMVU

data = four()
method = DisjointMVU()
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
