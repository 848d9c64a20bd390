"""The command line lists catalogs and studies, and shows cells and their state."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from conftest import ROOT

from nldr.__main__ import main


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project folder without results, and work in it."""
    shutil.copytree(ROOT / "workflow", tmp_path / "workflow")
    shutil.copy(ROOT / "config.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setenv("NLDR_RUN_PID", "")
    return tmp_path


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("datasets", "gp Gaussian-process map of an AR latent n_samples=1000"),
        ("methods", "isomap nldr.methods.spectral.isomap.Isomap n_neighbors=5"),
        ("metrics", "trustworthiness_k12 trustworthiness, 12 neighbors"),
        ("studies", "ikd_fig1 R² of the latent and fit time"),
    ],
)
def test_list(root: Path, capsys: pytest.CaptureFixture[str], what: str, line: str) -> None:
    assert main(["list", what]) == 0
    found = [" ".join(shown.split()) for shown in capsys.readouterr().out.splitlines()]
    assert any(shown.startswith(line) for shown in found)


def test_show_prints_the_job_of_a_cell(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "gp@n_features=1000/pca@n_components=3"]) == 0
    text = capsys.readouterr().out
    job = json.loads(text[: text.rindex("}") + 1])
    assert job["job of trial 0"]["params"]["n_components"] == 3
    assert len(job["job of trial 0"]["code"]) == 16
    assert text.endswith("0 trial(s) built\n")


def test_unknown_cell(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "gp@n_features=11"]) == 2
    assert "did you mean 'gp@n_features=10" in capsys.readouterr().err


def test_status_before_any_run(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--scale", "smoke"]) == 0
    assert re.search(r"gallery \(smoke\): 0 of \d+ embeddings: none", capsys.readouterr().out)


def test_mistakes_are_one_line(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "config.yaml").write_text("scale: qick")
    assert main(["status"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_results_without_their_metadata_are_refused(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "results").mkdir()
    assert main(["status"]) == 2
    assert "results/ exists but .snakemake/ is missing" in capsys.readouterr().err


@pytest.mark.parametrize("command", [[], ["list"], ["show"], ["status"], ["schemas"]])
def test_help_has_an_example(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([*command, "--help"])
    assert "python -m nldr " in capsys.readouterr().out


def test_schemas(root: Path) -> None:
    before = {p.name: p.read_text() for p in (root / "workflow/schemas").iterdir()}
    shutil.rmtree(root / "workflow/schemas")
    assert main(["schemas"]) == 0
    assert {p.name: p.read_text() for p in (root / "workflow/schemas").iterdir()} == before
