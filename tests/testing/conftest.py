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


@pytest.fixture(scope="package")
def project(tmp_path_factory):
    """Return a project made by ``nldr new`` with the entries of planted.py and planted.yaml."""
    root = tmp_path_factory.mktemp("trial") / "trial-project"
    create_project(root)
    remember_code(root)
    shutil.copy(HERE / "planted.py", root / f"src/{MODULE}/planted.py")
    for kind, entries in yaml.safe_load((HERE / "planted.yaml").read_text()).items():
        with (root / f"workflow/catalog/{kind}.yaml").open("a") as file:
            file.write("\n" + yaml.safe_dump(entries))
    yield root
    sys.path[:] = [path for path in sys.path if not path.startswith(str(root))]


@pytest.fixture(scope="package")
def catalog(project):
    """Return the catalog of the project."""
    result = Catalog(project, project / ".snakemake/nldr/signatures.json", builtin=True)
    result.signatures.save()
    return result


@pytest.fixture
def found():
    """Return a function that runs the check of a title, and returns what it finds."""

    def run(checks, title):
        (check,) = (check for check in checks if check.title == title)
        (finding,) = run_checks([check], 30.0)
        return finding

    return run
