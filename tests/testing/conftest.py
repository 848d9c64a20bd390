"""A project whose catalogs name good and bad methods, datasets and metrics."""

import shutil
import sys
from pathlib import Path

import pytest
import yaml
from conftest import remember_code

from nldr.cli.new import create_project
from nldr.engine.planning.catalog import Catalog
from nldr.testing.findings import run_checks

HERE = Path(__file__).parent
MODULE = "trial_project"
METHODS = """hangs, dies, raises, changes the data, changes a parameter, needs many rows,
    always two, random, uses the order, not a number, not converged, none"""
DATASETS = """tuple, not a number, global, fixed, copies, sorted, small class, text, mixed, narrow,
    no labels, none"""
METRICS = "other name, text, range, direction, random, order, scale, few, list, none, threads"


def entries():
    """Return catalogs of which each entry does one thing wrong, see planted.py."""
    path, ours = f"{MODULE}.planted", {"source": "ours"}
    projection = {"title": "projection", "family": "pca", "class": f"{path}.Projection"}
    methods, datasets, metrics = {"projection": projection}, {}, {}
    for name, fault in faults(METHODS):
        bad = {"title": fault, "family": "pca", "class": f"{path}.Bad", "params": {"fault": fault}}
        methods[f"bad_{name}"] = bad
    methods["bad_none"]["attributes"] = ["missing_"]
    for name, fault in faults(DATASETS):
        bad = {"title": fault, "function": f"{path}.bad_data", "n_samples": "n_samples", **ours}
        bad |= {"n_features": 3, "n_latent": 2, "labels": True}
        datasets[f"bad_data_{name}"] = bad | {"params": {"n_samples": 400, "fault": fault}}
    without = {"title": "x", "function": f"{path}.without_rng", "params": {"n_samples": 100}}
    datasets["without_rng"] = without | {"n_samples": "n_samples", "n_features": 2, **ours}
    for name, fault in faults(METRICS):
        facts = {"label": "r", "title": name, "range": [-1, 1], "direction": "higher", **ours}
        bad = {"function": f"{path}.bad_metric", "params": {"fault": fault}}
        metrics[f"bad_metric_{name}"] = bad | {"metrics": {f"bad_{name}": facts}}
    metrics["bad_metric_threads"] |= {"params": {"fault": "none"}, "threads": 4}
    return {"methods": methods, "datasets": datasets, "metrics": metrics}


def faults(text):
    """Return pairs of a name and a fault."""
    return [("_".join(fault.split()), " ".join(fault.split())) for fault in text.split(",")]


@pytest.fixture(scope="package")
def project(tmp_path_factory):
    """Return a project made by ``nldr new`` with the entries of planted.py."""
    root = tmp_path_factory.mktemp("trial") / "trial-project"
    create_project(root)
    remember_code(root)
    shutil.copy(HERE / "planted.py", root / f"src/{MODULE}/planted.py")
    for kind, content in entries().items():
        with (root / f"workflow/catalog/{kind}.yaml").open("a") as file:
            file.write("\n" + yaml.safe_dump(content))
    yield root
    sys.path[:] = [path for path in sys.path if not path.startswith(str(root))]


@pytest.fixture(scope="package")
def catalog(project):
    """Return the catalog of the project."""
    result = Catalog(project, project / ".snakemake/nldr/signatures.json", builtin=True)
    result.signatures.save()
    return result


@pytest.fixture(autouse=True)
def _restore_data_folder(monkeypatch):
    """Let no test keep the folder of data that ``nldr test`` sets."""
    monkeypatch.setenv("NLDR_DATA_DIR", "")


@pytest.fixture
def found():
    """Return a function that runs the check of a title, and returns what it finds."""

    def run(checks, title):
        (check,) = (check for check in checks if check.title == title)
        (finding,) = run_checks([check], 30.0)
        return finding

    return run
