"""What methods of several families share: new rows, units, equal rows, and warnings."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from nldr import methods as nm

RNG = np.random.default_rng(0)
CLOUD = RNG.standard_normal((40, 4)) * [4, 3, 2, 1]
CLUSTER = np.repeat(np.arange(3), 30)
CLUSTERS = RNG.standard_normal((90, 4)) + 30 * np.eye(4)[CLUSTER]
WIDE = {"hidden": (64, 32), "random_state": 0}

PLACING = [
    *(nm.TSNE(q, perplexity=5, n_iter=250, random_state=0) for q in (2, 3, 4)),
    nm.LocalMAP(random_state=0),
    nm.PaCMAP(random_state=0),
    nm.UMAP(n_neighbors=8, n_epochs=60, random_state=0),
    nm.DLMP(perplexity=5, n_iter=300, n_epochs=200, batch_size=27, **WIDE),
    nm.ParametricTSNE(perplexity=10, n_epochs=100, exaggeration_iter=20, **WIDE),
    nm.ParametricTSNERBM(perplexity=10, n_epochs=100, **WIDE),
    nm.ParametricUMAP(n_neighbors=10, batch_size=100, n_epochs=60, **WIDE),
]


@pytest.mark.filterwarnings("ignore:the neighborhood graph", "ignore:Spectral initialization")
@pytest.mark.parametrize("estimator", PLACING, ids=lambda value: str(value)[:20])
def test_clusters_are_separate_and_new_rows_join_theirs(estimator):
    model = clone(estimator).fit(CLUSTERS)
    Y = model.embedding_.copy()
    centers = Y.reshape(3, 30, -1).mean(axis=1)
    assert np.linalg.norm(Y - centers[CLUSTER]) < 0.5 * np.linalg.norm(Y - Y.mean(axis=0))
    new = CLUSTERS[::7] + 0.1
    placed = model.transform(new)
    assert_array_equal(CLUSTER[cdist(placed, Y).argmin(axis=1)], CLUSTER[::7])
    # Training rows stay, and neither other new rows nor pickling matters
    assert_array_equal(model.embedding_, Y)
    if not isinstance(model, nm.UMAP):  # which draws random numbers for all new rows in turn
        assert_allclose(model.transform(new[:1]), placed[:1], atol=1e-6 * np.abs(Y).max())
    assert_array_equal(pickle.loads(pickle.dumps(model)).transform(new), placed)
    if hasattr(model, "validation_loss_"):
        assert model.validation_loss_.min() < 0.9 * model.validation_loss_[0]
        assert model.loss_[-1] < 0.9 * model.loss_[20]


# With the accuracy of the distances, relative to the largest
IN_UNITS = [
    (nm.DiffusionMaps(), 1e-6),
    (nm.DisjointMVU(n_neighbors=8), 0.02),
    (nm.Isomap(n_neighbors=12), 1e-6),
    (nm.LLE(n_neighbors=12), 1e-4),
    (nm.LolaGP(n_inducing=10, max_iter=20, random_state=0), 1e-3),
    (nm.MVU(n_neighbors=6, tol=1e-4), 0.02),
    (nm.NonmetricMDS(), 1e-4),
    (nm.Sammon(), 1e-4),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("estimator", "atol"), IN_UNITS, ids=lambda value: str(value)[:20])
def test_rotation_unit_and_origin_of_the_data_do_not_matter(estimator, atol):
    rotation = np.linalg.qr(np.random.default_rng(1).standard_normal((4, 4)))[0]
    one, other = (
        pdist(clone(estimator).fit_transform(X)) for X in (CLOUD, 1e3 * CLOUD @ rotation + 5)
    )
    # Coordinates have the unit of the data, or one of their own
    unit = min((1.0, 1e3), key=lambda unit: abs(np.log(other.max() / one.max() / unit)))
    assert_allclose(other / unit, one, atol=atol * one.max())


@pytest.mark.parametrize(
    "estimator",
    [
        nm.DiffusionMaps(),
        nm.EigenvaluePCA(),
        nm.IKD(variant="full"),
        nm.MVU(3, n_neighbors=9),
        nm.MVU(3, n_neighbors=9, constraint="shrink"),
        nm.MetricMDS(),
        nm.Sammon(),
    ],
)
def test_equal_rows_have_equal_coordinates(estimator):
    Y = clone(estimator).fit_transform(np.repeat(CLOUD[:20], 2, axis=0))
    assert_allclose(Y[::2], Y[1::2], atol=1e-3 * np.ptp(Y))


@pytest.mark.parametrize("estimator", [nm.MVU(n_neighbors=2), nm.LandmarkMVU(n_neighbors=3)])
def test_constant_data_are_unfolded_at_the_origin(estimator):
    estimator.fit(np.ones((20, 3)))
    assert_array_equal(estimator.embedding_, np.zeros((20, 2)))
    assert estimator.trace_ == 0


UNFINISHED = [
    (nm.BayesianGPLVM(n_inducing=10, random_state=0), "rising after 1 of at most 1 iterations"),
    (nm.GPLVM(), r"after 1 iterations \(.*LIMIT\) before .* less than 1e-06"),
    (nm.LandmarkMVU(n_neighbors=8, random_state=0), r"gap is .* \(tol is 0.01\): raise max_iter"),
    (nm.LolaGP(n_inducing=10, random_state=0), "rising after 1 of at most 1 iterations"),
    (nm.MVU(n_neighbors=6), r"gap is .* \(tol is 0.01\).* violated by .* raise max_iter or tol"),
    (nm.MetricMDS(), "not converge to a tolerance of 1e-06 within 1 iterations: increase max_iter"),
    (nm.NonmetricMDS(), "increase max_iter"),
    (nm.Sammon(), "increase max_iter"),
]


@pytest.mark.parametrize(("estimator", "message"), UNFINISHED, ids=lambda value: str(value)[:20])
def test_too_few_iterations_are_told_the_caller(estimator, message):
    model = clone(estimator).set_params(max_iter=1)
    with pytest.warns(ConvergenceWarning, match=message) as record:
        model.fit(CLOUD)
    if not isinstance(model, (nm.BayesianGPLVM, nm.LolaGP)):  # theirs names scikit-learn's line
        assert record[0].filename == __file__
    assert not getattr(model, "converged_", False)
    assert getattr(model, "n_iter_", 1) in (1, 2)  # LolaGP: in each of two rounds


TOO_HIGH = [
    (nm.PaCMAP(n_neighbors=26, random_state=0), 90, "26 is too high for 90 samples: 25 is used"),
    (nm.ParametricTSNE(hidden=(8,), n_epochs=1, random_state=0), 31, "50 .* samples, 10 is used"),
    (nm.TSNE(n_iter=20, random_state=0), 61, "perplexity=30 .* for 61 samples: 20 is used"),
]


@pytest.mark.parametrize(
    ("estimator", "n_samples", "message"), TOO_HIGH, ids=lambda value: str(value)[:20]
)
def test_too_many_neighbors_are_reduced_with_a_warning_to_the_caller(estimator, n_samples, message):
    name = "n_neighbors" if hasattr(estimator, "n_neighbors") else "perplexity"
    with pytest.warns(UserWarning, match=message) as record:
        model = clone(estimator).fit(CLUSTERS[:n_samples])
    assert record[0].filename == __file__
    used = getattr(model, f"{name}_")
    assert f" {used:g} is used" in message
    equal = clone(estimator).set_params(**{name: used}).fit(CLUSTERS[:n_samples])
    assert_array_equal(equal.embedding_, model.embedding_)
