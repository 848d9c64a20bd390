import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from nldr.methods.mvu.largest import LargestComponentMVU
from nldr.methods.mvu.mvu import MVU


def test_largest_component_has_the_coordinates_of_its_own_mvu(rng):
    cloud, distant = rng.standard_normal((40, 3)), rng.standard_normal((15, 3)) + 50
    largest = LargestComponentMVU(n_neighbors=8).fit(np.concatenate([distant, cloud]))
    assert largest.n_connected_components_ == 2
    assert_array_equal(largest.embedding_[15:], MVU(n_neighbors=8).fit_transform(cloud))


def test_other_points_are_weighted_means_of_their_nearest_neighbors(rng):
    sheet = np.column_stack([rng.uniform(0, 1, (60, 2)), np.zeros(60)])
    above = np.add(sheet[20:26], [0, 0, 5])
    largest = LargestComponentMVU(n_neighbors=5).fit(np.concatenate([sheet, above]))
    assert largest.n_connected_components_ == 2
    # The point itself and its four neighbors in the sheet are nearest to the point above it
    nearest = np.argsort(np.linalg.norm(sheet - above[0], axis=1))[:5]
    neighbors = largest.embedding_[nearest]
    weights = np.linalg.lstsq(
        np.vstack([neighbors.T, np.ones(5)]), np.append(largest.embedding_[60], 1)
    )[0]
    assert_allclose(weights @ neighbors, largest.embedding_[60], atol=1e-8)
    # All weights are nearly equal, because the height is large
    assert_allclose(largest.embedding_[60], neighbors.mean(axis=0), atol=0.1)
