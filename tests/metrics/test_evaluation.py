"""``nldr.evaluate`` returns the scores of the catalog, and says what is missing."""

import importlib

import numpy as np
import pytest
from conftest import ROOT, SIGNATURES

import nldr
from nldr.cli import main
from nldr.dataset import Dataset
from nldr.engine.code.imports import import_object
from nldr.engine.planning.catalog import Catalog
from nldr.metrics.evaluation import catalog_metrics, find_metric


@pytest.fixture(scope="module")
def catalog():
    return Catalog(ROOT, SIGNATURES)


@pytest.fixture
def case(rng):
    """Return data with latent and labels, and an embedding."""
    Z = rng.normal(size=(90, 2))
    y = (Z[:, 0] > 0) + 2 * (Z[:, 1] > 0)
    X = np.column_stack([Z, np.sin(Z), rng.normal(size=90)])
    return Dataset(X=X, Z=Z, y=y), Z + 0.3 * rng.normal(size=Z.shape)


def test_scores_are_those_of_the_scorers_of_the_catalog(case, catalog):
    data, embedding = case
    ours = nldr.evaluate(data.X, embedding, data.y, latent=data.Z)
    # None is undefined on ordinary data
    assert not np.isnan([*ours.values()]).any()
    expected = {}
    for name, entry in catalog.scorers.items():
        if entry.default:
            scores = import_object(entry.function)(data, embedding, **entry.params)
            metrics = [metric for metric, (scorer, _) in catalog.metrics.items() if scorer == name]
            expected |= {metric: scores[metric] for metric in metrics}
    assert len(expected) > 30
    assert ours == expected


def test_all_metrics_of_the_engine_are_known(catalog):
    ours = catalog_metrics()
    assert ours.keys() == catalog.metrics.keys()
    for name, (scorer, entry) in catalog.metrics.items():
        assert ours[name].scorer == scorer
        assert ours[name].function == catalog.scorers[scorer].function
        assert ours[name].params == catalog.scorers[scorer].params
        assert ours[name].direction == entry.direction
        assert ours[name].default == catalog.scorers[scorer].default


def test_chosen_metrics_in_their_order(case):
    data, embedding = case
    names = ["nn_preservation", "stress", "trustworthiness_k20", "trustworthiness_k12"]
    scores = nldr.evaluate(data.X, embedding, metrics=names)
    assert list(scores) == names
    assert all(type(value) is float for value in scores.values())
    assert scores["stress"] == nldr.evaluate(data.X, embedding, metrics="stress")["stress"]
    # Numbers of neighbors do not depend on what else is asked for.
    alone = nldr.evaluate(data.X, embedding, metrics="trustworthiness_k20")
    assert alone["trustworthiness_k20"] == scores["trustworthiness_k20"]


def test_only_what_can_be_computed_is_the_default(case):
    data, embedding = case
    plain = nldr.evaluate(data.X, embedding)
    assert "trustworthiness_k12" in plain
    assert not {"r2_affine", "silhouette"} & plain.keys()
    assert "silhouette" in nldr.evaluate(data.X, embedding, data.y)
    assert "r2_affine" in nldr.evaluate(data.X, embedding, latent=data.Z)
    # Too few points for 12 neighbors: no number, and no error
    few = nldr.evaluate(data.X[:6], embedding[:6])
    assert np.isnan(few["trustworthiness_k12"])
    assert np.isfinite(few["stress"])


def test_undefined_metric_that_was_asked_for_warns_with_the_reason(case):
    data, embedding = case
    y = np.where(np.arange(90) == 4, 9, data.y)
    names = ["trustworthiness_k50", "knn_accuracy_k5", "stress"]
    with pytest.warns(UserWarning, match="not defined") as caught:
        scores = nldr.evaluate(data.X, embedding, y, metrics=names)
    assert np.isnan([scores[name] for name in names]).tolist() == [True, True, False]
    first, second = (str(warning.message) for warning in caught)
    assert first.startswith("trustworthiness_k50: not defined for these 90 points. NaN if k is not")
    assert second.startswith("knn_accuracy_k5: not defined")
    assert "a class with fewer than 5 members" in second


def test_scorers_say_when_they_are_undefined():
    for function in {metric.function for metric in catalog_metrics().values()}:
        module, _, name = function.rpartition(".")
        if name != "dimension":  # always defined
            assert "NaN if" in " ".join(
                getattr(importlib.import_module(module), name).__doc__.split()
            ), function


def test_labels_may_be_texts_and_the_latent_a_list(case):
    data, embedding = case
    names = np.array(["d", "a", "c", "b"])[data.y]
    metrics = ["silhouette", "r2_affine"]
    scores = nldr.evaluate(
        data.X.tolist(),
        embedding.tolist(),
        names.tolist(),
        latent=data.Z[:, 0].tolist(),
        metrics=metrics,
    )
    expected = nldr.evaluate(data.X, embedding, data.y, latent=data.Z[:, :1], metrics=metrics)
    assert scores == pytest.approx(expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metrics": ["trustworthyness_k12"]}, "did you mean 'trustworthiness_k12'?"),
        ({"metrics": "xyz"}, "unknown metric 'xyz': there are: r2_affine"),
        ({"metrics": "trustworthiness_k1.5"}, "unknown metric 'trustworthiness_k1.5'"),
        ({"metrics": "silhouette"}, "the metric 'silhouette' needs labels: pass y=…"),
        ({"metrics": "r2_affine"}, "the metric 'r2_affine' needs latent: pass latent=…"),
        ({"Z": np.zeros((3, 2))}, "Z has 3 rows, the data has 90"),
        ({"Z": np.full((90, 2), np.nan)}, "Z contains NaN or infinity in 90 of 90 rows"),
        ({"y": [0, 1]}, r"y must have one label for each of the 90 rows, got shape (2,)"),
        ({"latent": np.zeros((4, 1))}, "latent has 4 rows, the data has 90"),
    ],
)
def test_mistakes_raise(case, change, message):
    data, embedding = case
    with pytest.raises(ValueError) as error:  # noqa: PT011 - its message is compared
        nldr.evaluate(**({"X": data.X, "Z": embedding} | change))
    assert message in str(error.value)


@pytest.mark.parametrize("name", ["kl_0.5", "mu_self_k3", "knn_accuracy_file_order_k7"])
def test_number_in_a_name_is_free(name, catalog):
    assert name not in catalog.metrics
    metric = find_metric(name)
    (value,) = metric.chosen.values()
    assert metric.name == name
    assert name.endswith(str(value))


@pytest.mark.parametrize(
    "find",
    [
        find_metric,
        lambda name: nldr.evaluate([[0.0]], [[0.0]]),
        lambda name: main(["reference", "gp", "--metric", name]),
    ],
)
def test_catalog_is_read_without_the_engine(find, monkeypatch, few_cells):
    import sys

    for name in ("pydantic", "snakemake"):
        monkeypatch.setitem(sys.modules, name, None)
    catalog_metrics.cache_clear()
    find("r2_affine")
