"""Non-metric MDS.

Preserves the order of the distances rather than their values, which suits dissimilarities without a
unit, such as ratings.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import NonmetricMDS

data = four()
method = NonmetricMDS()
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
