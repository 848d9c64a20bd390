"""Square roots before another method."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA

from nldr.methods.stabilized import METHODS, Stabilized


def test_embedding_is_that_of_the_square_roots(rng):
    counts = rng.poisson(5.0, (30, 6))
    expected = PCA(2).fit_transform(np.sqrt(counts + 3 / 8))
    assert_allclose(Stabilized().fit_transform(counts), 2 * expected)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", sorted(set(METHODS) - {"tsne"}))
def test_methods_embed_counts(method, rng):
    counts = rng.poisson(5.0, (20, 6))
    params = {"max_iter": 2} if "gplvm" in method else None
    embedding = Stabilized(method=method, params=params, random_state=0).fit_transform(counts)
    assert embedding.shape == (20, 2)
