"""DREAMS: strength of the penalty.

A weak penalty gives t-SNE, which shows neighbors; a strong one gives PCA, which shows the coarse
arrangement.
"""

import matplotlib.pyplot as plt
from samples import draw, some_digits

from nldr.methods import DREAMS

data = some_digits()
maps = {
    f"strength = {value}": DREAMS(strength=value, random_state=0).fit_transform(data.X)
    for value in (0.0, 0.005, 0.05, 0.5)
}
draw(maps, data)
plt.show()
