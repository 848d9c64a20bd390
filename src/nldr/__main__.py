"""Command line: ``nldr``, or ``python -m nldr``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

try:
    from nldr.archive import commands as archive_commands
    from nldr.cli import cite, new, noise
    from nldr.engine.cost import records
    from nldr.engine.files.layout import RECORDS, SCORE_CACHE, Outputs
    from nldr.engine.files.status import Status
    from nldr.engine.files.store import Damaged, atomic, read_manifest, read_meta
    from nldr.engine.freshness import health
    from nldr.engine.planning import budget
    from nldr.engine.planning.plan import Plan, make_plan
    from nldr.engine.planning.schemas import SCHEMAS, schema_text
    from nldr.engine.reading.parsing import PlanError, nearest, read_model
    from nldr.engine.reading.specs import Config
    from nldr.engine.running import cells
    from nldr.engine.running.build import Build
    from nldr.engine.stages import tally
    from nldr.engine.stages.claim_page import by_claim, format_claim
except ModuleNotFoundError as error:
    if str(error.name).partition(".")[0] == "nldr":
        raise
    sys.exit(f"nldr: {error}: commands need the engine: pip install 'nldr[bench]'")

EXAMPLES = """examples:
  nldr list methods
  nldr show gp@n_features=10
  nldr show gp@n_features=10/ikd@n_components=3
  nldr status
  nldr status --scale paper
  nldr claim ikd-04
  nldr noise
  nldr cost --scale paper
  nldr retry --status timeout
  nldr verify
  nldr recompute --cells 20
  nldr cite ikd_fig1
  nldr new my-benchmark
  nldr test mine
