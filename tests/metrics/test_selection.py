"""Methods without transform can be selected by GridSearchCV, alone and in a pipeline."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nldr
from nldr.methods import LLE, MVU, LolaGP, OutOfSample
from nldr.metrics import AllRows, scorer

METHODS = [MVU(n_neighbors=6), LolaGP(max_iter=5, n_rounds=1, n_inducing=10, random_state=0)]


@pytest.fixture
def plane(rng):
    """Return points of a curved plane, and on which side they are."""
    Z = rng.uniform(-1, 1, size=(45, 2))
    X = np.column_stack([Z, 0.3 * Z[:, 0] ** 2])
    return X, (Z[:, 0] > 0).astype(int)


@pytest.fixture(autouse=True)
def _few_iterations_do():
    warnings.simplefilter("ignore")


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_search_on_all_rows(method, plane):
    X, _ = plane
    pipeline = make_pipeline(StandardScaler(), method)
    name = f"{type(method).__name__.lower()}__n_components"
    search = GridSearchCV(
        pipeline,
        {name: [1, 2]},
        scoring=scorer("trustworthiness_k5"),
        cv=AllRows(),
        error_score="raise",
    ).fit(X)
    # Two dimensions are needed, and the score is that of the embedding.
    assert search.best_params_ == {name: 2}
    Z = search.best_estimator_[-1].embedding_
    expected = nldr.evaluate(X, Z, metrics="trustworthiness_k5")["trustworthiness_k5"]
    assert search.best_score_ == pytest.approx(expected, abs=1e-6)
    assert search.best_score_ > 0.7  # 0.5 by chance


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_step_of_a_pipeline(method, plane):
    X, y = plane
    pipeline = make_pipeline(StandardScaler(), OutOfSample(method), KNeighborsClassifier(3))
    grid = {"outofsample__estimator__n_components": [1, 2]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.6
    assert search.predict(X[:3]).shape == (3,)


def test_lower_is_better_is_turned_around_also_of_new_rows(plane):
    X, y = plane
    pca = PCA(2).fit(X)
    for name in ("stress", "nn_label_error"):
        value = nldr.evaluate(X, pca.transform(X), y, metrics=name)[name]
        assert scorer(name)(pca, X, y) == -value
    pca.fit(X[:30])
    expected = nldr.evaluate(X[30:], pca.transform(X[30:]), metrics="stress")["stress"]
    assert scorer("stress")(pca, X[30:]) == -expected


def test_method_without_transform_says_what_helps(plane):
    X, _ = plane
    fitted = LLE(n_neighbors=8).fit(X[:30])
    with pytest.raises(ValueError, match=r"LLE cannot embed new rows.*AllRows\(\).*OutOfSample"):
        scorer("stress")(fitted, X[30:])
    with pytest.raises(ValueError, match="has neither transform nor embedding_"):
        scorer("stress")(KNeighborsClassifier(), X)


def test_unknown_metric_and_latent_raise():
    with pytest.raises(ValueError, match="did you mean 'stress'"):
        scorer("stres")
    with pytest.raises(ValueError, match="needs the true latent"):
        scorer("r2_affine")


def test_scorers_can_be_sent_to_other_processes(plane):
    X, _ = plane
    fitted = PCA(2).fit(X)
    copy = pickle.loads(pickle.dumps(scorer("trustworthiness_k5")))
    assert copy(fitted, X) == scorer("trustworthiness_k5")(fitted, X)
