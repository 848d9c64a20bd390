"""YAML is read strictly, and the schemas are those of the models."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nldr.__main__ import schema_text
from nldr.engine.specs import SCHEMAS, Config, Limits, PlanError, Study, nearest, read_yaml

ROOT = Path(__file__).parents[2]


def test_nearest() -> None:
    assert nearest("isomp", ["pca", "isomap"]) == "did you mean 'isomap'?"
    assert nearest("xyz", ["pca", "isomap"]) == "known: pca, isomap"


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_in_step(name: str) -> None:
    written = (ROOT / f"workflow/schemas/{name}.json").read_text()
    assert written == schema_text(SCHEMAS[name]), "run `make schemas`"


@pytest.mark.parametrize("path", sorted((ROOT / "workflow/studies").glob("*.yaml")))
def test_studies_name_their_schema(path: Path) -> None:
    first = path.read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=../schemas/study.json"
    read_yaml(Study, ROOT, f"workflow/studies/{path.name}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scale: [", "line 1: no valid YAML: "),
        ("scale: quick\nscale: paper\n", "line 1: no valid YAML: the key 'scale' stands twice"),
        ("- a", "Input should be a valid dictionary"),
    ],
)
def test_broken_yaml(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(PlanError, match="^" + re.escape(f"config.yaml: {message}")):
        read_yaml(Config, tmp_path, "config.yaml")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="cannot be read"):
        read_yaml(Config, tmp_path, "absent.yaml")


def test_powers_of_ten_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "limits.yaml").write_text("seconds: 1e2")
    assert read_yaml(Limits, tmp_path, "limits.yaml").seconds == 100.0


def test_scale_replaces_only_what_it_names() -> None:
    study = read_yaml(Study, ROOT, "workflow/studies/ikd_fig1.yaml")
    assert study.at("paper") == study
    smoke = study.at("smoke")
    assert smoke.trials == 1
    assert smoke.metrics == study.metrics
