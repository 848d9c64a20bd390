"""Files around the code: dependencies, lock file, Makefile, citation, lazy packages, profiles."""

import importlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest
import yaml
from conftest import ROOT
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from nldr import methods

PYTHONS = ["3.11", "3.12", "3.13"]

# What users install: `pip install .` and its extras; then what tests and builds need.
USERS = ("core.in", "networks.in", "umap.in", "exact.in", "bench.in")
EXTRAS = {
    "networks": ["networks.in"],
    "umap": ["umap.in"],
    "exact": ["exact.in"],
    "modern": ["modern.in"],
    "cluster": ["cluster.in"],
    "gpu": ["networks.in", "gpu.txt"],
    "bench": ["bench.in", "networks.in", "umap.in", "exact.in"],
    "all": ["bench.in", "networks.in", "umap.in", "exact.in", "modern.in"],
    "dev": ["dev.in"],
    "docs": ["docs.in"],
}

# Packages with another name on conda-forge or bioconda.
CONDA_NAMES = {"matplotlib": "matplotlib-base", "snakemake": "snakemake-minimal"}


def read_requirements(*names):
    lines = [line for name in names for line in (ROOT / "envs" / name).read_text().splitlines()]
    parsed = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(r.name): r for r in parsed}


def read_lock():
    """Return every pin of the lock file with its hashes."""
    text = (ROOT / "envs" / "requirements.lock").read_text()
    logical = re.sub(r"#.*", "", text).replace("\\\n", " ").splitlines()
    pins = (line.split("--hash=") for line in logical if line.strip())
    return [(Requirement(pin), [h.strip() for h in hashes]) for pin, *hashes in pins]


def test_every_file_of_requirements_is_an_extra_or_the_core():
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["dynamic"]
    assert tools["dependencies"]["file"] == "envs/core.in"
    by_name = {
        name: [file] if isinstance(file := extra["file"], str) else file
        for name, extra in tools["optional-dependencies"].items()
    }
    assert by_name == {name: [f"envs/{file}" for file in files] for name, files in EXTRAS.items()}
    named = {"core.in", *(file for files in EXTRAS.values() for file in files)}
    assert named == {"gpu.txt", *(path.name for path in (ROOT / "envs").glob("*.in"))}
    # No package stands in two files: each has one reason. That for GPUs is jax again.
    named.remove("gpu.txt")
    count = sum(len(read_requirements(name)) for name in named)
    assert count == len(read_requirements(*named))


def test_conda_environment_agrees_with_requirements():
    environment = yaml.safe_load((ROOT / "envs" / "environment.yaml").read_text())
    python, *conda = (Requirement(line) for line in environment["dependencies"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert python.specifier == SpecifierSet(project["requires-python"])
    by_name = {
        canonicalize_name(CONDA_NAMES.get(name, name)): requirement.specifier
        for name, requirement in read_requirements(*USERS).items()
    }
    assert {canonicalize_name(r.name): r.specifier for r in conda} == by_name


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize(
    "machine", [("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")]
)
def test_lock_satisfies_the_requirements(python, machine):
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": machine[0],
        "platform_machine": machine[1],
    }
    active = [r for r, _ in read_lock() if r.marker is None or r.marker.evaluate(environment)]
    versions = {canonicalize_name(r.name): str(r.specifier).removeprefix("==") for r in active}
    assert len(versions) == len(active), "a package is pinned twice"
    expected = read_requirements(*USERS, "cluster.in", "dev.in")
    unsatisfied = {n for n, r in expected.items() if versions.get(n, "none") not in r.specifier}
    assert not unsatisfied, "run make lock"


def test_lock_pins_every_package_exactly_and_with_hashes():
    lock = read_lock()
    assert len(lock) > 50
    text = (ROOT / "envs" / "requirements.lock").read_text()
    assert not re.search(r"://|--(extra-)?index|--find-links|--trusted-host| @ ", text)
    for requirement, hashes in lock:
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), requirement
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", h) for h in hashes), requirement


def outside_make():
    """Return the environment without the variables that a running make sets."""
    return {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}


def test_make_help_lists_every_target():
    text = (ROOT / "Makefile").read_text()
    assert len(text.splitlines()) < 100
    targets = re.search(r"^\.PHONY: (.*)$", text, re.M).group(1).split()
    shown = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True, env=outside_make()
    )
    assert [line.split()[1] for line in shown.stdout.splitlines()] == targets


