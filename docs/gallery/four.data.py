"""The four data sets.

The data sets are a sheet rolled up in three dimensions; three clusters of three clusters each; a
tree whose seven branches leave in different directions; and images of digits. The first three are
drawn in their first three principal components. Colors show the truth, which no method sees.
"""

import matplotlib.pyplot as plt
from samples import four
from sklearn.decomposition import PCA

from nldr.figures.colors import point_colors

*drawn, (name, images) = four().items()
figure = plt.figure(figsize=(7.6, 2.2), layout="constrained")
for place, (title, data) in enumerate(drawn, 1):
    ax = figure.add_subplot(1, 4, place, projection="3d")
    ax.scatter(*PCA(n_components=3).fit_transform(data.X).T, c=point_colors(data), s=4)
    ax.view_init(elev=55)
    ax.set(xticklabels=[], yticklabels=[], zticklabels=[])
    ax.set_title(title, fontsize=8)
ax = figure.add_subplot(1, 4, 4)
rows = images.X[:25].reshape(5, 5, 8, 8).transpose(0, 2, 1, 3).reshape(40, 40)
ax.imshow(rows, cmap="gray_r")
ax.set_axis_off()
ax.set_title(name, fontsize=8)
plt.show()
