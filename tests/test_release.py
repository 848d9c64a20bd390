"""What a release consists of: packages, metadata of archives, configuration of hosts."""

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile

import pytest
import yaml
from conftest import ROOT, copy_from_git
from packaging.specifiers import SpecifierSet

import nldr

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = yaml.safe_load((ROOT / "recipe/recipe.yaml").read_text(encoding="utf-8"))
ZENODO = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
HOST = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text(encoding="utf-8"))
PAGES = yaml.safe_load((ROOT / ".github/workflows/pages.yml").read_text(encoding="utf-8"))
ON_CONDA = {"lazy-loader": "lazy_loader"}  # under another name than on PyPI
MOST_BYTES = 3_000_000  # of a wheel


def requirements(file):
    """Return the lines of a file of requirements, in small letters."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return [line.lower() for line in lines if line and not line.startswith("#")]


def test_version_and_license_are_those_of_the_package():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.search(r"^## .*\[(.+?)\] - \d{4}-\d\d-\d\d(?: to \S+)?$", changes, re.M)[1]
    assert RECIPE["context"]["version"] == ZENODO["version"] == nldr.__version__
    assert str(CITATION["version"]) == released == nldr.__version__
    assert RECIPE["about"]["license"] == ZENODO["license"] == PROJECT["license"]
    assert [RECIPE["about"]["license_file"]] == PROJECT["license-files"]


def test_words_about_the_project_are_the_same_everywhere():
    assert RECIPE["about"]["summary"] == PROJECT["description"]
    assert ZENODO["keywords"] == CITATION["keywords"] == PROJECT["keywords"]
    assert ZENODO["title"] == CITATION["title"]
    assert ZENODO["description"] == CITATION["abstract"]
    names = [author["name"] for author in PROJECT["authors"]]
    assert [creator["name"] for creator in ZENODO["creators"]] == names


def test_the_conda_recipe_requires_what_the_package_requires():
    expected = [f"python{PROJECT['requires-python']}"]
    for line in requirements("envs/core.in"):
        name, bound = re.fullmatch(r"([\w-]+)(.*)", line).groups()
        expected.append(ON_CONDA.get(name, name) + bound)
    run = [line.replace(" ", "") for line in RECIPE["requirements"]["run"]]
    assert sorted(run) == sorted(expected)
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert set(build) <= {line.replace(" ", "") for line in RECIPE["requirements"]["host"]}
    scripts = [f"{name} = {target}" for name, target in PROJECT["scripts"].items()]
    assert RECIPE["build"]["python"]["entry_points"] == scripts


def test_hosts_serve_what_make_docs_makes():
    (site,) = re.findall(r"-q docs (docs/_build/\w+)\n", (ROOT / "Makefile").read_text())
    make, _, copy = HOST["build"]["commands"]
    steps = PAGES["jobs"]["site"]["steps"]
    assert make.split()[-1] == "docs"
    assert site in copy
    assert "make docs" in [step.get("run") for step in steps]
    assert site in [step.get("with", {}).get("path") for step in steps]


def test_hosts_have_a_supported_python():
    steps = PAGES["jobs"]["site"]["steps"]
    pages = [step["with"]["python-version"] for step in steps if "setup-python" in str(step)]
    supported = SpecifierSet(PROJECT["requires-python"])
    assert all(version in supported for version in [HOST["build"]["tools"]["python"], *pages])


@pytest.mark.recipe
def test_a_wheel_made_of_the_source_package_brings_the_scores(tmp_path):
    copy_from_git(tmp_path / "clone")
    source = build(tmp_path / "clone", "sdist", tmp_path)
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / source.name.removesuffix(".tar.gz")
    assert not (folder / "results").exists()

    wheel = build(folder, "wheel", tmp_path)
    assert wheel.stat().st_size <= MOST_BYTES
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    program = "import nldr; print(nldr.__file__, len(nldr.reference('swiss_roll')))"
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
        check=True,
    )
    path, count = result.stdout.split()
    assert path == str(tmp_path / "installed/nldr/__init__.py")
    assert int(count) > 0


def build(folder, kind, target):
    """Return a package, built by setuptools without network."""
    program = f"from setuptools import build_meta as b; print(b.build_{kind}({str(target)!r}))"
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    return target / result.stdout.split()[-1]
