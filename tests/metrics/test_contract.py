"""What every scorer of the catalog keeps: names, refusals, clean observations, invariances."""

import re
import tracemalloc

import numpy as np
import pytest

from nldr.dataset import Dataset
from nldr.engine.code.imports import import_object
from nldr.metrics.evaluation import catalog_metrics

METRICS = catalog_metrics().values()
SCORERS = {metric.scorer: metric for metric in METRICS}
N = 60
RNG = np.random.default_rng(0)
LATENT = RNG.normal(size=(N, 2))
CLEAN = np.column_stack([LATENT, np.sin(LATENT), RNG.normal(size=(N, 2))])
NOISY = CLEAN + RNG.normal(size=CLEAN.shape)
LABELS = RNG.permutation(N) % 3
EMBEDDING = LATENT + 0.3 * RNG.normal(size=(N, 2))
# By labels or latent alone, or without a value here
BLIND = {"classification", "classification_file_order", "neighbors", "silhouette"}
BLIND |= {"alignment", "enclosure", "rings", "within"}
AS_RELEASED = {"observed_ranks", "released_measures"}  # with respect to the noisy observations
# Folds and random groups follow the order of the rows; squares overflow in the released code
MOVED = sorted(
    SCORERS.keys()
    - {"angles", "classification", "classification_file_order", "released_measures", "reliability"}
)
LARGEST = {"alignment", "coranking", "density", "distances", "ranks"}
# No rows are no input of these, and few rows are refused by these or have a value
NOT_EMPTY = {"between", "centroid_triplets", "geodesic", "recovery", "rings", "within"}
NOT_FEW = {"dimension", "reconstruction", "released_measures"}


ONE_PLACE, ONE_CLASS, ALL_APART = np.full((N, 2), 0.1), np.zeros(N, int), np.arange(N)
FLAT = np.column_stack([LATENT[:, 0], np.full(N, 0.1)])
# What a scorer is given, and the names of its scores that have no value then
UNDEFINED = [
    ("alignment", {"Z": FLAT}, "r2_affine"),
    ("alignment", {"Z": FLAT - [0, 1e6]}, "r2_affine"),
    ("alignment", {"Z": ONE_PLACE}, "."),
    ("between", {"y": ONE_CLASS}, "."),
    ("between", {"embedding": ONE_PLACE}, "."),
    # Folds have 48 points, and classes at least 5 members
    ("classification", {"k": [48, 49, 5]}, "k49"),
    ("classification", {"y": ONE_CLASS}, "."),
    ("classification", {"y": ALL_APART}, "."),
    ("classification", {"y": np.repeat([0, 1], [56, 4]), "k": [1, 5]}, "."),
    ("classification", {"y": np.repeat([0, 1], [55, 5]), "k": [1, 5]}, "none"),
    ("density", {"X": ONE_PLACE}, "."),
    ("density", {"embedding": ONE_PLACE - 1e6}, "."),
    ("distances", {"X": ONE_PLACE}, "."),
    ("distances", {"X": 0.3 * np.eye(N)}, "pearson|spearman"),
    ("distances", {"embedding": 0.3 * np.eye(N)}, "pearson|spearman"),
    ("distances", {"embedding": ONE_PLACE}, "pearson|spearman"),
    ("neighbors", {"y": ONE_CLASS}, "."),
    ("neighbors", {"y": ALL_APART}, "."),
    ("neighbors", {"k": [59, 60, 61]}, "hit_k6|self_k61"),
    ("ranks", {"k": [29, 30, 58, 59]}, "trust.*_k(30|5)|continuity_k(30|5)|_k59"),
    ("reconstruction", {"X": np.ones((N, 2))}, "."),
    ("released_measures", {"k": [29, 30]}, "k30"),
    ("reliability", {"embedding": ONE_PLACE}, "."),
    ("silhouette", {"y": ONE_CLASS}, "."),
    ("silhouette", {"y": ALL_APART}, "."),
    ("within", {"Z": None}, "."),
]


