"""A build with the newest Snakemake that pip offers, which may be newer than the one tested."""

import os
import subprocess
import sys

import pytest

SMOKE = ("--cores", "2", "--config", "scale=smoke", "--", "ikd_fig1")


@pytest.mark.newest
def test_smoke_study_builds_with_the_newest_snakemake(project, tmp_path, monkeypatch):
    # Packages in this folder hide those of the lock file.
    packages = tmp_path / "packages"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--target", packages, "--upgrade", "snakemake"], check=True)
    environment = project.environment()
    path = os.pathsep.join([environment["PYTHONPATH"], str(packages)])
    monkeypatch.setattr(type(project), "environment", lambda _: environment | {"PYTHONPATH": path})
    print("Snakemake", project.snakemake("--version").strip())
    output = project.snakemake(*SMOKE)
    # The table is there, and Snakemake's lines about single jobs are not.
    assert (project.path / "results/smoke/tables/ikd_fig1.csv").is_file()
    assert "rule embed" not in output
