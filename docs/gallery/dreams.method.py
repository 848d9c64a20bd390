"""DREAMS.

t-SNE with a penalty on the distance from PCA, to show neighbors and the coarse arrangement at the
same time.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import DREAMS

data = four()
method = DREAMS(random_state=0)
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
