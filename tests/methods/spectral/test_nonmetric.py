"""Non-metric MDS: Kruskal's stress by another computation, and a curve that can be unrolled."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from sklearn.decomposition import PCA

from nldr.methods import MetricMDS, NonmetricMDS


def kruskal_stress(X, Y):
    """Return the stress-1 of an embedding by pooling adjacent violators."""
    blocks = []
    for value in pdist(Y)[np.argsort(pdist(X))]:
        blocks.append([value, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (one, n), (other, m) = blocks.pop(-2), blocks.pop()
            blocks.append([(n * one + m * other) / (n + m), n + m])
    best = np.concatenate([np.full(size, mean) for mean, size in blocks])
    return np.linalg.norm(best - pdist(Y)[np.argsort(pdist(X))]) / np.linalg.norm(pdist(Y))


def test_stress_is_kruskals_and_below_that_of_metric_methods(rng):
    X = rng.normal(size=(50, 5))
    model = NonmetricMDS().fit(X)
    assert model.stress_ == pytest.approx(kruskal_stress(X, model.embedding_), rel=1e-9)
    others = (PCA(2).fit_transform(X), MetricMDS().fit_transform(X))
    assert model.stress_ < min(kruskal_stress(X, other) for other in others)


def test_the_order_of_distances_is_kept_if_one_dimension_can(rng):
    # Distances along an arc are an increasing function of the straight ones
    angle = np.sort(rng.uniform(0, 3, 40))
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    Y = NonmetricMDS(1, eps=1e-9).fit_transform(X)
    assert spearmanr(pdist(Y), pdist(X)).statistic > 0.9999
