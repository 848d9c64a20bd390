import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from nldr.methods.ikd.ikd import IKD
from nldr.methods.restarts import Restarts, affine_agreement
from nldr.methods.tsne import TSNE
from nldr.metrics.alignment import r2_affine

TSNE_PARAMS = {"perplexity": 5, "n_iter": 50}


@pytest.fixture
def X(rng):
    latent = rng.uniform(-1, 1, (60, 2))
    return np.sin(latent @ rng.standard_normal((2, 20)) + rng.uniform(0, 6, 20))


def test_eigendecomposition_is_unique_and_gradient_descent_is_not(X):
    plain = {"polish": False}
    unique = Restarts(method="ikd", params=plain, n_runs=2, random_state=0).fit(X)
    assert unique.agreement_ == pytest.approx(1, abs=1e-6)
    alone = IKD(**plain).fit_transform(X)
    assert_allclose(affine_agreement(alone, unique.embedding_), 1, atol=1e-6)
    assert Restarts(params=TSNE_PARAMS, random_state=0).fit(X).agreement_ < 1 - 1e-4


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_runs_of_a_method_without_a_seed_start_at_different_points(X):
    model = Restarts(method="gplvm", params={"max_iter": 3}, random_state=0).fit(X)
    assert 0 < model.agreement_ < 0.99


def test_runs_are_those_of_the_method_on_permuted_rows(X):
    rng = np.random.RandomState(0)
    model = Restarts(params=TSNE_PARAMS, random_state=0).fit(X)
    for run in model.runs_:
        order, seed = rng.permutation(60), rng.randint(np.iinfo(np.int32).max)
        rng.standard_normal((60, 2))
        alone = TSNE(random_state=seed, **TSNE_PARAMS).fit_transform(X[order])
        assert_array_equal(run[order], alone)
    assert_array_equal(model.embedding_, model.runs_[0])


def test_agreement_is_the_worst_of_all_pairs_and_directions(monkeypatch):
    grid = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    # The third run has lost a dimension: it follows from the others, but not the other way round
    runs = iter([grid, 2 * grid + 1, np.repeat(grid[:, :1], 2, axis=1)])
    monkeypatch.setattr(Restarts, "_run", lambda *_: next(runs))
    model = Restarts(n_runs=3).fit(grid)
    assert model.agreement_ == pytest.approx(0.5)


def test_agreement_is_the_affine_r2_of_the_metric(rng):
    first, second = rng.standard_normal((2, 40, 3))
    mixed = second + first
    assert affine_agreement(first, mixed) == pytest.approx(r2_affine(first, mixed))
    assert affine_agreement(np.ones((4, 2)), first[:4]) == 1
