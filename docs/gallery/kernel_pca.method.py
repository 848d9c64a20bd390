"""Kernel PCA.

PCA in the feature space of a squared-exponential kernel, whose width follows the median distance of
the data. A wide kernel gives PCA; a narrow one separates a few points from all others.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import ScaledKernelPCA

data = four()
method = ScaledKernelPCA()
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
