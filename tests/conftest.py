"""Fixtures: random numbers, and copies of the project to run Snakemake in."""

import csv
import fcntl
import functools
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
STUDIES, CLAIMS = ROOT / "tests/studies", ROOT / "tests/claimed"
# The file of signatures that all plans share: to find them takes seconds.
SIGNATURES = ROOT / ".pytest_cache/signatures.json"
PARTS = ("Snakefile", "config.yaml", "workflow", "profiles", "src", "envs")

# The same examples in each run, and no time limit that a busy machine could exceed.
hypothesis.settings.register_profile("nldr", deadline=None, derandomize=True, max_examples=50)
hypothesis.settings.load_profile("nldr")

# XLA compiles each small network for longer than it then runs: without optimization, a third less.
os.environ.setdefault(
    "XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
)


@dataclass(frozen=True)
class Project:
    """A copy of the project in a folder of its own."""

    path: Path

    def write(self, file, text):
        """Write a file of the copy."""
        target = self.path / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def edit(self, file, old, new):
        """Replace a text that stands in a file."""
        target = self.path / file
        text = target.read_text(encoding="utf-8")
        assert old in text
        target.write_text(text.replace(old, new), encoding="utf-8")

    def append(self, file, text):
        """Add a line of code to a file."""
        target = self.path / file
        target.write_text(f"{target.read_text(encoding='utf-8')}\n{text}\n", encoding="utf-8")

    def environment(self):
        """Return the environment in which the copy's own sources are used."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("NLDR_", "SNAKEMAKE_"))}
        return kept | {"PYTHONPATH": str(self.path / "src")}

    def snakemake(self, *arguments, fails=False):
        """Run Snakemake in the copy and return what it prints."""
        return self.run("snakemake", *arguments, fails=fails)

    def run(self, *command, fails=False):
        """Run a module of Python in the copy and return what it prints."""
        ran = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=self.path,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=600,
        )
        output = ran.stdout + ran.stderr
        assert (ran.returncode != 0) == fails, output[-5000:]
        return output

    def stale(self, *arguments):
        """Return the files that a run would make."""
        return outputs(self.snakemake("-n", *arguments))

    def tables(self):
        """Return all tables by name."""
        return {
            p.name: p.read_bytes() for p in sorted(self.path.glob("results/smoke/tables/[!.]*"))
        }

    def plan(self, scale="smoke"):
        """Return a plan of the copy."""
        from nldr.engine.planning.plan import Plan

        return Plan({"scale": scale}, self.path, SIGNATURES)

    def start(self, *arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, under=()):
        """Start Snakemake in the copy, in a process group of its own."""
        return subprocess.Popen(
            [*under, sys.executable, "-m", "snakemake", *arguments],
            cwd=self.path,
            env=self.environment(),
            start_new_session=True,
            stdout=stdout,
            stderr=stderr,
        )


def load(path):
    """Return a script of the documentation as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outputs(printed):
    """Return the files that the rules of a dry run would make."""
    listed = re.findall(r"^rule \w+:\n(?:    input: .*\n)?    output: (.*)$", printed, re.M)
    return {file for line in listed for file in line.split(", ") if "=" in file or "/" in file}


@pytest.fixture
def rng():
    """Return the test's own generator: its draws do not depend on other tests.

    NLDR_TEST_SEED sets another seed, to see that a test holds for more than one draw.
    """
    return np.random.default_rng(int(os.environ.get("NLDR_TEST_SEED", 0)))


@pytest.fixture
def project(tmp_path):
    """Return a copy of the project without results."""
    return copy_project(ROOT, tmp_path / "project")


def copy_project(source, target, studies=STUDIES):
    """Copy a project with whatever it has built, times of files included.

    A copy of ours gets the studies and claims of the tests, so that counts do not change with ours,
    and no causes of numbers that differ.
    """
    target.mkdir(parents=True)
    for part in (*PARTS, "results", ".snakemake"):
        if (source / part).is_file():
            shutil.copy2(source / part, target / part)
        elif (source / part).is_dir() and (source != ROOT or part in PARTS):
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(source / part, target / part, ignore=ignored)
    if source == ROOT:
        shutil.rmtree(target / "workflow/studies")
        shutil.copytree(studies, target / "workflow/studies")
        shutil.rmtree(target / "workflow/claims", ignore_errors=True)
        shutil.copytree(CLAIMS, target / "workflow/claims")
        (target / "workflow/published/causes.yaml").write_text("{}\n")
        Project(target).edit("config.yaml", "studies: headline", "studies: all")
        remember_code(target)
    return Project(target)


