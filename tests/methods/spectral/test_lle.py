import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import manifold
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import kneighbors_graph
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.spectral.lle import LLE
from nldr.neighborhoods.dimension import intrinsic_dimension
from nldr.neighborhoods.graphs import DisconnectedGraphWarning, component_labels, knn_graph
from nldr.neighborhoods.joining import with_edges

each_method = pytest.mark.parametrize("method", ["standard", "hessian", "ltsa"])
GRID = np.indices((15, 20, 1)).reshape(3, -1).T


@pytest.mark.parametrize("eigen_solver", ["arpack", "dense"])
@pytest.mark.parametrize(("method", "k"), [("standard", 12), ("ltsa", 12), ("hessian", 6)])
def test_equals_scikit_learn(method, k, eigen_solver, rng):
    # Hessian variants agree for the fewest possible neighbors, 6 in two dimensions.
    X = GRID + rng.uniform(0, 0.8, GRID.shape)
    ours = LLE(n_neighbors=k, method=method, eigen_solver=eigen_solver).fit(X)
    theirs = manifold.LocallyLinearEmbedding(
        n_neighbors=k, method=method, eigen_solver=eigen_solver, random_state=5
    ).fit(X)
    signs = np.sign(np.sum(ours.embedding_ * theirs.embedding_, axis=0))
    assert_allclose(ours.embedding_, signs * theirs.embedding_, atol=1e-5)
    assert ours.reconstruction_error_ == pytest.approx(theirs.reconstruction_error_, rel=1e-4)
    assert ours.n_connected_components_ == 1


def test_hessian_variant_of_scikit_learn_equals_ltsa_but_ours_does_not(roll):
    # For more than 6 neighbors; the quadratic form of ours has fewer terms than that of LTSA.
    errors = [
        manifold.LocallyLinearEmbedding(n_neighbors=12, method=method, eigen_solver="dense")
        .fit(roll)
        .reconstruction_error_
        for method in ("hessian", "ltsa")
    ]
    assert errors[0] == pytest.approx(errors[1])
    ours = LLE(method="hessian", eigen_solver="dense").fit(roll)
    assert ours.reconstruction_error_ < 0.9 * errors[0]


@pytest.mark.parametrize("method", ["hessian", "ltsa"])
def test_isometric_surface_is_recovered_up_to_affine_map(method, rng):
    t, height = rng.uniform(0, 1, 500), rng.uniform(0, 1, 500)
    arc = np.column_stack([np.cos(2 * t), np.sin(2 * t), height])
    truth = np.column_stack([2 * t, height])
    embedding = LLE(method=method).fit_transform(arc)
    assert LinearRegression().fit(embedding, truth).score(embedding, truth) > 0.999


@each_method
def test_several_components_raise_or_warn(method, two_clusters):
    lle = LLE(method=method, eigen_solver="dense")
    consequence = "have no neighbors outside" if method == "standard" else "no patch contains"
    expected = rf"2 connected components \(of 30, 30 points\): .*{consequence}"
    with pytest.raises(ValueError, match=expected):
        lle.fit(two_clusters)
    with pytest.raises(ValueError, match="unless disconnected='bridges' joins them"):
        lle.fit(two_clusters)
    lle.set_params(disconnected="warn")
    with pytest.warns(DisconnectedGraphWarning, match=expected) as record:
        lle.fit(two_clusters)
    assert record[0].filename == __file__
    assert lle.n_connected_components_ == 2


@each_method
@pytest.mark.parametrize("remedy", ["bridges", "enhanced", "more_neighbors"])
def test_remedies_connect_without_warning(method, remedy, two_clusters):
    X = two_clusters
    lle = LLE(1, method=method, eigen_solver="dense", disconnected=remedy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lle.fit(X)
    assert lle.n_connected_components_ == (1 if remedy == "more_neighbors" else 2)
    assert (lle.n_neighbors_ > 12) == (remedy == "more_neighbors")
    n_edges = {"bridges": 1, "enhanced": 1 + round(intrinsic_dimension(X)), "more_neighbors": 0}
    assert len(lle.added_edges_) == n_edges[remedy]
    assert lle.embedding_.shape == (60, 1)

    # The null space of a connected neighborhood graph contains the constants only.
    graph = with_edges(knn_graph(X, lle.n_neighbors_), lle.added_edges_)
    values = np.linalg.eigvalsh(lle._alignment_matrix(X, graph).toarray())
    assert np.count_nonzero(values < 1e-13) == 1


def test_enhanced_edges_keep_two_sheets_in_one_plane(rng):
    sheets = rng.uniform(0, 1, (400, 2)) * [4, 2]
    sheets[:, 0] += 2 * (sheets[:, 0] > 2)
    scores = {}
    for remedy in ("bridges", "enhanced"):
        lle = LLE(method="ltsa", eigen_solver="dense", disconnected=remedy)
        embedding = lle.fit_transform(sheets)
        scores[remedy] = LinearRegression().fit(embedding, sheets).score(embedding, sheets)
    assert scores["enhanced"] > 0.9999
    assert scores["bridges"] < 0.99


def test_closed_groups_are_components_although_graph_is_connected():
    # The neighbors of the middle point lie on both sides, but it is a neighbor of no other point.
    line = np.array([0.0, 1.0, 2.1, 5.2, 8.0, 9.0, 10.1])
    X = np.column_stack([line, np.zeros(7)])
    assert component_labels(knn_graph(X, 2)).max() == 0
    lle = LLE(1, n_neighbors=2, eigen_solver="dense", disconnected="warn")
    with pytest.warns(DisconnectedGraphWarning, match=r"2 connected components \(of 3, 3 points\)"):
        lle.fit(X)
    # Two components leave one vector besides the constant one in the null space.
    assert abs(lle.reconstruction_error_) < 1e-12


@pytest.mark.parametrize("method", ["hessian", "ltsa"])
def test_point_that_is_no_neighbor_is_component_of_variants(method, roll):
    X = np.vstack([roll, [[100.0, 0, 0]]])
    assert kneighbors_graph(X, 12).toarray()[:, -1].sum() == 0
    lle = LLE(1, method=method, eigen_solver="dense", disconnected="warn")
    message = r"400, 1 points.* 1 points belong to no patch"
    with pytest.warns(DisconnectedGraphWarning, match=message):
        embedding = lle.fit(X).embedding_[:, 0]
    # The constants and the indicator of that point span the null space.
    assert np.ptp(embedding[:-1]) < 1e-6


@each_method
def test_repeated_fits_are_identical_and_signs_are_fixed(method, roll):
    one, other = (LLE(method=method).fit_transform(roll) for _ in range(2))
    assert_array_equal(one, other)
    assert_array_equal(one.max(axis=0), np.abs(one).max(axis=0))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "hessian", "n_neighbors": 5}, "n_neighbors=5 is too low .* more than 5"),
        ({"n_neighbors": 400}, "n_neighbors"),
        ({"n_components": 4}, "n_components=4 is too high for 3 features"),
        ({"method": "ltsa", "n_neighbors": 2}, "n_neighbors=2 is too low .* n_components=2"),
        ({"method": "modified"}, "'method' parameter of LLE must be"),
    ],
)
def test_invalid_parameters_raise(parameters, message, roll):
    with pytest.raises(ValueError, match=message):
        LLE(**parameters).fit(roll)


@pytest.mark.filterwarnings("ignore:the neighborhood graph")
@parametrize_with_checks(
    [
        LLE(n_neighbors=5, disconnected="warn"),
        LLE(n_neighbors=8, method="hessian", eigen_solver="dense", disconnected="warn"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