"""


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code = options.command(options)
        sys.stdout.flush()
        return code
    except PlanError as error:
        print(f"nldr: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever reads the output, such as head, has enough: what is left goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nldr",
        description="Inspect the benchmark: its catalogs, what is built, what failed. "
        "To build it: snakemake --cores 2",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--root", type=Path, default=Path(), help="the project's folder (default: here)"
    )
    _add_commands(parser.add_subparsers(required=True, metavar="command"))
    return parser


def _add_commands(commands: Any) -> None:
    def add(name: str, function: Any, text: str, example: str) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name, help=text, description=text, epilog=f"example:\n  nldr {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
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
    command = add("claim", _claim, "Show a claim, its verdict and evidence.", "claim ikd-04")
    command.add_argument("name", help="name of a claim, or all for one line per claim")
    _add_scale(command)
    command = add("verdicts", _verdicts, "Count verdicts on published numbers.", "verdicts")
    _add_scale(command)
    command = add("noise", _noise, "Divide variances among data, seeds and machine.", "noise")
    _add_scale(command)
    command = add("cost", _cost, "Forecast jobs, time, memory and disk.", "cost --scale paper")
    command.add_argument(
        "--cores", type=_count, default=os.cpu_count(), help="default: %(default)s"
    )
    _add_scale(command)
    add("records", _records, "Add this folder's records to workflow/records.csv.", "records")
    command = add("verify", _verify, "Read all results and find what was changed.", "verify")
    _add_scale(command)
    command = add("retry", _retry, "Repeat trials that failed.", "retry --status timeout")
    failing = [status.value for status in Status if status.failed]
    command.add_argument("--status", choices=failing, required=True, help="which ones")
    _add_scale(command)
    command = add("report", _report, "Make the report from what is built.", "report")
    _add_scale(command)
    command = add("new", _new, "Create a folder for your own benchmark.", "new my-benchmark")
    command.add_argument("folder", type=Path, help="folder to create")
    command = add("test", _test, "Check your own method, dataset or metric.", "test mine")
    command.add_argument("name", help="its name in the catalog")
    command.add_argument("--seconds", type=float, default=30.0, help="limit; default: %(default)g")
    command.add_argument(
        "--data", default="swiss_roll", help="to try methods and metrics on; default: %(default)s"
    )
    archive_commands.add_commands(add, _plan)
    command = add("cite", _cite, "Print BibTeX of the works behind studies.", "cite ikd_fig1")
    command.add_argument("studies", nargs="+", metavar="study", help="its name, or all")
    add("schemas", _schemas, "Write workflow/schemas from the models.", "schemas")


def _add_scale(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--scale", choices=["smoke", "quick", "paper"], help="in place of config.yaml's"
    )


def _config(options: argparse.Namespace) -> Config:
    if not (options.root / "config.yaml").is_file():
        raise PlanError(f"{options.root.resolve()} is no project, as it has no config.yaml: go to "
                        "one, name it with --root, or: nldr new my-benchmark")  # fmt: skip
    config = read_model(Config, options.root, "config.yaml")
    scale = getattr(options, "scale", None)
    return config.model_copy(update={"scale": scale}) if scale else config


def _plan(options: argparse.Namespace) -> Plan:
    return make_plan(_config(options).model_dump(), options.root.resolve())


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
    # The largest number of trials that a study asks for.
    pairs = [p for study in plan.studies.values() for p in study.pairs if p.data == data]
    trials = max(pair.trials for pair in pairs if not method or pair.method == method)
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


def _status(options: argparse.Namespace) -> int:
    plan = _plan(options)
    for name, study in ((name, plan.studies[name]) for name in plan.everything):
        counts: Counter[str] = Counter()
        failures: list[str] = []
        for pair in study.pairs:
            path = plan.embedding_file(pair.data, pair.method, pair.trials)
            for row in _rows(options.root / path):
                counts[row["status"]] += 1
                if not Status(row["status"]).is_ok:
                    where = f"{pair.data}/{pair.method}, trial {row['trial']}"
                    failures.append(f"  {row['status']}: {where}: {row['message']}")
        shown = ", ".join(f"{n} {status}" for status, n in counts.most_common()) or "none"
        planned = sum(pair.trials for pair in study.pairs)
        print(f"{name} ({plan.config.scale}): {sum(counts.values())} of {planned} embeddings: "
              f"{shown}")  # fmt: skip

        figures = plan.figure_files(name)
        outputs = [plan.outputs.table.format(study=name), *figures]
        missing = [f for f in outputs if not (options.root / f).is_file()]
        print("  missing: " + ", ".join(missing) if missing else "  figures: " + ", ".join(figures))
        for failure in failures:
            print(failure)
    os.chdir(options.root)
    for line in health.tell_changes(health.find_problems(plan)):
        print(line)
    return 0


def _rows(path: Path) -> list[dict[str, Any]]:
    """Return the trials of a manifest; none if it is missing or damaged."""
    try:
        return read_manifest(path)["trials"]
    except Damaged:
        return []


def _claim(options: argparse.Namespace) -> int:
    file = options.root / Outputs(_config(options).scale).claim_details
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PlanError(f"{file}: no claim is decided yet: snakemake --cores 2 claims") from None
    claims = dict(by_claim(found["claims"]))
    if options.name == "all":
        for name, rows in claims.items():
            print(f"{name:<9} {rows[0]['verdict']:<24} {rows[0]['statement']}")
        return 0
    if options.name not in claims:
        raise PlanError(f"unknown claim '{options.name}': {nearest(options.name, list(claims))}")
    print(format_claim(claims[options.name], found["scale"]))
    return 0


def _verdicts(options: argparse.Namespace) -> int:
    tallies = tally.count_published(_plan(options), options.root)
    print(tally.format_tallies(tallies) if tallies else "no published number is decided yet")
    return 0


def _noise(options: argparse.Namespace) -> int:
    print(noise.noise_text(_plan(options), options.root))
    return 0


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number ≥ 1")
    return int(text)


def _cost(options: argparse.Namespace) -> int:
    os.chdir(options.root)
    plan = _plan(options)
    print(budget.table(plan, options.cores, health.find_problems(plan)))
    return 0


def _cite(options: argparse.Namespace) -> int:
    plan = _plan(options)
    chosen = list(plan.studies) if options.studies == ["all"] else options.studies
    for name in chosen:
        if name not in plan.studies:
            raise PlanError(f"unknown study '{name}': {nearest(name, list(plan.studies))}")
    print(cite.bibliography(plan, chosen))
    return 0


def _records(options: argparse.Namespace) -> int:
    made = records.read_records(options.root / RECORDS)
    shipped = records.read_records(options.root / records.SHIPPED)
    records.write_records(options.root / records.SHIPPED, (shipped | made).values())
    print(f"{records.SHIPPED}: {len(made.keys() - shipped.keys())} new records, "
          f"{len(made.keys() & shipped.keys())} replaced")  # fmt: skip
    return 0


def _verify(options: argparse.Namespace) -> int:
    plan = _plan(options)
    os.chdir(options.root)
    problems = health.find_problems(plan, thorough=True)
    for path, problem in problems.items():
        print(f"{path}: out of date" if problem.detail == path else f"{path}: {problem.detail}")
        # Files that only a thorough look finds wrong would be trusted by the next run.
        if problem.reason == health.FILES:
            Path(path).unlink()
    print(f"{len(problems)} result(s) will be made again by the next run" if problems else
          "all results are what was made, from today's code and parameters")  # fmt: skip
    return 1 if problems else 0


def _retry(options: argparse.Namespace) -> int:
    plan = _plan(options)
    os.chdir(options.root)
    removed = 0
    for name, study in plan.studies.items():
        for pair in study.pairs:
            manifest = Path(plan.embedding_file(pair.data, pair.method, pair.trials))
            chosen = [row for row in _rows(manifest) if row["status"] == options.status]
            for row in chosen:
                (manifest.parent / row.get("file", "none")).unlink(missing_ok=True)
            if chosen:
                manifest.unlink()
            if any(row.get("stage") == "data" for row in chosen):
                Path(plan.data_file(pair.data, pair.trials)).unlink(missing_ok=True)
            removed += len(chosen)
            removed += _forget_scores(Path(plan.score_file(pair, name)), options.status)
    print(f"{removed} result(s) with status {options.status} will be made again by the next run")
    return 0


def _forget_scores(manifest: Path, status: str) -> int:
    """Remove scores that failed with a status; return their number."""
    failed = [f for row in _rows(manifest) for f in row["failures"] if f["status"] == status]
    if failed:
        manifest.unlink()
        cells.forget(manifest.parents[1] / SCORE_CACHE, status)
    return len(failed)


def _report(options: argparse.Namespace) -> int:
    os.chdir(options.root)
    made = Build(_plan(options))
    made.report()
    made.end(True)
    return 0


def _test(options: argparse.Namespace) -> int:
    from nldr.testing.command import examine

    root, builtin = options.root.resolve(), _config(options).builtin
    return 0 if examine(root, builtin, options.name, options.seconds, options.data) else 1


def _new(options: argparse.Namespace) -> int:
    files = new.create_project(options.folder)
    print(f"{options.folder}: {len(files)} files. README.md says what they are. To build them:\n"
          f"  cd {options.folder}\n  snakemake --cores 2")  # fmt: skip
    return 0


def _schemas(options: argparse.Namespace) -> int:
    for name, model in SCHEMAS.items():
        path = options.root / "workflow/schemas" / f"{name}.json"
        with atomic(path) as temporary:
            temporary.write_text(schema_text(model), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
