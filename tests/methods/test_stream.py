from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.manifold import trustworthiness

from nldr.methods import stream
from nldr.methods.networks.parametric_tsne import ParametricTSNE
from nldr.methods.stream import Stream
from nldr.methods.tsne import TSNE
from nldr.methods.umap import UMAP
from nldr.metrics.alignment import procrustes

TSNE_PARAMS = {"perplexity": 5, "n_iter": 50}
TSNE_STREAM = Stream(params=TSNE_PARAMS, n_first=40, batch_size=20, random_state=0)


@pytest.fixture
def X(rng):
    return rng.standard_normal((70, 5)) + 6 * np.repeat(np.eye(5)[:2], 35, axis=0)


def seed_and_order():
    """Return the seed of the method and the order of arrival for ``random_state=0``."""
    rng = np.random.RandomState(0)
    return rng.randint(np.iinfo(np.int32).max), rng.permutation(70)


@pytest.mark.filterwarnings("ignore:the neighborhood graph")
@pytest.mark.parametrize(
    ("alone", "method", "params"),
    [
        (ParametricTSNE, "parametric_tsne", {"perplexity": 5, "hidden": [8], "n_epochs": 3}),
        (TSNE, "tsne", TSNE_PARAMS),
        (UMAP, "umap", {"n_neighbors": 5, "n_epochs": 20}),
    ],
)
def test_rows_are_placed_by_the_method_fitted_to_the_first_rows(X, alone, method, params):
    model = clone(TSNE_STREAM).set_params(method=method, params=params, update="place").fit(X)
    assert_array_equal(model.n_seen_, [60, 70])
    assert_array_equal(model.drift_, [0, 0])
    seed, order = seed_and_order()
    alone = alone(random_state=seed, **params).fit(X[order[:40]])
    expected = [alone.embedding_, alone.transform(X[order[40:60]]), alone.transform(X[order[60:]])]
    assert_array_equal(model.embedding_[order], np.concatenate(expected))


def test_method_is_refitted_to_all_rows(X):
    model = clone(TSNE_STREAM).fit(X)
    seed, order = seed_and_order()
    runs = [
        TSNE(random_state=seed, **TSNE_PARAMS).fit_transform(X[order[:n]]) for n in (40, 60, 70)
    ]
    assert_array_equal(model.embedding_[order], runs[-1])
    moved = [procrustes(runs[0], runs[1][:40]), procrustes(runs[1], runs[2][:60])]
    assert_allclose(model.drift_**2, moved)
    assert model.mean_drift_ == pytest.approx(np.sqrt(moved).mean())
    expected = trustworthiness(X[order[:60]], runs[1], n_neighbors=7)
    assert model.trustworthiness_[0] == pytest.approx(expected)
    assert (model.seconds_per_point_ > 0).all()


@pytest.mark.parametrize(("update", "expected"), [("refit", [0.25, 0.5]), ("place", [1.0, 1.0])])
def test_seconds_per_point_are_the_cost_of_the_new_rows(X, monkeypatch, update, expected):
    # A clock that the method advances
    clock = SimpleNamespace(now=0.0)
    clock.perf_counter = lambda: clock.now

    class Method:
        def __init__(self, *_, **__):
            pass

        def fit_transform(self, X):
            clock.now += 5
            return X[:, :2]

        def transform(self, X):
            clock.now += len(X)
            return X[:, :2]

    monkeypatch.setattr(stream, "time", clock)
    monkeypatch.setattr(stream, "_import_method", lambda name: Method)
    model = clone(TSNE_STREAM).set_params(params=None, update=update).fit(X)
    # A refit takes 5 s for 20 and 10 new rows; a placement takes 1 s per row
    assert model.seconds_per_point_.tolist() == expected


def test_stream_without_batches_has_an_empty_history(X):
    model = Stream(params=TSNE_PARAMS, random_state=0).fit(X)
    assert len(model.n_seen_) == len(model.drift_) == model.mean_drift_ == 0
    assert model.embedding_.shape == (70, 2)
