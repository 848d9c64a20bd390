"""Sammon mapping.

Similar to metric MDS, but errors are weighted relative to the distance, so that small distances are
preserved better.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import Sammon

data = four()
method = Sammon()
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
