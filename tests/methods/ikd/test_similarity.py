import numpy as np
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from nldr.methods.ikd._similarity import RowSimilarity
from nldr.methods.ikd.ikd import IKD


def test_variogram_equals_its_definition(rng):
    X = rng.normal(size=(12, 30)) + 0.5
    rows = RowSimilarity(X, "variogram", 1e-3)
    expected = 1 - cdist(X, X, "sqeuclidean") / (2 * X.shape[1] * np.mean(X**2))
    assert_allclose(rows.compare_all(), np.clip(expected, 1e-3, 1), atol=1e-12)
    assert_allclose(rows.compare(X[:5]), np.clip(expected[:5], 1e-3, 1), atol=1e-12)


def test_auto_chooses_the_variogram_for_rows_of_equal_mean_square(rng):
    X = rng.normal(size=(300, 20))
    scaled = X * rng.uniform(0.5, 2, size=(300, 1))
    auto = IKD(variant="metric_geodesic", similarity="auto")
    # Wherever the origin is
    for origin in (0, 100):
        assert auto.fit(X + origin).similarity_ == "variogram"
        assert auto.fit(scaled + origin).similarity_ == "correlation"
