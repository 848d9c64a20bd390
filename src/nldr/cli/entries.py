"""``nldr list``, ``show`` and ``test``: entries of the catalogs and cells of studies."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from pathlib import Path

from nldr.cli.project import plan_of, read_config
from nldr.engine.files.store import read_meta
from nldr.engine.reading.parsing import PlanError
from nldr.engine.running.progress import tell_mistakes
from nldr.inputs.errors import suggestion


def list_entries(options: argparse.Namespace) -> int:
    """List names, titles and sources or parameters."""
    plan = plan_of(options)
    tell_mistakes(plan, "is")
    catalog = plan.catalog
    if options.what == "studies":
        rows = [(name, s.study.title, s.study.source) for name, s in plan.studies.items()]
    elif options.what == "metrics":
        rows = [(name, m.title, m.source) for name, (_, m) in catalog.metrics.items()]
    elif options.what == "methods":
        rows = [(name, m.class_, _format_params(m.params)) for name, m in catalog.methods.items()]
    else:
        rows = [(name, d.title, _format_params(d.params)) for name, d in catalog.datasets.items()]
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(2)]
    for row in rows:
        print(f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]}".rstrip())
    return 0


def _format_params(params: Mapping[str, object]) -> str:
    return ", ".join(f"{key}={value}" for key, value in params.items())


def show_cell(options: argparse.Namespace) -> int:
    """Show the job of a cell and the metadata of its first trial."""
    plan = plan_of(options)
    data, _, method = options.cell.partition("/")
    pairs = [pair for study in plan.studies.values() for pair in study.pairs]
    numbers = [p.trials for p in pairs if p.data == data and method in ("", p.method)]
    if not numbers:
        # Methods on this dataset, if there is such a dataset; else datasets
        methods = sorted({pair.method for pair in pairs if pair.data == data})
        word, cells = (method, methods) if methods else (data, sorted(plan.data))
        raise PlanError(f"no study has the cell '{options.cell}': {suggestion(word, cells)}")
    # The largest number of trials that a study asks for.
    trials = max(numbers)
    if method:
        facts = plan.embed_job(data, method, trials).of_trial(0)
        manifest = plan.embedding_file(data, method, trials)
    else:
        facts = plan.data_job(data, trials).of_trial(0)
        manifest = plan.data_file(data, trials)
    print(json.dumps({"job of trial 0": facts}, indent=2))
    files = sorted((options.root / manifest).parent.glob("trial-*.npz"))
    print(f"{len(files)} trial(s) built" + (f" in {files[0].parent}" if files else ""))
    for file in files[:1]:
        print(json.dumps({file.name: read_meta(file)}, indent=2))
    return 0


def check_entry(options: argparse.Namespace) -> int:
    """Check an entry of the project's own catalogs."""
    from nldr.testing.command import examine

    root, config = options.root.resolve(), read_config(options)
    # The small study runs in another folder, where relative paths of data files must work as well.
    folder = Path(config.data_dir or os.environ.get("NLDR_DATA_DIR") or root).expanduser()
    os.environ["NLDR_DATA_DIR"] = str(folder.resolve())
    return 0 if examine(root, config.builtin, options.name, options.seconds, options.data) else 1