def test_unsupported_python_is_refused(tmp_path):
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text())
    (tmp_path / "envs").mkdir()
    (tmp_path / "envs" / "requirements.lock").touch()
    # A Python that pretends to be 3.10.
    old = tmp_path / "python3.10"
    program = "import sys; sys.version_info = (3, 10, 13); exec(sys.argv[1])"
    old.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c '{program}' \"$2\"\n")
    old.chmod(0o755)
    result = subprocess.run(
        ["make", f"PYTHON={old}", "run"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=outside_make(),
    )
    assert result.returncode != 0
    assert "nldr needs Python 3.11, 3.12 or 3.13, not 3.10" in result.stderr
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("package", ["datasets", "methods", "metrics"])
def test_every_public_name_can_be_imported(package):
    module = importlib.import_module(f"nldr.{package}")
    assert module.__all__
    for name in module.__all__:
        assert callable(getattr(module, name)), name


def test_packages_do_not_import_heavy_modules():
    program = (
        "import sys, nldr.datasets, nldr.figures, nldr.methods, nldr.metrics\n"
        "print(*sorted({m.partition('.')[0] for m in sys.modules} & set(sys.argv[1:])))"
    )
    heavy = ["matplotlib", "numpy", "openTSNE", "pandas", "scipy", "sklearn"]
    shown = subprocess.run(
        [sys.executable, "-c", program, *heavy], capture_output=True, text=True, check=True
    )
    assert shown.stdout.split() == []


@pytest.mark.parametrize(
    ("package", "use"),
    [
        ("jax", "from nldr.methods import DLMP"),
        ("umap", "from nldr.methods import UMAP; UMAP(n_neighbors=2).fit([[0], [1], [3.0]])"),
        (
            "cvxpy",
            "from nldr.methods import MVU;"
            "MVU(n_neighbors=2, solver='sdp').fit([[0, 1], [1, 0], [3.0, 1], [2, 2]])",
        ),
        ("pydantic", "from nldr.cli import main; main(['list', 'methods'])"),
    ],
)
def test_missing_extra_is_named(package, use):
    # The package is found nowhere.
    hide = f"""
import importlib.util, sys
class Hide:
    def find_spec(self, name, *_):
        if name.partition(".")[0] == "{package}":
            raise ModuleNotFoundError("No module named {package}", name="{package}")
sys.meta_path.insert(0, Hide())
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *a: None if name == "{package}" else found(name, *a)
"""
    ran = subprocess.run([sys.executable, "-c", hide + use], capture_output=True, text=True)
    extra = {"jax": "networks", "umap": "umap", "cvxpy": "exact"}
    assert ran.returncode == 1
    last = ran.stderr.strip().splitlines()[-1]
    assert last.endswith(f"pip install 'nldr[{extra.get(package, 'bench')}]'"), ran.stderr


def test_the_names_of_scikit_learn_lead_to_ours():
    for name, ours in methods.OTHER_NAMES.items():
        assert hasattr(methods, ours)
        with pytest.raises(ImportError, match=f"called {ours} here, not {name}"):
            getattr(methods, name)


def test_a_wheel_holds_what_the_commands_read(tmp_path):
    copied = ("src", "envs", "workflow", "profiles", "docs/templates")
    for name in copied:
        shutil.copytree(
            ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
        )
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "Snakefile", "config.yaml"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "reference.csv.xz").touch()  # in a source package, in place of the record
    program = "from setuptools import build_meta; print(build_meta.build_wheel('dist'))"
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, check=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for folder in ("workflow", "docs/templates"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"nldr/shipped/{path.relative_to(ROOT)}" in names
    expected = {"Snakefile", "config.yaml", "profiles/default/config.yaml", "__init__.py"}
    expected.add("reference.csv.xz")
    assert {f"nldr/shipped/{name}" for name in expected} <= names
    for path in (ROOT / "src/nldr/report").glob("[at]*/*"):
        assert str(path.relative_to(ROOT / "src")) in names or path.suffix == ".pyc"


def read_profile(name):
    return yaml.safe_load((ROOT / "profiles" / name).read_text())


CLUSTERS = sorted(path.parent.name for path in ROOT.glob("profiles/*/cluster.yaml"))


@pytest.mark.parametrize("name", CLUSTERS)
def test_profiles_of_clusters_set_keys_that_the_default_does_not(name):
    cluster, default = read_profile(f"{name}/config.yaml"), read_profile("default/config.yaml")
    assert not cluster.keys() & default.keys()
    # Snakemake itself stays where it was started; jobs run in blocks.
    assert "executor" not in cluster
    assert cluster["configfile"] == [f"profiles/{name}/cluster.yaml"]
