"""A method with an environment of its own, from its files to its table."""

import pytest

from nldr.tables import read_csv

METHOD = """
dummy:
  title: dummy
  family: trimap
  variant: 1
  environment: dummy
  params: {shift: 1.0}
"""
STUDY = """
title: A method with an environment of its own
source: ours
datasets: [swiss_roll: {n_samples: 30}]
methods: [dummy: {shift: [1.0, 2.0]}]
metrics: [continuity_k12]
trials: 1
figure: {function: nldr.figures.dots.dots}
"""
COMMAND = """
import json, sys
folder = sys.argv[1]
parameters = json.load(open(folder + "/parameters.json"))
assert parameters["random_state"] > 0
with open(folder + "/Z.csv", "w") as file:
    for row in range(30):
        print(row + parameters["shift"], row**2, sep=",", file=file)
"""


@pytest.mark.recipe
def test_method_with_an_environment_is_built_on_demand(project):
    project.append("workflow/catalog/methods.yaml", METHOD)
    project.write("workflow/studies/dummy.yaml", STUDY)
    project.write("workflow/environments/dummy/requirements.lock", "")
    project.write("workflow/environments/dummy/run.py", COMMAND)
    build = ("--cores", "1", "dummy", "--config", "scale=smoke")
    output = project.snakemake(*build, fails=True)
    assert "dummy has an environment of its own, which is not installed: add" in output
    output = project.snakemake("-n", "--cores", "1", "--config", "scale=smoke")
    assert "dummy" not in output
    project.snakemake(*build, "environments=true")
    rows = read_csv(project.path / "results/smoke/tables/dummy.csv")
    assert [(row["status"], row["method.shift"]) for row in rows] == [("ok", "1.0"), ("ok", "2.0")]
    # Results depend on the command
    assert project.stale(*build) == set()
    project.append("workflow/environments/dummy/run.py", "# edited")
    assert any("dummy@" in file for file in project.stale(*build))
