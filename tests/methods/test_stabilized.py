"""Square roots before another method."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.stabilized import METHODS, Stabilized


@parametrize_with_checks([Stabilized()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


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


def test_negative_counts_raise():
    with pytest.raises(ValueError, match="counts must be at least 0"):
        Stabilized().fit(np.full((5, 3), -1.0))
