"""t-SNE: perplexity.

The number of neighbors that a point keeps. Small values break groups into fragments, which look
like clusters and are none; large ones merge small groups with others. What is seen at one value
only is no finding.
"""

import matplotlib.pyplot as plt
from samples import draw, some_digits

from nldr.methods import TSNE

data = some_digits()
maps = {
    f"perplexity = {value}": TSNE(perplexity=value, random_state=0).fit_transform(data.X)
    for value in (2, 10, 30, 100)
}
draw(maps, data)
plt.show()
