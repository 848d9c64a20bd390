"""Square roots before another method."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA

from nldr.methods.stabilized import Stabilized


def test_embedding_is_that_of_the_square_roots(rng):
    counts = rng.poisson(5.0, (30, 6))
    expected = PCA(2).fit_transform(np.sqrt(counts + 3 / 8))
    assert_allclose(Stabilized().fit_transform(counts), 2 * expected)
