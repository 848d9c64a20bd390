import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist

from nldr.kernels import Matern, SquaredExponential
from nldr.methods.ikd.ikd import IKD
from nldr.methods.ikd.start import geodesic_embedding, isomap_embedding


@pytest.fixture
def X(rng):
    latent = rng.uniform(0, 3, (60, 2))
    waves, phases = rng.standard_normal((2, 80)), rng.uniform(0, 2 * np.pi, 80)
    return np.cos(latent @ waves + phases)


@pytest.mark.parametrize("kernel", [SquaredExponential(), Matern()], ids=str)
@pytest.mark.parametrize("n_neighbors", [5, 8])
def test_geodesic_embedding_equals_ikd(X, kernel, n_neighbors):
    ikd = IKD(
        2, variant="metric_geodesic", kernel=kernel, similarity="auto", n_neighbors=n_neighbors
    )
    embedding = geodesic_embedding(X, 2, kernel, n_neighbors=n_neighbors)
    assert_array_equal(embedding, ikd.fit_transform(X))


def test_isomap_embedding_needs_no_more_neighbors_than_rows(X):
    # With every other row as a neighbor, all paths are straight lines.
    assert_allclose(pdist(isomap_embedding(X[:4], 3)), pdist(X[:4]))
