"""Inverse kernel decomposition.

Reads the distances of latent points from the covariance of the features, which a Gaussian process
would have. It needs many features that are smooth functions of a few latent ones.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import IKD

data = four()
method = IKD()
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
