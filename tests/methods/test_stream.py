import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.manifold import trustworthiness
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods import TSNE, ParametricTSNE
from nldr.methods.stream import Stream, drift
from nldr.metrics.alignment import procrustes

RNG = np.random.default_rng(0)
X = RNG.standard_normal((70, 5)) + 6 * np.repeat(np.eye(5)[:2], 35, axis=0)
TSNE_PARAMS = {"perplexity": 5, "n_iter": 50}
NETWORK = {"perplexity": 5, "hidden": [8], "n_epochs": 3}


def stream(method, params):
    return Stream(method=method, params=params, n_first=40, batch_size=20, random_state=0)


def test_a_network_is_fitted_on_the_first_rows_and_moves_nothing():
    model = stream("parametric_tsne", NETWORK).fit(X)
    assert_array_equal(model.n_seen_, [60, 70])
    assert_allclose(model.drift_, 0, atol=1e-6)
    rng = np.random.RandomState(0)
    seed, order = rng.randint(np.iinfo(np.int32).max), rng.permutation(70)
    alone = ParametricTSNE(random_state=seed, **NETWORK).fit(X[order[:40]])
    assert_allclose(model.embedding_, alone.transform(X), atol=1e-6)


def test_a_method_without_a_map_runs_anew():
    model = stream("tsne", TSNE_PARAMS).fit(X)
    rng = np.random.RandomState(0)
    seed, order = rng.randint(np.iinfo(np.int32).max), rng.permutation(70)
    runs = [
        TSNE(random_state=seed, **TSNE_PARAMS).fit_transform(X[order[:n]]) for n in (40, 60, 70)
    ]
    assert_array_equal(model.embedding_[order], runs[-1])
    moved = [procrustes(runs[0], runs[1][:40]), procrustes(runs[1], runs[2][:60])]
    assert_allclose(model.drift_**2, moved)
    expected = trustworthiness(X[order[:60]], runs[1], n_neighbors=7)
    assert model.trustworthiness_[0] == pytest.approx(expected)
    assert (model.seconds_per_point_ > 0).all()


def test_drift_is_what_no_similarity_undoes():
    Y = RNG.standard_normal((50, 2))
    turn = np.array([[0.6, 0.8], [0.8, -0.6]])
    assert drift(Y, 3 * Y @ turn + 5) == pytest.approx(0, abs=1e-12)
    noise = RNG.standard_normal((50, 2))
    assert 0 < drift(Y, Y + 0.01 * noise) < drift(Y, Y + 0.1 * noise) < drift(Y, noise) <= 1


def test_without_batches_it_is_the_method_itself():
    model = Stream(params=TSNE_PARAMS, random_state=0).fit(X)
    assert len(model.n_seen_) == len(model.drift_) == 0
    assert model.embedding_.shape == (70, 2)


def test_two_fits_of_one_seed_are_identical():
    one, same = (stream("tsne", TSNE_PARAMS).fit(X) for _ in range(2))
    assert_array_equal(one.embedding_, same.embedding_)
    assert_array_equal(one.drift_, same.drift_)


@parametrize_with_checks(
    [Stream(params={"perplexity": 3, "n_iter": 20}, n_first=15, batch_size=10)]
)
def test_sklearn_compatible(estimator, check):
    check(estimator)
