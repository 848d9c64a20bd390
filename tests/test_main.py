"""The command line lists catalogs and studies, and shows cells and their state."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, flip_secretly, remember_code

import nldr
from nldr.cli import main
from nldr.engine.files.store import read_manifest, write_manifest


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    """Put back the variables that the command sets."""
    for name in ("PYTHONPATH", "NLDR_RUN", "JAX_COMPILATION_CACHE_DIR"):
        monkeypatch.setenv(name, "")


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Return a project folder without results, and work in it."""
    shutil.copytree(ROOT / "workflow", tmp_path / "workflow")
    shutil.copy(ROOT / "config.yaml", tmp_path)
    remember_code(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "close"),
    [("statsu", "status"), ("list method", "methods"), ("cost --scale papr", "paper")],
)
def test_close_choice_is_suggested(capsys, words, close):
    *_, wrong = words.split()
    with pytest.raises(SystemExit, match="2"):
        main(words.split())
    assert f"unknown '{wrong}': did you mean '{close}'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("cell", "remedy"),
    [
        ("gp/pca", "did you mean 'gp@"),
        ("swiss_roll@height=10.0@n_samples=150@noise=0.05/pcaa", "pca"),
    ],
)
def test_unknown_cell_is_answered_with_cells_alike(root, capsys, cell, remedy):
    assert main(["show", cell]) == 2
    assert remedy in capsys.readouterr().err


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("datasets", "gp Gaussian-process map of an AR latent n_samples=1000"),
        ("methods", "isomap nldr.methods.spectral.isomap.Isomap n_neighbors=5"),
        ("metrics", "trustworthiness_k12 trustworthiness, 12 neighbors"),
        ("studies", "ikd_fig1 R² of the latent and fit time"),
    ],
)
def test_list(root, capsys, what, line):
    assert main(["list", what]) == 0
    values = [" ".join(shown.split()) for shown in capsys.readouterr().out.splitlines()]
    assert any(shown.startswith(line) for shown in values)


def test_nothing_is_listed_of_a_project_without_studies(root, capsys):
    shutil.rmtree(root / "workflow/studies")
    assert main(["list", "studies"]) == 0
    assert capsys.readouterr().out == ""


