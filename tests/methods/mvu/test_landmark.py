import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csc_array
from sklearn.linear_model import LinearRegression

from nldr.datasets.manifolds import swiss_roll
from nldr.methods.mvu.landmark import LandmarkMVU, landmark_basis
from nldr.methods.mvu.mvu import MVU
from nldr.neighborhoods.graphs import knn_graph
from nldr.neighborhoods.patches import neighbor_lists, reconstruction_matrix


@pytest.fixture
def cloud(rng):
    return rng.standard_normal((60, 3))


def test_all_points_as_landmarks_equal_plain_unfolding(cloud):
    landmark = LandmarkMVU(n_neighbors=8, tol=1e-4).fit(cloud)
    plain = MVU(n_neighbors=8, constraint="shrink", tol=1e-4).fit(cloud)
    assert landmark.trace_ == pytest.approx(plain.trace_, rel=1e-3)
    assert landmark.dual_bound_ == pytest.approx(plain.dual_bound_, rel=1e-3)
    assert_allclose(landmark.eigenvalues_[:3], plain.eigenvalues_[:3], rtol=1e-2)


def test_roll_is_unrolled_from_few_landmarks_and_few_edges(rng):
    data = swiss_roll(n_samples=500, height=10.0, noise=0.0, rng=rng)
    landmark = LandmarkMVU(n_neighbors=6, n_landmarks=50, random_state=0, disconnected="bridges")
    Y, arc = landmark.fit_transform(data.X), data.Z[:, 0]
    assert LinearRegression().fit(Y, arc).score(Y, arc) > 0.99
    assert landmark.n_constraints_ < landmark.n_edges_ / 2
    assert abs(landmark.duality_gap_) < 1e-2
    assert landmark.max_violation_ < 1e-2
    assert landmark.landmarks_.shape == (50,)


def test_solution_satisfies_the_edges_and_is_reconstructed_from_landmarks(cloud):
    landmark = LandmarkMVU(11, n_neighbors=8, n_landmarks=12, random_state=0).fit(cloud)
    Y = landmark.embedding_
    assert_allclose(Y.sum(axis=0), 0, atol=1e-7)
    assert_allclose(np.square(Y).sum(axis=0), landmark.eigenvalues_)
    assert landmark.trace_ == pytest.approx(np.square(Y).sum())
    graph = knn_graph(cloud, 8)
    i, j = np.triu(((graph + graph.T) > 0).toarray()).nonzero()
    limits = np.square(cloud[i] - cloud[j]).sum(axis=1)
    excess = np.square(Y[i] - Y[j]).sum(axis=1) - limits
    assert_allclose(excess.max() / limits.mean(), landmark.max_violation_, atol=1e-8)
    assert landmark.max_violation_ <= 1e-2
    # Outside the landmarks, the gradient of the reconstruction error vanishes
    M = reconstruction_matrix(cloud, neighbor_lists(graph, np.empty(0, dtype=int)))
    others = np.setdiff1d(np.arange(60), landmark.landmarks_)
    assert_allclose((M @ Y)[others], 0, atol=1e-7)


def test_basis_exists_for_components_without_a_landmark():
    components = csc_array(np.kron(np.eye(2), np.array([[1.0, -1], [-1, 1]])))
    basis = landmark_basis(components, np.array([0, 1]))
    assert_allclose(basis.T @ basis, np.eye(basis.shape[1]), atol=1e-12)
    assert_allclose(basis.sum(axis=0), 0, atol=1e-12)


def test_multipliers_prove_the_bound_and_the_certificate_notices_changes(cloud):
    landmark = LandmarkMVU(n_neighbors=8, n_landmarks=20, random_state=0).fit(cloud)
    i, j = landmark.edges_.T
    along = landmark.basis_[i] - landmark.basis_[j]
    least = np.linalg.eigvalsh(along.T @ (landmark.multipliers_[:, None] * along))[0]
    squared = np.square(cloud[i] - cloud[j]).sum(axis=1)
    assert landmark.multipliers_.min() >= 0
    assert landmark.multipliers_ @ squared / least == pytest.approx(landmark.dual_bound_)
    proof = landmark.certificate(cloud)
    assert proof.trace == pytest.approx(landmark.trace_)
    assert proof.bound == pytest.approx(landmark.dual_bound_)
    assert proof.violation == pytest.approx(landmark.max_violation_, abs=1e-9)
    # Longer edges allow more variance; negative multipliers and other functions prove nothing
    assert landmark.certificate(2 * cloud).bound == pytest.approx(4 * landmark.dual_bound_)
    landmark.multipliers_[0] = -1e-3
    assert landmark.certificate(cloud).bound == np.inf
    landmark.fit(cloud).coordinates_[0] *= 2
    assert landmark.certificate(cloud).bound == np.inf
