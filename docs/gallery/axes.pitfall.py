"""Stretched axes change the impression.

All four panels show the same map. Distances in a map can be compared only if both axes have the
same scale; otherwise round groups become stripes, and gaps open or close. Set `aspect="equal"`, and
leave out ticks, because the coordinates have no meaning.
"""

import matplotlib.pyplot as plt
from samples import some_digits

from nldr.figures.colors import point_colors
from nldr.methods import TSNE

data = some_digits()
Z = TSNE(random_state=0).fit_transform(data.X)
shapes = {"equal scales": 1, "wide": 2, "tall": 0.4, "other limits": 1}
_, axes = plt.subplots(
    1, 4, figsize=(7.6, 2.2), width_ratios=list(shapes.values()), layout="constrained"
)
for ax, title in zip(axes, shapes, strict=True):
    ax.scatter(*Z.T, c=point_colors(data), s=4, linewidths=0)
    ax.set_title(title, fontsize=8)
    ax.set(xticks=[], yticks=[])
axes[0].set_aspect("equal", adjustable="datalim")
axes[3].set(ylim=(-200, 200))
plt.show()
