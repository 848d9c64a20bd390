"""Inverse kernel decomposition.

Assumes that the features are drawn from a Gaussian process, and computes the distances between
latent points from the covariance of the rows. It needs many features that are smooth functions of a
few latent variables.
"""

import matplotlib.pyplot as plt
from samples import draw, four

from nldr.methods import IKD

data = four()
method = IKD()
draw({name: method.fit_transform(one.X) for name, one in data.items()}, data)
plt.show()
