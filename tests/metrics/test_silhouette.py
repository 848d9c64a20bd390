"""Silhouette: against its definition; invariance and undefined cases."""

import numpy as np
import pytest

from nldr.dataset import Dataset
from nldr.metrics.silhouette import silhouette


def score(y, embedding):
    return silhouette(Dataset(X=np.zeros((len(y), 1)), y=y), embedding)["silhouette"]


def by_definition(y, embedding):
    distance = np.linalg.norm(embedding[:, None] - embedding, axis=2)
    values = []
    for i, label in enumerate(y):
        own = (y == label) & (np.arange(len(y)) != i)
        a = distance[i, own].mean()
        b = min(distance[i, y == other].mean() for other in np.unique(y) if other != label)
        values.append((b - a) / max(a, b))
    return float(np.mean(values))


def test_equals_its_definition(rng):
    y = np.repeat([3, 1, 2], [10, 20, 5])
    embedding = rng.normal(size=(35, 2)) + y[:, None]
    assert score(y, embedding) == pytest.approx(by_definition(y, embedding), abs=1e-12)