@pytest.fixture(autouse=True)
def _few_groups_do(monkeypatch):
    monkeypatch.setattr("nldr.metrics.reliability._WALKS", 5)


def score(name, embedding=EMBEDDING, **fields):
    """Return the scores of one scorer, with some fields of the data changed."""
    metric = SCORERS[name]
    params = metric.params | {key: fields.pop(key) for key in ("k", "sigma") if key in fields}
    data = Dataset(**{"X": CLEAN, "Z": LATENT, "y": LABELS} | fields)
    return import_object(metric.function)(data, embedding, **params)


@pytest.mark.parametrize("name", SCORERS)
def test_names_are_those_of_the_catalog_and_clean_observations_count(name):
    scores, noisy = score(name, X=NOISY, clean=CLEAN), score(name, X=NOISY)
    assert {metric.name for metric in METRICS if metric.scorer == name} == scores.keys()
    assert {type(value) for value in scores.values()} == {float}
    np.testing.assert_equal(scores, noisy if name in AS_RELEASED else score(name))
    assert (str(scores) == str(noisy)) == (name in BLIND | AS_RELEASED)


@pytest.mark.parametrize("name", SCORERS)
def test_what_does_not_fit_is_refused(name):
    wrong = [("needs labels", {"y": None})] * (SCORERS[name].needs == "labels")
    wrong += [("needs the true latent", {"Z": None})] * (SCORERS[name].needs == "latent")
    if name != "released_measures":
        wrong += [
            ("embedding has 59 rows, the data has 60", {"embedding": EMBEDDING[1:]}),
            ("embedding contains NaN", {"embedding": EMBEDDING + np.nan}),
            *[("k must be a list of", {"k": [0]})] * ("k" in SCORERS[name].params),
        ]
    for message, change in wrong:
        with pytest.raises(ValueError, match=message):
            score(name, **change)


@pytest.mark.parametrize("name", MOVED)
def test_order_of_rows_and_size_do_not_matter(name):
    order = np.random.default_rng(1).permutation(N)
    expected = [*score(name).values()]
    atol = 5e-3 if name == "random_triplets" else 1e-9
    for scale in (np.finfo(float).max if name in LARGEST else 1e150, 1e-100):
        moved = EMBEDDING[order] / np.abs(EMBEDDING).max() * scale
        moved = score(name, moved, X=CLEAN[order], Z=LATENT[order], y=LABELS[order])
        np.testing.assert_allclose([*moved.values()], expected, rtol=0, atol=atol)


@pytest.mark.parametrize("name", sorted(SCORERS.keys() - {"random_triplets", "released_measures"}))
def test_unit_and_origin_of_all_arrays_do_not_matter(name):
    expected = [*score(name).values()]
    for factor, shift in ((1e-12, 0.0), (1e12, 0.0), (1.0, 1e6)):
        embedding, X, Z = (factor * array + shift for array in (EMBEDDING, CLEAN, LATENT))
        moved = score(name, embedding, X=X, Z=Z)
        np.testing.assert_allclose([*moved.values()], expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", sorted(SCORERS.keys() - NOT_FEW))
def test_fewer_than_two_points_have_no_score(name):
    for n in (1,) if name in NOT_EMPTY else (0, 1):
        few = score(name, EMBEDDING[:n], X=CLEAN[:n], Z=LATENT[:n], y=LABELS[:n])
        assert np.isnan([*few.values()]).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "given", "undefined"), UNDEFINED)
def test_scores_that_mean_nothing_have_no_value(name, given, undefined):
    scores = score(name, **given)
    expected = [metric for metric in scores if re.search(undefined, metric)]
    assert [metric for metric, value in scores.items() if np.isnan(value)] == expected


@pytest.mark.parametrize("name", ["coranking", "density", "ranks"])
def test_memory_is_below_a_matrix_of_distances(name):
    X = RNG.normal(size=(2000, 20))
    tracemalloc.start()
    score(name, X[:, :2], X=X, Z=None, y=None, **{"sigma": [0.1]} if name == "density" else {})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2000 * 2000 * 8 / 4
