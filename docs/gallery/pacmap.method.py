"""PaCMAP.

Attracts neighbors, and first also pairs at middle distance, so that the coarse arrangement is
settled before details.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import PaCMAP

data = four()
method = PaCMAP(random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
