"""YAML is read strictly."""

import pytest
from conftest import ROOT

from nldr.cli.new import SCHEMAS, schema_text
from nldr.engine.planning.studies import read_study
from nldr.engine.reading.entries import DatasetEntry
from nldr.engine.reading.layers import Layers
from nldr.engine.reading.parsing import PlanError, read_model
from nldr.engine.reading.specs import Config, FigureSpec, extend


def test_keys_and_their_defaults_are_those_of_the_schemas():
    """If a change is meant, run ``nldr schemas`` and commit the files."""
    assert len(SCHEMAS) > 5
    for name, model in SCHEMAS.items():
        stored = (ROOT / f"workflow/schemas/{name}.json").read_text(encoding="utf-8")
        assert schema_text(model) == stored, name


def test_results_do_not_depend_on_what_only_the_report_shows():
    facts = {"title": "mine", "function": "my.data", "source": "ours"}
    entry = DatasetEntry(**facts, n_samples=5, n_features=2, doi="10.1000/182")
    assert entry.doi
    assert "doi" not in entry.model_dump()


def test_missing_file(tmp_path):
    with pytest.raises(PlanError, match="cannot be read"):
        read_model(Config, tmp_path, "absent.yaml")


def test_extended_study_keeps_cells_and_replaces_own_keys():
    base = {
        "title": "base",
        "figure": {"function": "f"},
        "published": {},
        "methods": ["pca"],
        "trials": 5,
        "scales": {"quick": {"trials": 2, "methods": ["isomap"]}, "smoke": {}},
    }
    own = {"title": "own", "trials": 3, "scales": {"quick": {"trials": 1}}}
    assert extend(own, base) == {
        "title": "own",
        "methods": ["pca"],
        "trials": 3,
        "scales": {"quick": {"trials": 1, "methods": ["isomap"]}, "smoke": {}},
    }


def test_extended_study_completes_its_published_numbers_by_those_of_the_other():
    base = {"published": {"file": "a.csv", "names": {"A": "a"}}}
    whole = extend({"published": {"names": {"B": "b"}}}, base)
    assert whole["published"] == {"file": "a.csv", "names": {"B": "b"}}
    assert extend({"published": {"file": "b.csv"}}, {})["published"] == {"file": "b.csv"}


@pytest.mark.parametrize("base", [["a list"], {"scales": ["a"]}, {"scales": {"quick": "a"}}])
def test_extending_a_broken_study_is_left_to_the_model(base):
    own = {"title": "own", "scales": {"quick": {"trials": 1}}}
    assert extend(own, base)["title"] == "own"
    assert extend({"scales": 3}, base)["scales"] == 3


def test_scale_replaces_selection_and_parameters_of_a_figure():
    study = read_study(Layers(ROOT), "workflow/studies/ikd_fig1.yaml")
    figure = study.figures["ikd_recovery"]
    assert figure.at("paper").select.where == {"data.n_features": 100}
    assert figure.at("smoke").select.where == {"data.n_features": 10}
    assert figure.at("smoke").params == figure.params


def test_a_scale_replaces_function_and_parameters_of_a_figure():
    figure = FigureSpec(
        function="a.lines",
        params={"x": "noise"},
        scales={"quick": {"function": "a.dots", "params": {}}},
    )
    quick, paper = figure.at("quick"), figure.at("paper")
    assert (quick.function, quick.params) == ("a.dots", {})
    assert (paper.function, paper.params) == ("a.lines", {"x": "noise"})
