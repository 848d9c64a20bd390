"""Command line: ``python -m nldr``."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nldr.engine.layout import DATA, EMBEDDING, FIGURE, TABLE
from nldr.engine.plan import Plan, make_plan
from nldr.engine.reading import PlanError, nearest, read_model
from nldr.engine.specs import SCHEMAS, Config
from nldr.engine.status import Status
from nldr.engine.store import atomic, read_meta

EXAMPLES = """examples:
  python -m nldr list methods
  python -m nldr show gp@n_features=10
  python -m nldr show gp@n_features=10/ikd@n_components=3
  python -m nldr status
  python -m nldr status --scale paper
"""


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except PlanError as error:
        print(f"nldr: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m nldr",
        description="Inspect the benchmark: its catalogs, what is built, what failed. "
        "To build it: snakemake --cores 2",
        epilog=EXAMPLES,
        formatter_class=layout,
    )
    parser.add_argument(
        "--root", type=Path, default=Path(), help="the project's folder (default: here)"
    )
    commands = parser.add_subparsers(required=True, metavar="command")

    def add(name: str, function: Any, text: str, example: str) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name, help=text, description=text, epilog=f"example:\n  python -m nldr {example}",
            formatter_class=layout,
        )  # fmt: skip
        command.set_defaults(command=function)
        return command

    command = add("list", _list, "List datasets, methods, metrics or studies.", "list methods")
    command.add_argument("what", choices=["datasets", "methods", "metrics", "studies"])
    command = add(
        "show", _show, "Show parameters, state and provenance of a cell.",
        "show gp@n_features=10/ikd@n_components=3",
    )  # fmt: skip
    command.add_argument("cell", help="<dataset cell> or <dataset cell>/<method cell>")
    _add_scale(command)
    command = add("status", _status, "List what is built, missing and failed.", "status")
    _add_scale(command)
    add("schemas", _schemas, "Write workflow/schemas from the models.", "schemas")
    return parser


def _add_scale(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--scale", choices=["smoke", "quick", "paper"], help="in place of config.yaml's"
    )


def _plan(options: argparse.Namespace) -> Plan:
    config = read_model(Config, options.root, "config.yaml").model_dump()
    if getattr(options, "scale", None):
        config["scale"] = options.scale
    return make_plan(config, options.root.resolve())


def _list(options: argparse.Namespace) -> int:
    plan = _plan(options)
    if options.what == "studies":
        rows = [(name, s.study.title, s.study.source) for name, s in plan.studies.items()]
    elif options.what == "metrics":
        rows = [(name, m.title, m.source) for name, (_, m) in plan.catalog.metrics.items()]
    elif options.what == "methods":
        rows = [
            (name, m.class_, _format_params(m.params)) for name, m in plan.catalog.methods.items()
        ]
    else:
        rows = [
            (name, d.title, _format_params(d.params)) for name, d in plan.catalog.datasets.items()
        ]
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    for row in rows:
        print(f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]}".rstrip())
    return 0


def _format_params(params: dict[str, Any]) -> str:
    return ", ".join(f"{k}={v}" for k, v in params.items())


def _show(options: argparse.Namespace) -> int:
    plan = _plan(options)
    data, _, method = options.cell.partition("/")
    if data not in plan.data or (method and method not in plan.methods):
        known = [
            *plan.data,
            *(f"{p.data}/{p.method}" for s in plan.studies.values() for p in s.pairs),
        ]
        raise PlanError(f"no study has the cell '{options.cell}': {nearest(options.cell, known)}")
    if method:
        job = asdict(plan.embed_job(data, method, 0))
        pattern = EMBEDDING.format(data=data, method=method, trial="{trial}")
    else:
        job = asdict(plan.data_job(data, 0))
        pattern = DATA.format(data=data, trial="{trial}")
    print(json.dumps({"job of trial 0": job}, indent=2))
    files = sorted((options.root / pattern).parent.glob("trial-*.npz"))
    print(f"{len(files)} trial(s) built" + (f" in {files[0].parent}" if files else ""))
    for file in files[:1]:
        print(json.dumps({file.name: read_meta(file)}, indent=2))
    return 0


def _status(options: argparse.Namespace) -> int:
    plan = _plan(options)
    for name, study in plan.studies.items():
        files = plan.study_embeddings(name)
        built = [f for f in files if (options.root / f).is_file()]
        metas = {file: read_meta(options.root / file) for file in built}
        counts = Counter(meta["status"] for meta in metas.values())
        shown = ", ".join(f"{n} {status}" for status, n in counts.most_common()) or "none"
        print(f"{name} ({plan.config.scale}): {len(built)} of {len(files)} embeddings: {shown}")

        figures = [FIGURE.format(figure=figure) for figure in study.figures]
        outputs = [TABLE.format(study=name), *figures]
        missing = [f for f in outputs if not (options.root / f).is_file()]
        print("  missing: " + ", ".join(missing) if missing else "  figures: " + ", ".join(figures))
        for file, meta in metas.items():
            if not Status(meta["status"]).is_ok:
                print(f"  {meta['status']}: {file}: {meta['message']}")
    return 0


def _schemas(options: argparse.Namespace) -> int:
    for name, model in SCHEMAS.items():
        path = options.root / "workflow/schemas" / f"{name}.json"
        with atomic(path) as temporary:
            temporary.write_text(schema_text(model), encoding="utf-8")
    return 0


def schema_text(model: Any) -> str:
    """Return the JSON schema of a model as it stands in ``workflow/schemas``."""
    return json.dumps(model.model_json_schema(by_alias=True), indent=2) + "\n"


if __name__ == "__main__":
    sys.exit(main())