def test_reader_may_close_the_output_early(root):
    command = [sys.executable, "-m", "nldr", "cite", "ikd_fig1", "ikd_fig2", "gallery"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_show_prints_the_job_of_a_cell_if_it_is_known(root, capsys):
    assert main(["show", "gp@n_features=1000/pca@n_components=3"]) == 0
    text = capsys.readouterr().out
    job = json.loads(text[: text.rindex("}") + 1])
    assert job["job of trial 0"]["params"]["n_components"] == 3
    assert len(job["job of trial 0"]["code"]) == 16
    assert text.endswith("0 trial(s) built\n")
    assert main(["show", "gp@n_features=11"]) == 2
    assert "did you mean 'gp@n_features=10" in capsys.readouterr().err


def test_status_before_any_run(root, capsys):
    assert main(["status", "--scale", "smoke"]) == 0
    assert re.search(r"gallery \(smoke\): 0 of \d+ embeddings: none", capsys.readouterr().out)


@pytest.mark.parametrize("command", ["list studies", "status", "cost", "cite other"])
def test_commands_tell_the_mistake_in_a_study(root, capsys, command):
    studies = root / "workflow/studies"
    shutil.rmtree(studies)
    studies.mkdir()
    (studies / "other.yaml").write_text("trails: 3")
    (root / "config.yaml").write_text("studies: all")
    main(command.split())
    message = "workflow/studies/other.yaml: unknown key 'trails': did you mean 'trials'?"
    assert message in capsys.readouterr().err


def test_mistakes_are_one_line(root, capsys):
    (root / "config.yaml").write_text("scale: qick")
    assert main(["status"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_scores_of_the_record_are_listed_from_anywhere(tmp_path, capsys, monkeypatch, few_cells):
    monkeypatch.chdir(tmp_path)
    assert main(["reference", "gp@n_features=20", "--metric", "r2_affine"]) == 0
    first, *rows = capsys.readouterr().out.splitlines()
    assert first.split() == ["dataset", "method", "metric", "mean", "sd", "trials"]
    assert len(rows) > 5
    assert main(["reference", "gpp"]) == 2
    assert "no results of 'gpp': did you mean gp?" in capsys.readouterr().err


def test_help_marks_the_commands_that_need_the_engine(capsys):
    assert main([]) == 2
    listed = re.findall(r"^    (\w+) +.*?( \*)?$", capsys.readouterr().out, re.M)
    assert "status" in [name for name, mark in listed if mark]
    plain = {name for name, mark in listed if not mark}
    assert plain == {"compare", "check", "doctor", "diff", "reference"}


def test_names_of_columns_are_separated_by_commas(capsys):
    with pytest.raises(SystemExit):
        main(["doctor", "cells.csv", "--drop", "id", "date"])
    assert "unexpected arguments: date (several columns are sep" in capsys.readouterr().err


def test_names_in_a_file_cannot_control_the_terminal(tmp_path, monkeypatch, capsys):
    """Neither by colors nor by the direction of writing; in messages and in what is printed."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"7,{row},{row * row},u\x1b[2J\n" for row in range(30))
    Path("cells.csv").write_text(f"a\x1b[31m,b,c\u202e,t\n{rows}", encoding="utf-8")
    assert main(["doctor", "cells.csv"]) == 2
    assert "line 2 is 'u\\u001b[2J'" in capsys.readouterr().err
    assert main(["doctor", "cells.csv", "--drop", "t"]) == 0
    assert "no two different values in a\\u001b[31m\n" in capsys.readouterr().out
    # What is told while methods are compared, too
    assert main(["compare", "cells.csv", "--drop", "t", "--methods", "pca"]) == 0
    shown = capsys.readouterr()
    assert "a\\u001b[31m" in shown.err
    assert "\x1b" not in shown.out + shown.err


@pytest.mark.parametrize(
    ("flag", "hint"),
    [
        ("--labels", ": did you mean --label?"),
        ("--labels=x", ": did you mean --label?"),
        ("--colour", ""),
    ],
)
def test_a_misspelled_option_is_suggested(flag, hint, capsys):
    with pytest.raises(SystemExit):
        main(["compare", "cells.csv", flag, "type"])
    assert capsys.readouterr().err.endswith(f"unexpected arguments: {flag} type{hint}\n")


def test_unexpected_arguments_show_the_usage_of_their_command(capsys):
    for arguments, usage in ((["cost", "gallery"], "nldr cost"), (["--scael"], "nldr [-h]")):
        with pytest.raises(SystemExit):
            main(arguments)
        assert capsys.readouterr().err.startswith(f"usage: {usage}")


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"nldr {nldr.__version__}\n"


def main_in(project, *command):
    return main(["--root", str(project.path), *command, "--scale", "smoke"])


CELL = "gp@n_features=10@n_samples=100/pca@n_components=3"
FOLDER = Path("results/embeddings", CELL)


def test_status_and_show_of_what_is_built(copy, capsys):
    assert main_in(copy, "status") == 0
    text = capsys.readouterr().out
    assert "ikd_fig1 (smoke): 16 of 16 embeddings: 16 ok" in text
    assert "gallery (smoke): 8 of 8 embeddings: 8 ok" in text
    assert main_in(copy, "show", CELL) == 0
    text = capsys.readouterr().out
    assert f"2 trial(s) built in {copy.path / FOLDER}" in text
    assert '"status": "ok"' in text
    Path(FOLDER, "trials-2.json").write_text("damaged")
    Path("results/smoke/figures/gallery.pdf").unlink()
    assert main_in(copy, "status") == 0
    text = capsys.readouterr().out
    assert "ikd_fig1 (smoke): 14 of 16" in text
    assert "missing: results/smoke/figures/gallery.pdf" in text


def test_verify_removes_what_was_changed_or_is_damaged(copy, capsys):
    assert main_in(copy, "verify") == 0
    assert "all results are intact" in capsys.readouterr().out
    # A change under the old time, which a run would not see.
    trial, manifest = FOLDER / "trial-0.npz", FOLDER / "trials-2.json"
    flip_secretly(trial)
    assert main_in(copy, "verify") == 1
    text = capsys.readouterr().out
    assert f"{manifest}: {trial} was changed" in text
    assert "1 result(s) will be recomputed by the next run" in text
    assert not manifest.exists()
    # What is damaged is removed, and told once.
    manifest.write_text("damaged")
    cache = Path("results/scores") / FOLDER.relative_to("results/embeddings") / "cache.jsonl"
    n_lines = cache.read_text().count("\n")
    with cache.open("a") as file:
        file.write("{}\n")
    assert main_in(copy, "verify") == 1
    assert not manifest.exists()
    text = capsys.readouterr().out
    assert f"{cache}: 1 damaged line(s), whose scores are recomputed when needed" in text
    assert cache.read_text().count("\n") == n_lines
    main_in(copy, "verify")
    assert "damaged" not in capsys.readouterr().out
    # A damaged cache alone is not what was made, either
    cache.write_text("damaged\n")
    assert main_in(copy, "verify") == 1
    assert "all results" not in capsys.readouterr().out


def test_report_of_a_damaged_result_ends_in_one_line(copy, capsys):
    """The damaged file is removed, so that the next run makes it again."""
    (manifest, *_) = copy.path.glob("results/scores/gp@n_features=50*/ikd*/*/trials-2.json")
    manifest.write_text("{}")
    Path("results/smoke/tables/ikd_fig1_summary.csv").unlink()
    assert main_in(copy, "report") == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith("nldr: report report: results/scores/gp@n_features=50")
    assert message.endswith("was changed: it was removed: run again to make it anew")
    assert not manifest.exists()


def test_verify_removes_nothing_outside_the_results(copy, tmp_path, capsys):
    outside = tmp_path / "outside"
    FOLDER.rename(outside)
    FOLDER.symlink_to(outside)
    (outside / "trial-0.npz").write_bytes(b"damaged")
    cache = Path("results/scores") / FOLDER.relative_to("results/embeddings") / "cache.jsonl"
    cache.write_text("damaged\n")
    assert main_in(copy, "verify") == 1
    text = capsys.readouterr().out
    assert f"{FOLDER}/trial-0.npz was changed" in text
    assert f"{cache}: 1 damaged line(s), whose scores are recomputed when needed" in text
    assert (outside / "trials-2.json").exists()


def test_retry(copy, capsys):
    assert main_in(copy, "retry", "--status", "timeout") == 0
    assert "0 result(s) with status timeout" in capsys.readouterr().out
    # One trial of two timed out, and so did one score.
    manifest = FOLDER / "trials-2.json"
    content = read_manifest(manifest)
    content["trials"][1]["status"] = "timeout"
    write_manifest(manifest, **content)
    scores = Path("results/scores", CELL, "alignment/trials-2.json")
    content = read_manifest(scores)
    failure = {"scorer": "alignment", "status": "timeout", "message": "too slow"}
    content["trials"][0]["failures"] = [failure]
    write_manifest(scores, **content)
    cache = scores.parents[1] / "cache.jsonl"
    lines = cache.read_text().splitlines()
    cache.write_text("\n".join([lines[0].replace('"ok"', '"timeout"'), *lines[1:]]) + "\n")
    assert main_in(copy, "retry", "--status", "timeout") == 0
    assert "2 result(s) with status timeout will be recomputed" in capsys.readouterr().out
    assert sorted(path.name for path in FOLDER.iterdir()) == ["trial-0.npz"]
    assert not scores.exists()
    assert cache.read_text().splitlines() == lines[1:]


def test_retry_removes_nothing_beside_the_trials(copy):
    manifest, other = FOLDER / "trials-2.json", Path("results/other.txt")
    other.write_text("kept")
    content = read_manifest(manifest)
    name = os.path.relpath(other, FOLDER)
    content["trials"][1] |= {"status": "timeout", "file": name}
    write_manifest(manifest, **content)
    assert main_in(copy, "retry", "--status", "timeout") == 0
    assert other.read_text() == "kept"
    assert not manifest.exists()


def test_schemas(root):
    before = {p.name: p.read_text() for p in (root / "workflow/schemas").iterdir()}
    shutil.rmtree(root / "workflow/schemas")
    assert main(["schemas"]) == 0
    assert {p.name: p.read_text() for p in (root / "workflow/schemas").iterdir()} == before
