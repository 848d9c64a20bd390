import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist
from scipy.stats import ortho_group
from sklearn.decomposition import PCA

from nldr.methods.mvu.aligned import AlignedDisjointMVU
from nldr.methods.mvu.mvu import MVU


@pytest.fixture(scope="module")
def arcs():
    """Return three arcs of different length in the plane, far from each other."""
    arcs = []
    for number, (start, end) in enumerate([(0, 2), (1, 4), (3, 5)]):
        angle = np.linspace(start, end, 15 + 5 * number)
        center = np.array([10 * number, number**2])
        arcs.append(center + np.column_stack([np.cos(angle), np.sin(angle)]))
    return np.concatenate(arcs)


@pytest.fixture(scope="module")
def aligned(arcs):
    return AlignedDisjointMVU(2, n_neighbors=2, tol=1e-4).fit(arcs)


def test_components_are_unfolded_as_by_mvu_and_keep_their_centers(arcs, aligned):
    assert aligned.n_connected_components_ == 3
    places = PCA(2).fit_transform(arcs)
    centers = []
    for label in range(3):
        rows = aligned.labels_ == label
        mvu = MVU(2, n_neighbors=2, disconnected="bridges", tol=1e-4).fit(arcs[rows])
        assert_allclose(pdist(aligned.embedding_[rows]), pdist(mvu.embedding_), atol=1e-8)
        centers.append([m[rows].mean(axis=0) for m in (aligned.embedding_, places)])
    ours, expected = np.swapaxes(centers, 0, 1)
    assert_allclose(pdist(ours), pdist(expected))


def test_no_other_rotation_is_nearer_to_the_principal_axes(arcs, aligned, rng):
    places = PCA(2).fit_transform(arcs)
    # The embedding is turned to its own principal axes: turn it back by the centers
    centers = np.array(
        [
            [m[aligned.labels_ == c].mean(axis=0) for c in range(3)]
            for m in (aligned.embedding_, places)
        ]
    )
    turn = np.linalg.lstsq(*centers, rcond=None)[0]
    points = aligned.embedding_ @ turn
    error = np.square(points - places).sum(axis=1)
    assert aligned.placement_error_ == pytest.approx(np.sqrt(error.mean()))
    for label in range(3):
        rows = aligned.labels_ == label
        center = points[rows].mean(axis=0)
        for rotation in ortho_group.rvs(2, size=50, random_state=rng):
            moved = (points[rows] - center) @ rotation + center
            assert np.square(moved - places[rows]).sum() >= error[rows].sum() - 1e-9
