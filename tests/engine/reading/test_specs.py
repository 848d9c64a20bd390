"""YAML is read strictly."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nldr.engine.planning.studies import read_study
from nldr.engine.reading.layers import Layers
from nldr.engine.reading.parsing import PlanError, nearest, read_model
from nldr.engine.reading.specs import Config, Limits, extend

ROOT = Path(__file__).parents[3]


def test_nearest() -> None:
    assert nearest("isomp", ["pca", "isomap"]) == "did you mean 'isomap'?"
    assert nearest("xyz", ["pca", "isomap"]) == "known: pca, isomap"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scale: [", "line 1: not valid YAML: "),
        ("scale: quick\nscale: paper\n", "line 2: the key 'scale' is given twice"),
        ("- a", "Input should be a valid dictionary"),
    ],
)
def test_broken_yaml(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(PlanError, match="^" + re.escape(f"config.yaml: {message}")):
        read_model(Config, tmp_path, "config.yaml")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="cannot be read"):
        read_model(Config, tmp_path, "absent.yaml")


def test_powers_of_ten_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "limits.yaml").write_text("seconds: 1e2")
    assert read_model(Limits, tmp_path, "limits.yaml").seconds == 100.0


def test_scale_replaces_only_what_it_names() -> None:
    study = read_study(Layers(ROOT), "workflow/studies/ikd_fig1.yaml")
    assert study.at("paper") == study
    smoke = study.at("smoke")
    assert smoke.trials == 1
    assert smoke.metrics == study.metrics


def test_extended_study_keeps_cells_and_replaces_own_keys() -> None:
    base = {
        "title": "base", "figure": {"function": "f"}, "published": {}, "methods": ["pca"],
        "trials": 5, "scales": {"quick": {"trials": 2, "methods": ["isomap"]}, "smoke": {}},
    }  # fmt: skip
    own = {"title": "own", "trials": 3, "scales": {"quick": {"trials": 1}}}
    assert extend(own, base) == {
        "title": "own", "methods": ["pca"], "trials": 3,
        "scales": {"quick": {"trials": 1, "methods": ["isomap"]}, "smoke": {}},
    }  # fmt: skip


@pytest.mark.parametrize("base", [["a list"], {"scales": ["a"]}, {"scales": {"quick": "a"}}])
def test_extending_a_broken_study_is_left_to_the_model(base: object) -> None:
    own = {"title": "own", "scales": {"quick": {"trials": 1}}}
    assert extend(own, base)["title"] == "own"
    assert extend({"scales": 3}, base)["scales"] == 3


def test_scale_replaces_selection_and_parameters_of_a_figure() -> None:
    study = read_study(Layers(ROOT), "workflow/studies/ikd_fig1.yaml")
    figure = study.named_figures("ikd_fig1")["ikd_recovery"]
    assert figure.at("paper").select.where == {"data.n_features": 100}
    assert figure.at("smoke").select.where == {"data.n_features": 10}
    assert figure.at("smoke").params == figure.params
