"""Kernel PCA: width of the kernel.

`gamma` is relative to the median distance. A small `gamma`, that is a wide kernel, gives PCA. With
a narrow kernel, most points coincide and a few are far away.
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
