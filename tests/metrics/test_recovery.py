"""Recovery of the latent, by hand and by doubted points."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from nldr.dataset import Dataset
from nldr.metrics.recovery import doubt_ratio, recovery, shared_neighbors


def test_recovery_is_that_of_plain_loops(rng):
    Z, embedding = rng.normal(size=(60, 3)), rng.normal(size=(60, 2))
    scores = recovery(Dataset(X=Z, Z=Z), embedding, k=[7])
    shared = 0
    for i in range(60):
        near = [set(np.argsort(np.linalg.norm(A - A[i], axis=1))[1:8]) for A in (Z, embedding)]
        shared += len(near[0] & near[1])
    assert scores["latent_neighbors_k7"] == pytest.approx(shared / (60 * 7))
    expected = spearmanr(pdist(Z), pdist(embedding)).statistic
    assert scores["latent_spearman"] == pytest.approx(expected)


def test_doubt_finds_points_that_are_elsewhere(rng):
    Z = rng.uniform(size=(300, 2))
    embedding = Z.copy()
    embedding[:10] = 1 - embedding[:10]
    errors = 1 - shared_neighbors(Z, embedding, 12)
    assert doubt_ratio(Z, embedding, errors, 12) > 5
    assert np.isnan(doubt_ratio(Z, Z, errors, 12))
