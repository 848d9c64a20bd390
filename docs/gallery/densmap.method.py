"""densMAP.

UMAP with an additional term that preserves local density, so that spread-out groups look spread
out.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import DensMAP

data = four()
method = DensMAP(random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
