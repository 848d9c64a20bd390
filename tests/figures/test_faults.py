"""Figures of the record are easy to read, and the check of that finds what is not."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from conftest import copy_from_git, our_plan
from matplotlib.figure import Figure
from sheets import draw_from_build, draw_from_record, find_faults

from nldr.archive.contents import ARCHIVE
from nldr.archive.figures import draw_figures
from nldr.dataset import Dataset
from nldr.engine.planning.plan import make_plan
from nldr.engine.stages.figure import make_figure
from nldr.figures.style import add_note

# Cheap ones, of different functions; all are tested with `make test-recipes`.
FIGURES = (
    "ikd_times",
    "lolagp_prior",
    "lolagp_spheres",
    "mvu_released_collapsed",
    "parametric_fig2",
    "parametric_released",
)


@pytest.fixture(scope="module")
def plan():
    return our_plan("paper")


@pytest.mark.parametrize("name", FIGURES)
def test_figures_of_the_record_have_no_faults(plan, name):
    assert not find_faults(draw_from_record(plan, name))


@pytest.mark.recipe
def test_no_figure_of_the_record_has_faults(plan):
    names = [
        name
        for name, study in plan.owners.items()
        if (plan.root / ARCHIVE / "studies" / study / "table.csv.xz").is_file()
    ]
    assert len(names) > 80
    faults = {name: find_faults(draw_from_record(plan, name)) for name in names}
    assert not {name: some for name, some in faults.items() if some}


@pytest.mark.recipe
@pytest.mark.parametrize(("scale", "studies"), [("smoke", "all"), ("quick", "headline")])
def test_no_figure_of_a_build_has_faults(tmp_path, monkeypatch, scale, studies):
    """Its figures show fewer data than those of the record, and may be smaller."""
    copy_from_git(tmp_path)
    monkeypatch.chdir(tmp_path)
    config = {"scale": scale, "studies": studies}
    plan = make_plan(config, tmp_path)
    names = [name for name, study in plan.owners.items() if study in plan.selected]
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--config"]
    command += [*(f"{key}={value}" for key, value in config.items()), "--"]
    command += [plan.outputs.drawing.format(figure=name) for name in names]
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "src")}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    faults = {name: find_faults(draw_from_build(plan, name)) for name in names}
    assert len(faults) > 30
    assert not {name: some for name, some in faults.items() if some}


@pytest.mark.recipe
def test_figures_of_the_record_are_drawn_by_the_present_code(plan, tmp_path):
    """If this fails, run ``nldr archive --verdicts --scale paper`` and commit the figures."""
    for folder in ("studies", "figures"):
        shutil.copytree(plan.root / ARCHIVE / folder, tmp_path / ARCHIVE / folder)
    assert draw_figures(plan, tmp_path) == []


@pytest.mark.parametrize("name", ["mvu_disjoint", "lolagp_fig1"])
def test_panels_of_the_default_build_have_no_faults(monkeypatch, tmp_path, rng, name):
    """Its figures are smaller than those of the record, so that a note has more lines."""
    monkeypatch.chdir(tmp_path)
    plan = our_plan("quick")
    assert plan.owners[name] in plan.selected
    job = plan.figure_job(name)
    rows, embedded = [], rng.normal(size=(240, 2))
    for data, method in job.cells:
        names = {"data_cell": data, "method_cell": method, "dataset": data.partition("@")[0]}
        names |= {"method": method.partition("@")[0], "status": "ok", "message": ""}
        values = dict.fromkeys(job.metrics, 0.997) | {"seconds": 1.0, "data.n_samples": 240}
        rows += [names | values | {"trial": trial} for trial in range(5)]
    pd.DataFrame(rows).to_csv("table.csv", index=False)
    data = Dataset(X=rng.normal(size=(240, 3)), Z=embedded, y=np.arange(240) % 6)
    panel, history = lambda *_: (data, embedded), lambda *_: np.ones(5)
    assert not find_faults(make_figure(job, "table.csv", "table.csv", None, panel, history))


def test_faults_are_found():
    figure = Figure(figsize=(3, 3))
    full, empty = figure.add_axes((0.2, 0.6, 0.3, 0.3)), figure.add_axes((0.2, 0.1, 0.7, 0.3))
    expected = ["axes at (0.20, 0.60) have no data", "axes at (0.20, 0.10) have no data"]
    assert find_faults(figure) == expected
    empty.remove()
    (line,) = full.plot([0, 1], [0, 1], label="ours")
    full.set_xticks([0.4, 0.5], ["0.400", "0.500"])
    full.text(0.5, 0.5, "small", size=5)
    figure.text(0.3, 0.8, "one"), figure.text(0.3, 0.8, "other")
    figure.legend(handles=[line], loc="lower right")
    add_note(figure, "1\n2\n3\n4")
    faults = find_faults(figure)
    assert "'small' has 5 points" in faults
    assert "'one' overlaps 'other'" in faults
    assert "'0.400' touches '0.500'" in faults
    assert "the legend has one entry: 'ours'" in faults
    assert "the note has 4 lines" in faults
