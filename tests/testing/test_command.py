"""``nldr test`` prints a line for each check and ends with a small study by the engine."""

import os

import numpy as np
import pytest
import yaml

from nldr.cli import main
from nldr.engine.reading.parsing import PlanError
from nldr.testing import command
from nldr.testing.command import examine
from nldr.testing.findings import FAILED, NOT_CHECKED, OK
from nldr.testing.study import run_study, small_study


def test_all_of_a_name_is_checked(project, catalog, capsys):
    assert main(["--root", str(project), "test", "mine", "--seconds", "120"]) == 0
    lines = capsys.readouterr().out.splitlines()
    titles = [line for line in lines if not line.startswith(" ")]
    assert [title.split(":")[0] for title in titles] == [
        "dataset mine",
        "method mine",
        "metric mine",
        "all together",
        titles[-1].split(":")[0],
    ]
    assert {line.split()[0] for line in lines if line.startswith("  ")} == {"✓"}
    assert "a small study by the engine: 4 embeddings" in lines[-2]
    assert lines[-1].startswith("27 checks in")
    assert lines[-1].endswith("none failed")


def test_failure_is_the_exit_code(project, catalog, capsys):
    before = sum(os.times()[:4])
    assert main(["--root", str(project), "test", "bad_not_a_number"]) == 1
    assert sum(os.times()[:4]) - before < 20  # CPU seconds, those of its processes too
    lines = capsys.readouterr().out.splitlines()
    # The other checks would repeat the same.
    assert len([line for line in lines if line.startswith("  ✗")]) == 1
    assert lines[-1].startswith("1 check in")


def test_data_file_of_the_project_is_read_from_anywhere(project, catalog, capsys):
    points = np.random.default_rng(0).normal(size=(200, 3))
    np.savez(project / "points.npz", X=points)
    params = {"path": "points.npz", "n_samples": 150, "n_features": 3}
    entry = {"title": "points", "function": "nldr.datasets.arrays.features", "source": "ours"}
    entry |= {"params": params, "n_samples": "n_samples", "n_features": "n_features"}
    with (project / "workflow/catalog/datasets.yaml").open("a") as file:
        file.write("\n" + yaml.safe_dump({"points": entry}))
    assert main(["--root", str(project), "test", "points", "--seconds", "120"]) == 0
    assert "4 embeddings" in capsys.readouterr().out


def test_a_metric_stands_for_its_scorer(project, catalog, monkeypatch):
    monkeypatch.setattr(command, "run_study", lambda *_: command.CheckOutcome(OK, "a small study"))
    lines = []
    assert not examine(project, True, "bad_direction", tell=lines.append)
    assert lines[0] == "metric bad_metric_direction: trial_project.planted.bad_metric"
    assert any("higher is better" in line for line in lines)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("mein", "swiss_roll", "no method, dataset or metric is called 'mein': did you mean"),
        ("mine", "swiss_rol", "unknown dataset 'swiss_rol': did you mean 'swiss_roll'?"),
        ("phate", "swiss_roll", "cannot check 'phate', which runs in workflow/environments/phate"),
    ],
)
def test_name_that_cannot_be_checked_raises(project, name, data, message):
    with pytest.raises(PlanError) as error:
        examine(project, True, name, dataset=data)
    assert message in str(error.value)


def test_small_study_uses_what_is_needed(catalog):
    study = small_study(catalog, None, None, "neighbors", "swiss_roll")
    assert study["datasets"] == [{"swiss_roll": {"n_samples": 100, "height": 30.0, "noise": 0.0}}]
    assert study["methods"] == ["pca", "random"]
    assert "neighborhood_hit_k7" in study["metrics"]
    # Data without a latent do for no metric that needs it.
    study = small_study(catalog, None, "digits", "alignment", "swiss_roll")
    assert list(study["datasets"][0]) == ["swiss_roll"]
    study = small_study(catalog, "oracle", "digits", None, "swiss_roll")
    assert list(study["datasets"][0]) == ["swiss_roll"]


def test_failure_in_the_engine_is_reported(catalog):
    study = small_study(catalog, "bad_not_a_number", None, None, "swiss_roll")
    finding = run_study(catalog, study, 120)
    assert finding.mark == FAILED
    assert "bad_not_a_number on swiss_roll, trial 0: error: RuntimeError" in finding.text
    finding = run_study(catalog, {**study, "methods": ["unheard_of"]}, 120)
    assert finding.mark == FAILED
    assert "unknown method 'unheard_of'" in finding.text


def test_study_without_time_is_not_checked(catalog):
    study = small_study(catalog, "pca", None, None, "swiss_roll")
    assert run_study(catalog, study, 0.1).mark == NOT_CHECKED
