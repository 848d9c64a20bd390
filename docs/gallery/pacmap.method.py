"""PaCMAP.

Attracts neighbors and, in the first iterations, also pairs at a medium distance, so that the coarse
arrangement is fixed before the details.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import PaCMAP

data = four()
method = PaCMAP(random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
