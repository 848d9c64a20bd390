import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import manifold
from sklearn.datasets import make_swiss_roll
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import kneighbors_graph
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.spectral.lle import LLE
from nldr.neighborhoods.dimension import intrinsic_dimension
from nldr.neighborhoods.graphs import DisconnectedGraphWarning, knn_graph
from nldr.neighborhoods.joining import with_edges

RNG = np.random.default_rng(0)
ROLL, ALONG = make_swiss_roll(400, random_state=0)
GRID = np.indices((15, 20, 1)).reshape(3, -1).T + RNG.uniform(0, 0.8, (300, 3))
BLOBS = RNG.standard_normal((60, 3)) + 30 * np.repeat(np.eye(3)[:2], 30, axis=0)
METHODS = pytest.mark.parametrize("method", ["standard", "hessian", "ltsa"])


@pytest.mark.parametrize("eigen_solver", ["arpack", "dense"])
@pytest.mark.parametrize(("method", "k"), [("standard", 12), ("ltsa", 12), ("hessian", 6)])
def test_equals_that_of_scikit_learn(method, k, eigen_solver):
    X = GRID if method == "hessian" else ROLL
    ours = LLE(n_neighbors=k, method=method, eigen_solver=eigen_solver).fit(X)
    theirs = manifold.LocallyLinearEmbedding(
        n_neighbors=k, method=method, eigen_solver=eigen_solver, random_state=5
    ).fit(X)
    signs = np.sign(np.sum(ours.embedding_ * theirs.embedding_, axis=0))
    assert_allclose(ours.embedding_, signs * theirs.embedding_, atol=1e-5)
    assert ours.reconstruction_error_ == pytest.approx(theirs.reconstruction_error_, rel=1e-4)
    assert ours.n_connected_components_ == 1


def test_hessian_variant_of_scikit_learn_is_its_ltsa():
    # With more neighbors than 1 + 2 + 3; ours punishes less than LTSA.
    errors = [
        manifold.LocallyLinearEmbedding(n_neighbors=12, method=method, eigen_solver="dense")
        .fit(ROLL)
        .reconstruction_error_
        for method in ("hessian", "ltsa")
    ]
    assert errors[0] == pytest.approx(errors[1])
    ours = LLE(method="hessian", eigen_solver="dense").fit(ROLL)
    assert ours.reconstruction_error_ < 0.8 * errors[0]


@pytest.mark.parametrize("method", ["hessian", "ltsa"])
def test_an_isometric_surface_is_found_up_to_an_affine_map(method):
    t, height = RNG.uniform(0, 1, 500), RNG.uniform(0, 1, 500)
    arc = np.column_stack([np.cos(2 * t), np.sin(2 * t), height])
    truth = np.column_stack([2 * t, height])
    embedding = LLE(method=method).fit_transform(arc)
    assert LinearRegression().fit(embedding, truth).score(embedding, truth) > 0.999


@METHODS
def test_parts_are_refused_or_told(method):
    with pytest.raises(ValueError, match=r"falls into 2 parts \(of 30, 30 points\)"):
        LLE(method=method).fit(BLOBS)
    lle = LLE(method=method, eigen_solver="dense", disconnected="warn")
    with pytest.warns(DisconnectedGraphWarning, match="falls into 2 parts"):
        lle.fit(BLOBS)
    assert lle.n_connected_components_ == 2


@METHODS
@pytest.mark.parametrize("remedy", ["bridges", "enhanced", "more_neighbors"])
def test_remedies_join_in_silence(method, remedy):
    lle = LLE(1, method=method, eigen_solver="dense", disconnected=remedy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        embedding = lle.fit_transform(BLOBS)
    assert lle.n_connected_components_ == (1 if remedy == "more_neighbors" else 2)
    assert (lle.n_neighbors_ > 12) == (remedy == "more_neighbors")
    n_edges = {"bridges": 1, "enhanced": 1 + round(intrinsic_dimension(BLOBS)), "more_neighbors": 0}
    assert len(lle.added_edges_) == n_edges[remedy]
    assert embedding.shape == (60, 1)
    # One part: the constants alone are free.
    matrix = lle._punishment(
        BLOBS, with_edges(knn_graph(BLOBS, lle.n_neighbors_), lle.added_edges_)
    )
    assert np.count_nonzero(np.linalg.eigvalsh(matrix.toarray()) < 1e-13) == 1


def test_enhanced_graph_keeps_two_sheets_in_their_plane():
    sheet = RNG.uniform(0, 1, (400, 2)) * [4, 2]
    sheet[:, 0] += 2 * (sheet[:, 0] > 2)
    scores = {}
    for remedy in ("bridges", "enhanced"):
        embedding = LLE(method="ltsa", eigen_solver="dense", disconnected=remedy).fit_transform(
            sheet
        )
        scores[remedy] = LinearRegression().fit(embedding, sheet).score(embedding, sheet)
    assert scores["enhanced"] > 0.99999
    assert scores["bridges"] < 0.99


def test_groups_that_see_only_themselves_are_parts_though_the_graph_is_connected():
    roll = make_swiss_roll(1000, random_state=0)[0]
    lle = LLE(2, n_neighbors=5, eigen_solver="dense", disconnected="warn")
    with pytest.warns(DisconnectedGraphWarning, match="falls into 3 parts"):
        lle.fit(roll)
    assert lle.n_connected_components_ == 3
    # Three parts leave two vectors beside the constant one, at no cost at all.
    assert abs(lle.reconstruction_error_) < 1e-12
    assert LLE(n_neighbors=7).fit(roll).reconstruction_error_ > 1e-9


@pytest.mark.parametrize("method", ["hessian", "ltsa"])
def test_points_that_are_nobodys_neighbor_are_parts(method):
    X = np.vstack([ROLL, [[100.0, 0, 0]]])
    assert kneighbors_graph(X, 12).toarray()[:, -1].sum() == 0
    lle = LLE(1, method=method, eigen_solver="dense", disconnected="warn")
    with pytest.warns(DisconnectedGraphWarning, match=r"400, 1 points.* 1 points are in none"):
        embedding = lle.fit_transform(X)[:, 0]
    # The constant and that point alone span the null space; scikit-learn finds some mixture.
    assert np.ptp(embedding[:-1]) < 1e-6


@METHODS
def test_two_fits_are_identical_and_signs_are_fixed(method):
    one, other = (LLE(method=method).fit_transform(ROLL) for _ in range(2))
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
def test_unusable_parameters_are_errors(parameters, message):
    with pytest.raises(ValueError, match=message):
        LLE(**parameters).fit(ROLL)


@pytest.mark.filterwarnings("ignore:the neighborhood graph")
@parametrize_with_checks(
    [
        LLE(n_neighbors=5, disconnected="warn"),
        LLE(n_neighbors=8, method="hessian", eigen_solver="dense", disconnected="warn"),
        LLE(n_neighbors=8, method="ltsa", eigen_solver="dense", disconnected="warn"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
