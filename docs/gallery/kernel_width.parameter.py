"""Kernel PCA: width of the kernel.

`gamma` is in units of the median distance. A wide kernel, of small `gamma`, gives PCA; with a
narrow one, most points fall together and a few stand out.
"""

import matplotlib.pyplot as plt
from samples import draw, some_digits

from nldr.methods import ScaledKernelPCA

data = some_digits()
maps = {
    f"gamma = {value}": ScaledKernelPCA(gamma=value).fit_transform(data.X)
    for value in (0.1, 1.0, 5.0, 50.0)
}
draw(maps, data)
plt.show()
