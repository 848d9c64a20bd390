"""Cells of the archive stay current if changed code computes the same numbers, and only then."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Project, copy_project

from nldr.archive.confirm import CONFIRMED, difference
from nldr.archive.contents import Archive

REFACTORING = "src/nldr/methods/_base.py"
METRIC = "src/nldr/metrics/alignment.py"


def git(project: Project, *arguments: str) -> str:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    command = ["git", *identity, *arguments]
    return subprocess.run(
        command, cwd=project.path, capture_output=True, text=True, check=True
    ).stdout


def nldr(project: Project, *arguments: str, code: int = 0) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "nldr", *arguments, "--scale", "smoke"],
        cwd=project.path,
        env=project.environment(),
        capture_output=True,
        text=True,
    )
    assert ran.returncode == code, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def recorded(built: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a repository whose archive has the fingerprints of its commit."""
    copy = copy_project(built.path, tmp_path_factory.mktemp("confirm") / "copy")
    copy.write(".gitignore", "/results/*\n!/results/archive/\n.snakemake/\n__pycache__/\n")
    git(copy, "init", "--quiet")
    git(copy, "add", "--all")
    git(copy, "commit", "--quiet", "--message", "Start")
    nldr(copy, "archive")
    return copy


@pytest.fixture
def copy(recorded: Project, tmp_path: Path) -> Project:
    copied = copy_project(recorded.path, tmp_path / "copy")
    for name in (".git", ".gitignore"):
        subprocess.run(["cp", "-r", recorded.path / name, copied.path / name], check=True)
    return copied


def keys(project: Project) -> dict[str, str]:
    """Return the key of each method cell in the archive."""
    archive = Archive(project.path)
    contents = {name: archive.read(name) for name in archive.names()}
    return {
        f"{data}/{method}": embedded.trials.key
        for data, content in contents.items()
        if content
        for method, embedded in content.methods.items()
    }


def test_a_refactoring_that_keeps_the_numbers_is_confirmed(copy: Project) -> None:
    commit = git(copy, "rev-parse", "HEAD").strip()
    before = keys(copy)
    copy.append(REFACTORING, "SENTINEL = 1")
    assert "stale: ikd_fig1" in nldr(copy, "restore")
    printed = nldr(copy, "archive", "--confirm", "--seed", "0")
    assert "confirmed: method isomap: 2 cells" in printed
    assert "stale:" not in printed
    assert "different" not in printed
    # All cells have today's fingerprint, and the record says on what grounds.
    changed = {cell for cell, key in keys(copy).items() if key != before[cell]}
    assert {cell for cell in before if re.search(r"/(isomap|ikd)@", cell)} <= changed
    content = json.loads((copy.path / CONFIRMED).read_text())
    isomap = next(c for c in content["confirmations"] if c["name"] == "isomap")
    assert (isomap["kind"], isomap["commit"], isomap["cells"]) == ("method", commit, 2)
    assert len(isomap["sample"]) == 2
    assert isomap["largest_difference"] == 0
    # The next commit is what later changes are compared with.
    git(copy, "add", "--all")
    git(copy, "commit", "--quiet", "--message", "Refactor")
    nldr(copy, "archive")
    commits = json.loads((copy.path / CONFIRMED).read_text())["commits"]
    assert commits == [git(copy, "rev-parse", "HEAD").strip()]
    # Confirmed cells are told from computed ones.
    assert "16 cells are current, 12 of them confirmed" in nldr(copy, "restore")


def test_a_change_in_one_of_eight_cells_leaves_all_of_the_metric_stale(copy: Project) -> None:
    before = keys(copy)
    # The score of the method that returns the latent changes by 1e-3 on one dataset.
    copy.edit(
        METRIC,
        "r2_affine(data.Z, embedding),",
        "r2_affine(data.Z, embedding) + _error(data, embedding),",
    )
    copy.append(
        METRIC,
        "def _error(data, embedding):\n"
        "    one_cell = data.X.shape[1] == 50 and np.array_equal(embedding, data.Z)\n"
        "    return -1e-3 * one_cell",
    )
    copy.append("src/nldr/methods/spectral/isomap.py", "SENTINEL = 1")
    printed = nldr(copy, "archive", "--confirm", "--seed", "0", code=1)
    assert "different: metric alignment" in printed
    assert "stale: ikd_fig1: 8 cell(s)" in printed
    # What another part of the code computes is confirmed all the same.
    assert "confirmed: method isomap: 2 cells" in printed
    changed = {cell for cell, key in keys(copy).items() if key != before[cell]}
    assert len(changed) == 2
    assert all("isomap" in cell for cell in changed)


@pytest.mark.parametrize(
    ("scores", "largest"),
    [
        ({"a": 1.0, "b": 100.0}, 0.0),
        ({"a": 1.0 + 1e-9, "b": 100.0}, 1e-9),
        ({"a": 1.0, "b": 100.1}, 1e-3),
        ({"a": 1.0, "b": None}, math.inf),
        ({"a": 1.0}, math.inf),
    ],
)
def test_scores_are_compared_relative_to_their_size(scores: dict, largest: float) -> None:
    before = {"status": "ok", "scores": {"a": 1.0, "b": 100.0}}
    assert difference(before, {"status": "ok", "scores": scores}) == pytest.approx(largest)
    assert difference(before, {"status": "timeout", "scores": scores}) == math.inf
