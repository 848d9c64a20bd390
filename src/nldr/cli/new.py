"""``nldr new`` and ``schemas``: a folder for a benchmark of one's own, and schemas for editors."""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path

from pydantic import BaseModel

from nldr import shipped
from nldr.cli.references import References
from nldr.engine.files.store import atomic
from nldr.engine.reading.claims import Causes, ClaimFile, Deciders
from nldr.engine.reading.entries import (
    DatasetCatalog,
    FamilyCatalog,
    MethodCatalog,
    MetricCatalog,
    WrapperCatalog,
)
from nldr.engine.reading.parsing import PlanError
from nldr.engine.reading.specs import Config, Study

SCHEMAS: dict[str, type[BaseModel]] = {
    "config": Config,
    "study": Study,
    "claims": ClaimFile,
    "datasets": DatasetCatalog,
    "methods": MethodCatalog,
    "families": FamilyCatalog,
    "metrics": MetricCatalog,
    "wrappers": WrapperCatalog,
    "references": References,
    "deciders": Deciders,
    "causes": Causes,
}
# Template → place in the project; {module} is the name of its Python package.
PLACES = {
    "method.py": "src/{module}/methods.py",
    "dataset.py": "src/{module}/datasets.py",
    "metric.py": "src/{module}/metrics.py",
    "figure.py": "src/{module}/figures.py",
    "methods.yaml": "workflow/catalog/methods.yaml",
    "families.yaml": "workflow/catalog/families.yaml",
    "datasets.yaml": "workflow/catalog/datasets.yaml",
    "metrics.yaml": "workflow/catalog/metrics.yaml",
    "study.yaml": "workflow/studies/mine.yaml",
    "claims.yaml": "workflow/claims/mine.yaml",
}

SNAKEFILE = """\
# The project's own studies: `snakemake --cores 2`. One of them: `snakemake --cores 2 mine`. Studies
# that come with nldr can be named too: `snakemake --cores 2 gallery`.
from nldr import shipped


include: str(shipped.root() / "Snakefile")


rule own:
    default_target: True
    input:
        rules.all.input,


# Rules of your own go here.
"""

CONFIG = """\
# yaml-language-server: $schema=workflow/schemas/config.json
# Any key can be set for one run: snakemake --cores 2 --config scale=paper

builtin: true # add what comes with nldr: its catalogs, studies and published numbers
studies: own # the studies in workflow/studies; all: those that come with nldr too; or a list
scale: quick # smoke (seconds), quick (minutes), paper (full size)
budget: null # 90m, 4h, 2d: build the studies that fit into this time
data_dir: null # a folder of downloaded originals, tried before any download
"""

IGNORED = """\
/results/
/.snakemake/
__pycache__/
"""

MODULE = '''\
"""Methods, datasets, metrics and figures of this project, which the files in workflow/ name."""
'''

README = """\
# {name}

A benchmark of dimensionality reduction, made by `nldr new {name}`.

| to do | command |
|---|---|
| build the project's studies | `snakemake --cores 2` |
| see whether it works, in seconds | `snakemake --cores 2 --config scale=smoke` |
| check a new method, dataset or metric | `nldr test mine` |
| list what can be named in a study | `nldr list methods` (`datasets`, `metrics`, `studies`) |
| list what is built and what failed | `nldr status` |
| forecast time, memory and disk | `nldr cost` |
| show a claim with its evidence | `nldr claim mine-01` |

The files are an example that runs: a method, a dataset, a metric, a figure, a study of them beside
methods and datasets that come with nldr, and a claim. Rename `mine`, and replace the lines that are
marked `CHANGE`. Delete what you do not need.

- `src/{module}/`: the code.
- `workflow/catalog/`: names, import paths and defaults. Names that come with nldr are taken.
- `workflow/studies/`: datasets × methods × metrics × trials, and the figures.
- `workflow/claims/`: claims that the numbers decide.
- `workflow/published/`: published numbers as CSV files, which a study may name.
- `results/`: the results of runs.
"""

PUBLISHED = """\
# Published numbers

One CSV file per table of a paper: a row per setting, with columns for dataset, method, parameters
and values. A study that compares its results with such a file names it:

```yaml
published:
  file: mine.csv
  keys: {dataset: dataset, method: method} # column of the file: column of our table
  values: {mine_k10: [mean, sd]} # our metric: columns with its mean and standard deviation
```
"""


def new(options: argparse.Namespace) -> int:
    """Create a project and say what to do there."""
    files = create_project(options.folder)
    print(
        f"{options.folder}: {len(files)} files. README.md says what they are. To build them:\n"
        f"  cd {options.folder}\n  snakemake --cores 2"
    )
    return 0


def schemas(options: argparse.Namespace) -> int:
    """Write the schemas of all files that users write."""
    for name, model in SCHEMAS.items():
        path = options.root / "workflow/schemas" / f"{name}.json"
        with atomic(path) as temporary:
            temporary.write_text(schema_text(model), encoding="utf-8")
    return 0


def schema_text(model: type[BaseModel]) -> str:
    """Return the JSON schema of a model as it stands in ``workflow/schemas``."""
    return json.dumps(model.model_json_schema(by_alias=True), indent=2) + "\n"


def create_project(folder: Path) -> list[str]:
    """Create a project and return its files.

    The name of the folder becomes that of the project's Python package, with ``_`` for ``-``.
    Raises PlanError if the folder is not empty, or if its name is no name for a package or that of
    another one.
    """
    module = re.sub(r"[-. ]", "_", folder.resolve().name.lower())
    if not module.isidentifier() or iskeyword(module):
        remedy = "begin with a letter, use letters, digits and -, and no keyword of Python"
        raise PlanError(f"'{module}' is not a valid name of a Python package: {remedy}")
    if find_spec(module) is not None:
        raise PlanError(f"Python has a package '{module}' already: choose another name")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise PlanError(f"{folder}: exists and is not empty: choose another folder")
    files = dict(_files(folder.resolve().name, module))
    for file, text in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    shutil.copytree(shipped.root() / "profiles", folder / "profiles")
    return [*files, "profiles/default/config.yaml", "profiles/slurm/config.yaml"]


def _files(name: str, module: str) -> Iterator[tuple[str, str]]:
    """Yield the files of a project with their content."""
    yield "README.md", README.format(name=name, module=module)
    yield "Snakefile", SNAKEFILE
    yield "config.yaml", CONFIG
    yield ".gitignore", IGNORED
    yield f"src/{module}/__init__.py", MODULE
    for template, place in PLACES.items():
        text = (shipped.root() / "docs/templates" / template).read_text(encoding="utf-8")
        yield place.format(module=module), _adapt(text, module, Path(place).stem)
    yield "workflow/published/README.md", PUBLISHED
    # Editors check the YAML files against these.
    for model in SCHEMAS:
        yield f"workflow/schemas/{model}.json", schema_text(SCHEMAS[model])


def _adapt(text: str, module: str, stem: str) -> str:
    """Return a template of the checkout as it stands in a project."""
    # Modules: nldr.methods.mine.Mine is {module}.methods.Mine here.
    text = re.sub(r"nldr\.(methods|datasets|metrics|figures)\.mine\b", rf"{module}.\1", text)
    # What to do with the template is done.
    text = re.sub(r"Copy this file to [\w/.]+\. ", "", text)
    text = re.sub(r"Copy this file to [\w/.]+; ", "", text)
    schema = f"# yaml-language-server: $schema=../schemas/{stem}.json"
    text = re.sub(r"# Append this entry to [\w/.]+\.", schema, text)
    return text.lstrip("\n").replace("python -m nldr", "nldr")
