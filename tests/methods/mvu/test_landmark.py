import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.mvu.landmark import LandmarkMVU, landmark_basis
from nldr.methods.mvu.mvu import MVU
from nldr.neighborhoods.graphs import DisconnectedGraphWarning, knn_graph
from nldr.neighborhoods.patches import neighbor_lists, reconstruction_matrix

RNG = np.random.default_rng(0)
CLOUD = RNG.standard_normal((60, 3))


def roll(n_samples, height=15):
    rng = np.random.default_rng(0)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n_samples))
    q = height * rng.random(n_samples)
    arc = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    return np.column_stack([t * np.cos(t), q, t * np.sin(t)]), np.column_stack([arc, q])


def test_all_points_as_landmarks_are_plain_unfolding():
    landmark = LandmarkMVU(n_neighbors=6, n_landmarks=60, tol=1e-4).fit(CLOUD)
    plain = MVU(n_neighbors=6, constraint="shrink", tol=1e-4).fit(CLOUD)
    assert landmark.trace_ == pytest.approx(plain.trace_, rel=1e-3)
    assert landmark.dual_bound_ == pytest.approx(plain.dual_bound_, rel=1e-3)
    assert_allclose(landmark.eigenvalues_[:3], plain.eigenvalues_[:3], rtol=1e-2)


def test_roll_is_unrolled_from_few_landmarks_and_few_edges():
    X, Z = roll(800)
    landmark = LandmarkMVU(n_neighbors=6, random_state=0, disconnected="bridges").fit(X)
    Y = landmark.embedding_
    assert LinearRegression().fit(Y, Z).score(Y, Z) > 0.99
    assert landmark.n_constraints_ < landmark.n_edges_ / 2
    assert -1e-2 < landmark.duality_gap_ < 1e-2
    assert landmark.max_violation_ < 1e-2
    assert landmark.landmarks_.shape == (100,)


def test_solution_is_of_the_form_and_keeps_to_the_edges():
    landmark = LandmarkMVU(11, n_neighbors=6, n_landmarks=12, random_state=0).fit(CLOUD)
    Y = landmark.embedding_
    assert_allclose(Y.sum(axis=0), 0, atol=1e-7)
    assert_allclose(np.square(Y).sum(axis=0), landmark.eigenvalues_)
    assert landmark.trace_ == pytest.approx(np.square(Y).sum())
    graph = knn_graph(CLOUD, 6)
    i, j = graph.nonzero()
    limits = np.square(CLOUD[i] - CLOUD[j]).sum(axis=1)
    excess = np.square(Y[i] - Y[j]).sum(axis=1) - limits
    assert excess.max() < 1.1e-2 * limits.mean()
    M = reconstruction_matrix(CLOUD, neighbor_lists(graph, np.empty((0, 2), dtype=int)))
    others = np.setdiff1d(np.arange(60), landmark.landmarks_)
    assert_allclose((M @ Y)[others], 0, atol=1e-8)  # of least cost, given the landmarks


def test_more_landmarks_allow_more():
    traces = [LandmarkMVU(n_landmarks=m, random_state=0, tol=1e-3).fit(CLOUD).trace_
              for m in (10, 60)]  # fmt: skip
    assert traces[0] < traces[1]


def test_basis_covers_groups_without_a_landmark():
    apart = csc_array(np.kron(np.eye(2), np.array([[1.0, -1], [-1, 1]])))
    basis = landmark_basis(apart, np.array([0, 1]))
    assert_allclose(basis.T @ basis, np.eye(basis.shape[1]), atol=1e-12)
    assert_allclose(basis.sum(axis=0), 0, atol=1e-12)


def test_parts_are_refused_told_or_joined():
    X = np.concatenate([CLOUD, CLOUD + 100])
    with pytest.raises(ValueError, match="2 connected components"):
        LandmarkMVU().fit(X)
    with pytest.warns(DisconnectedGraphWarning, match="2 connected components"):
        told = LandmarkMVU(disconnected="warn", random_state=0).fit(X)
    joined = LandmarkMVU(disconnected="bridges", random_state=0).fit(X)
    assert joined.n_connected_components_ == told.n_connected_components_ == 2
    assert_allclose(joined.embedding_, told.embedding_)


def test_equal_rows_are_one_point():
    landmark = LandmarkMVU(n_neighbors=3, random_state=0).fit(np.ones((20, 3)))
    assert_array_equal(landmark.embedding_, np.zeros((20, 2)))
    assert landmark.trace_ == 0


def test_repeated_rows_stay_near():
    X = np.repeat(CLOUD[:30], 2, axis=0)
    Y = LandmarkMVU(n_neighbors=8, random_state=0).fit_transform(X)
    assert np.linalg.norm(Y[::2] - Y[1::2], axis=1).max() < 0.05 * np.ptp(Y)


def test_too_few_landmarks_are_an_error():
    with pytest.raises(ValueError, match="n_components=3 is too high for 3 landmarks and 60"):
        LandmarkMVU(3, n_landmarks=3).fit(CLOUD)


def test_too_few_steps_are_said():
    with pytest.warns(ConvergenceWarning, match="asked for was 0.01: raise max_iter or tol"):
        LandmarkMVU(max_iter=2, random_state=0).fit(CLOUD)


def test_two_fits_are_identical():
    one, other = (LandmarkMVU(random_state=3).fit_transform(CLOUD) for _ in range(2))
    assert_array_equal(one, other)
    assert_array_equal(one.max(axis=0), np.abs(one).max(axis=0))


@pytest.mark.filterwarnings(
    "ignore:the neighborhood graph", "ignore::sklearn.exceptions.ConvergenceWarning"
)
@parametrize_with_checks([LandmarkMVU(disconnected="warn", random_state=0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
