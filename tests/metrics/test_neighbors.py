"""Neighborhood hit and 1-NN error: against scikit-learn, and counting with ties."""

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from nldr.dataset import Dataset
from nldr.metrics.neighbors import neighborhood_hit, neighbors

K = [1, 3, 7]


def test_hit_with_self_equals_search_including_self(rng):
    y, embedding = rng.integers(0, 4, 300), rng.normal(size=(300, 2))
    near = NearestNeighbors(n_neighbors=7).fit(embedding).kneighbors(embedding)[1]
    published = (y[near] == y[:, None]).mean()
    scores = neighbors(Dataset(X=embedding, y=y), embedding, k=[7])
    assert scores["neighborhood_hit_self_k7"] == pytest.approx(published, abs=1e-14)
    six = neighborhood_hit(y, embedding, [6])[0]
    assert (1 + 6 * six) / 7 == pytest.approx(published, abs=1e-14)
    assert neighborhood_hit(y, embedding, [1], include_self=True) == [1]


def test_nn_error_equals_leave_one_out_classifier(rng):
    y = rng.integers(0, 3, 30)
    embedding = rng.normal(size=(30, 2)) + y[:, None]
    accuracy = cross_val_score(KNeighborsClassifier(1), embedding, y, cv=LeaveOneOut()).mean()
    scores = neighbors(Dataset(X=embedding, y=y), embedding, k=[7])
    assert scores["nn_label_error"] == pytest.approx(1 - accuracy, abs=1e-14)


@pytest.mark.parametrize("kind", ["neighborhood_hit_k", "neighborhood_hit_self_k"])
def test_hit_is_the_mean_over_random_orders_of_tied_points(kind, rng):
    y = rng.integers(0, 3, 40)
    embedding = rng.integers(0, 4, (40, 1)).astype(float)
    distances = np.abs(embedding - embedding.T)
    if "self" not in kind:
        np.fill_diagonal(distances, np.inf)
    hits = []
    for _ in range(1000):
        near = np.argsort(distances + rng.uniform(0, 0.5, (40, 40)), axis=1)
        hits.append([(y[near[:, :k]] == y[:, None]).mean() for k in K])
    scores = neighbors(Dataset(X=embedding, y=y), embedding, k=K)
    error = np.std(hits, axis=0) / np.sqrt(1000)
    assert (np.abs([scores[f"{kind}{k}"] for k in K] - np.mean(hits, axis=0)) <= 5 * error).all()


def test_classes_at_one_position_each_have_perfect_hit(rng):
    y = np.repeat([0, 1, 2], [20, 20, 20])
    scores = neighbors(Dataset(X=y[:, None], y=y), y[:, None], k=[7, 19, 25])
    assert scores["neighborhood_hit_k7"] == scores["neighborhood_hit_k19"] == 1
    # Of the 25 nearest, 19 are in the class; 6 are in another one
    assert scores["neighborhood_hit_k25"] == pytest.approx(19 / 25, abs=1e-14)
    assert scores["nn_label_error"] == 0
