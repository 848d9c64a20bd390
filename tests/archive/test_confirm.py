"""Cells of the archive stay current if changed code computes the same numbers, and only then."""

import math
import subprocess
from types import SimpleNamespace

import pytest
from conftest import copy_project

from nldr.archive import confirm as module
from nldr.archive.confirm import History, confirm, difference
from nldr.archive.contents import Archive, DataArchive, Embedded, Fingerprints, Keys, Trials
from nldr.archive.former import worktree
from nldr.engine.reading.parsing import PlanError

METRIC = "src/nldr/metrics/alignment.py"


def git(project, *arguments):
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    command = ["git", *identity, *arguments]
    return subprocess.run(
        command, cwd=project.path, capture_output=True, text=True, check=True
    ).stdout


def commit(project):
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "Change")
    return git(project, "rev-parse", "HEAD").strip()


def nldr(project, *arguments, fails=False):
    return project.run("nldr", *arguments, "--scale", "smoke", fails=fails)


def keys(project):
    """Return the key of each method cell in the archive."""
    archive = Archive(project.path)
    contents = {name: archive.read(name) for name in archive.names()}
    return {
        f"{data}/{method}": embedded.trials.key
        for data, content in contents.items()
        if content
        for method, embedded in content.methods.items()
    }


@pytest.mark.recipe
def test_what_computes_the_same_numbers_is_confirmed(built, tmp_path):
    copy = copy_project(built.path, tmp_path / "copy")
    copy.write(".gitignore", "/results/*\n!/results/archive/\n.snakemake/\n__pycache__/\n")
    git(copy, "init", "--quiet")
    first = commit(copy)
    nldr(copy, "archive")
    before = keys(copy)
    # The score of the method that returns the latent changes by 1e-3 on one dataset of eight cells.
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
    printed = nldr(copy, "archive", "--confirm", "--seed", "0", fails=True)
    assert "different: metric alignment" in printed
    assert "stale: ikd_fig1: 8 cell(s)" in printed
    # What another part of the code computes is confirmed, and the record says on what grounds.
    assert "confirmed: method isomap: 2 cells" in printed
    assert "stale: gallery" not in printed
    changed = {cell for cell, key in keys(copy).items() if key != before[cell]}
    assert changed == {cell for cell in before if "/isomap@" in cell}
    (isomap,) = History.read(copy.path).confirmations
    assert (isomap.kind, isomap.name, isomap.cells) == ("method", "isomap", 2)
    assert isomap.commit == first
    assert len(isomap.sample) == 2
    assert isomap.largest_difference == 0
    # When all cells are current, the next commit is what later changes are compared with.
    git(copy, "checkout", METRIC)
    second = commit(copy)
    nldr(copy, "archive")
    assert History.read(copy.path).commits == [second]
    # Confirmed cells are told from computed ones.
    assert "16 cells are current, 2 of them confirmed" in nldr(copy, "restore")


@pytest.mark.parametrize(
    ("key", "seconds", "line"),
    [("now", 60, "no cell is stale"), ("former", 0, "the time is up: 2 former commits")],
)
def test_no_former_code_is_checked_out_in_vain(tmp_path, monkeypatch, key, seconds, line):
    archive = Archive(tmp_path)
    archive.write("line", DataArchive(Trials("now"), {"pca": Embedded(Trials(key))}))
    History(["b", "a"]).write(tmp_path)
    now = Fingerprints(data={"line": "now"}, embeddings={"line": {"pca": "now"}}, scorings={})
    monkeypatch.setattr(Keys, "everything", lambda _: now)
    monkeypatch.setattr(module, "worktree", lambda *_: pytest.fail("a worktree is made"))
    lines = []
    assert confirm(SimpleNamespace(), archive, seconds, 0, lines.append)
    assert [line in printed for printed in lines] == [True]


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
def test_scores_are_compared_relative_to_their_size(scores, largest):
    before = {"status": "ok", "scores": {"a": 1.0, "b": 100.0}}
    assert difference(before, {"status": "ok", "scores": scores}) == pytest.approx(largest)
    assert difference(before, {"status": "timeout", "scores": scores}) == math.inf


def test_a_clone_without_its_history_is_told_to_fetch_it(tmp_path):
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    remedy = "lacks commit 0123456789ab, to compare with: run git fetch --unshallow"
    with pytest.raises(PlanError, match=remedy), worktree(tmp_path, "0123456789abcdef"):
        pass