def copy_from_git(folder):
    """Copy the files of the project that git has, as a clone has them."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, files.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


@functools.cache
def our_plan(scale="smoke"):
    """Return the plan of our own studies, which all tests of a process share."""
    return Project(ROOT).plan(scale)


def remember_code(root):
    """Give a project what our plans have found about code, as if it had run before."""
    from nldr.engine.code.parsed import FILE

    our_plan()
    folder = root / ".snakemake/nldr"
    folder.mkdir(parents=True, exist_ok=True)
    for file in (SIGNATURES, SIGNATURES.with_name(FILE)):
        shutil.copy(file, folder)


def write_rows(path, rows):
    """Write a CSV file with all columns of its rows, and return its path."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(key for row in rows for key in row)))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def write_trials(folder, trials):
    """Write the trials of a cell, arrays or the status of a failure, and return the manifest."""
    from nldr.engine.files.store import write_manifest, write_npz

    rows = []
    for trial, arrays in enumerate(trials):
        failed = isinstance(arrays, str)
        entry = write_npz(Path(folder, f"trial-{trial}.npz"), {} if failed else arrays, {})
        status, message = (arrays, "too bad") if failed else ("ok", "")
        rows.append({"trial": trial, **entry, "status": status, "message": message})
    manifest = Path(folder, f"trials-{len(rows)}.json")
    write_manifest(manifest, key="", trials=rows)
    return str(manifest)


def flip(path):
    """Change one bit in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def flip_secretly(path):
    """Change one bit of a file, whose time stays."""
    time_ns = path.stat().st_mtime_ns
    flip(path)
    os.utime(path, ns=(time_ns, time_ns))


def problems_of(plan, targets=(), thorough=False):
    """Return the results of a plan that are out of date, each with the reason."""
    from nldr.engine.freshness.health import find_problems

    return find_problems(plan, targets, thorough)


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Return a copy with everything built at scale smoke; do not change it: copy it.

    The first process of a run that needs the copy builds it, the others wait.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # which all processes of the run share
    with (folder / "built.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "built").exists():
            project = copy_project(ROOT, folder / "building")
            output = project.snakemake("--cores", "2", "--config", "scale=smoke")
            project.write("built.txt", output)
            project.path.rename(folder / "built")
    return Project(folder / "built")


@pytest.fixture
def copy(built, tmp_path, monkeypatch):
    """Work in a copy in which everything is built."""
    copied = copy_project(built.path, tmp_path / "copy")
    monkeypatch.chdir(copied.path)
    return copied


@pytest.fixture(scope="module")
def few_cells(tmp_path_factory):
    """Read some cells of the record only: all of them take ten seconds."""
    from nldr.metrics import reference

    folder = tmp_path_factory.mktemp("cells")
    for dataset in ("digits", "gp", "spheres"):
        for file in (ROOT / reference.CELLS).glob(f"{dataset}[@.]*"):
            (folder / file.name).symlink_to(file)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "CELLS", folder)
        reference._rows.cache_clear()
        yield
    reference._rows.cache_clear()


@pytest.fixture
def root(tmp_path):
    """Return a project folder with the real catalogs, and no study and no claim."""
    return catalogs_alone(tmp_path)


def catalogs_alone(folder):
    """Copy what a project has in workflow/ but for studies and claims, and return the folder."""
    shutil.copytree(ROOT / "workflow", folder / "workflow")
    for kind in ("studies", "claims"):
        for file in (folder / "workflow" / kind).iterdir():
            file.unlink()
    return folder


def pytest_collection_modifyitems(items):
    """Start with the longest tests, then those for which each process compiles umap-learn."""

    def position(item):
        name = item.nodeid.lower()
        return "test_workflow" not in name, "umap" not in name and "densmap" not in name

    items.sort(key=position)
