"""A project adds its entries to what comes with nldr; names that clash are errors."""

import shutil
import sys
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, SIGNATURES
from drafts import changed

from nldr.engine.planning.plan import Plan

SHIPPED = f"{ROOT}/workflow"
STUDY = changed(
    trials=1, metrics=["stress"], methods=["pca"], datasets=[{"swiss_roll": {"n_samples": 50}}]
)
FIRST = {
    "function": "nldr.datasets.manifolds.swiss_roll",
    "title": "a roll",
    "source": "ours",
    "params": {"n_samples": 50, "height": 3.0, "noise": 0.0},
    "n_samples": "n_samples",
    "n_features": 3,
    "n_latent": 2,
    "labels": True,
}
METHOD = {"title": "mine", "family": "pca", "class": "sklearn.decomposition.PCA"}
METRIC = {"function": "nldr.metrics.silhouette.silhouette", "needs": "labels", "metrics": {}}
ENTRY = {"label": "s", "title": "s", "range": [-1, 1], "direction": "higher", "source": "ours"}


@pytest.fixture(autouse=True)
def _path():
    before = list(sys.path)
    yield
    sys.path[:] = before


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a YAML file of a project."""

    def write(file, **content):
        path = tmp_path / "workflow" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content))

    return write


@pytest.fixture
def plan(tmp_path):
    """Return a function that plans the project."""

    def make(**config):
        return Plan({"builtin": True, "studies": "own", **config}, tmp_path, SIGNATURES)

    return make


def test_own_entries_are_added(write, plan):
    write("catalog/datasets.yaml", small_roll=FIRST)
    write("catalog/methods.yaml", mine=METHOD)
    write(
        "studies/small.yaml",
        **{**STUDY, "datasets": ["small_roll", "twin_peaks"], "methods": ["mine", "isomap"]},
    )
    planned = plan()
    assert not planned.broken
    assert planned.selected == planned.everything == ["small"]
    assert "ikd_fig1" in planned.studies
    expected = {"small_roll", "twin_peaks"}
    assert {pair.data.split("@")[0] for pair in planned.studies["small"].pairs} == expected
    assert planned.catalog.files["methods", "mine"] == "workflow/catalog/methods.yaml"
    assert planned.catalog.files["methods", "pca"] == f"{SHIPPED}/catalog/methods.yaml"
    # Studies that come with nldr can be asked for by name, and with all.
    assert plan(studies=["ikd_fig1"]).selected == ["ikd_fig1"]
    assert {"small", "ikd_fig1"} <= set(plan(studies="all").selected)


def test_project_may_have_its_own_catalogs_alone(write, plan, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/lonely.py").write_text("from sklearn.decomposition import PCA\n")
    write("catalog/families.yaml", pca={"title": "p", "color": "#000000", "marker": "o"})
    write("catalog/datasets.yaml", small_roll=FIRST)
    write("catalog/methods.yaml", mine={**METHOD, "class": "lonely.PCA"})
    write("catalog/metrics.yaml", groups={**METRIC, "metrics": {"mine": ENTRY}})
    names = {"datasets": ["small_roll"], "methods": ["mine"], "metrics": ["mine"]}
    write("studies/small.yaml", **{**STUDY, **names})
    planned = plan(builtin=False)
    assert not planned.broken
    assert list(planned.studies) == ["small"]
    assert list(planned.catalog.methods) == ["mine"]


def test_cells_of_a_project_are_those_of_a_checkout(plan):
    name = "gallery"
    theirs = Plan({"studies": [name]}, ROOT, SIGNATURES)
    ours = plan(studies=[name])
    for pair in theirs.studies[name].pairs:
        where = (pair.data, pair.method, pair.trials)
        assert ours.embed_job(*where) == theirs.embed_job(*where)
        assert ours.data_job(pair.data, pair.trials) == theirs.data_job(pair.data, pair.trials)


def test_published_numbers_are_found_in_both(write, plan, tmp_path):
    (file,) = plan().published_files("ikd_fig1")
    assert Path(file).resolve() == ROOT / "workflow/published/ikd_fig1.csv"
    (tmp_path / "workflow/published").mkdir(parents=True)
    (tmp_path / "workflow/published/mine.csv").write_text("method,stress\npca,0.1\n")
    keys = {"file": "mine.csv", "keys": {"method": "method"}, "values": {"stress": ["stress"]}}
    write("studies/small.yaml", **STUDY, published=keys)
    planned = plan()
    assert not planned.broken
    (file,) = planned.published_files("small")
    assert Path(file).resolve() == tmp_path / "workflow/published/mine.csv"
    # A name of both
    shutil.copy(ROOT / "workflow/published/ikd_fig1.csv", tmp_path / "workflow/published")
    write("studies/small.yaml", **STUDY, published={**keys, "file": "ikd_fig1.csv"})
    assert f"{SHIPPED}/published/ikd_fig1.csv has that name too" in str(plan().broken["small"])


def test_clashes_name_both_files(write, plan):
    write("catalog/datasets.yaml", iris=FIRST)
    scorers = {"ranks": "mine", "mine": "stress"}  # a scorer, and the metric of another
    scorers = {name: {**METRIC, "metrics": {metric: ENTRY}} for name, metric in scorers.items()}
    write("catalog/metrics.yaml", **scorers)
    write("studies/gallery.yaml", **STUDY)
    write("studies/small.yaml", **STUDY, figures={"ikd_recovery": STUDY["figure"]})
    planned = plan()
    datasets, metrics = (f"workflow/catalog/{name}.yaml" for name in ("datasets", "metrics"))
    assert sorted(map(str, planned.catalog.broken.values())) == [
        f"{datasets}: iris: {ROOT}/{datasets} has an entry of that name too: rename yours",
        f"{metrics}: mine.metrics.stress: 'distances' in {ROOT}/{metrics} "
        "has the metric 'stress' too: rename yours",
        f"{metrics}: ranks: {ROOT}/{metrics} has an entry of that name too: rename yours",
    ]
    study = "workflow/studies/gallery.yaml"
    message = f"{study}: {ROOT}/{study} is a study of that name too: rename yours"
    assert str(planned.broken["gallery"]) == message
    figure = f"{SHIPPED}/studies/ikd_fig1.yaml has a figure of that name too"
    assert figure in str(planned.broken["small"])


def test_claims_that_come_with_nldr_take_all_studies(write, plan):
    tests = [{"level": {"methods": ["pca"], "metric": "stress", "at_most": 1.0}}]
    claim = {
        "statement": "It holds.",
        "place": "here",
        "equal_tuning": "not applicable: no",
        "as_published": {"study": "small", "tests": tests},
    }
    write("studies/small.yaml", **STUDY)
    write("claims/small.yaml", title="Mine", claims={"mine-01": claim})
    own = plan()
    assert own.claims_mistake is None
    assert list(own.claims) == ["mine-01"]
    assert own.outputs.claims in own.all_files(own.selected)
    assert {"mine-01", "ikd-04"} <= plan(studies="all").claims.keys()


def test_records_of_both_are_used(plan, tmp_path):
    shipped = (ROOT / "workflow/records.csv").read_text()
    (tmp_path / "workflow").mkdir(exist_ok=True)
    (tmp_path / "workflow/records.csv").write_text(shipped.splitlines()[0] + "\n")
    planned = plan()
    assert planned.forecast.sizes.keys() == planned.studies.keys()
