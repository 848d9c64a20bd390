"""t-SNE: perplexity.

The perplexity is about the number of neighbors that are preserved for each point. Small values
break groups into fragments that look like clusters; large values merge small groups with others. Do
not interpret what is visible at one value only.
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
