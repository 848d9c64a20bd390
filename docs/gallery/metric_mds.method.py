"""Metric MDS.

Places points so that all distances are close to those in the data, by least squares. Most pairs are
far apart, so the coarse arrangement counts more than neighbors do.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import MetricMDS

data = four()
method = MetricMDS()
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
