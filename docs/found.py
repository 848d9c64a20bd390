"""Findings of the last builds: claims and counts as tracked summaries, and as Markdown tables.

``python docs/found.py`` reads the claims of the scale in ``config.yaml``, or of ``--scale``, and
writes them to ``docs/found/<scale>.json``. It counts the published numbers of the record,
``results/archive``, in ``docs/found/numbers.json`` (with ``--numbers`` these alone), and brings the
tables of the README up to date. The pages of the site read these files, so their numbers are those
of a build and not of a writer. If a claim was evaluated at the published sizes, that counts;
otherwise the finding at scale quick.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
FOUND = Path("docs/found")
PLAN = Path("results/archive/plan.csv")
SCALES = ("quick", "paper")  # a finding at the second replaces that at the first
NOT_RUN, NOT_APPLICABLE = "not run", "not applicable"
BASES = {"as_published": "as published", "equal_tuning": "under equal tuning"}
VERDICTS = ("holds", "holds only as published", "fails", "undecided", "not run")
NUMBERS = "docs/found/numbers.json"
DIFFERS = ("better", "worse", "no result")
OUTCOMES = ("reproduced", *DIFFERS, "explained", "cannot tell", "undecided", "not run")
SIZES = {
    "in part, at full size": "full size, some settings",
    "at reduced size": "reduced size",
    "at reduced size, on other data": "reduced size, some data replaced",
}
KEPT = ("basis", "decision", "size", "study", "n", "sentence")
START, END = "<!-- made by docs/found.py -->", "<!-- end -->"


class Paper(NamedTuple):
    """A paper: key of its page, short name, prefix of its claims, and main claims."""

    key: str
    name: str
    prefix: str
    headlines: tuple[str, ...]


PAPERS = (
    Paper("ikd", "IKD", "ikd", ("ikd-01", "ikd-25")),
    Paper("lolagp", "LolaGP", "lola", ("lola-11", "lola-04")),
    Paper("mvu", "MVU on disjoint manifolds", "mvu", ("mvu-14", "mvu-04")),
    Paper("parametric", "parametric t-SNE", "par", ("par-08", "par-07", "par-14")),
)


def summarize(root: Path, scale: str | None = None) -> dict[str, Any]:
    """Return scale and claims of the build in a folder."""
    # Imports of the engine take seconds, and the site needs only the functions below.
    from nldr import __version__
    from nldr.engine.files.layout import Outputs
    from nldr.engine.reading.parsing import read_model
    from nldr.engine.reading.specs import Config

    scale = scale or read_model(Config, root, "config.yaml").scale
    details = root / Outputs(scale).claim_details
    rows = json.loads(details.read_text(encoding="utf-8"))["claims"]
    papers = [_paper(paper, rows) for paper in PAPERS]
    return {"version": __version__, "scale": scale, "papers": papers}


def count_numbers(root: Path) -> dict[str, Any]:
    """Return the outcomes of all published numbers by file, and of their causes, by the record."""
    from nldr.archive.verdicts import count_record
    from nldr.engine.planning.plan import make_plan
    from nldr.engine.reading.parsing import read_model
    from nldr.engine.reading.specs import Config

    config = read_model(Config, root, "config.yaml").model_dump() | {"scale": "paper"}
    tallies = count_record(make_plan(config, root.resolve()), root)
    return {
        "files": {tally.file: tally.counts for tally in tallies},
        "causes": [
            {"file": tally.file, "explains": cause.explains, **cause._asdict()}
            for tally in tallies
            for cause in tally.explanations
        ],
    }


def _paper(paper: Paper, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return title and claims of a paper."""
    claims: dict[str, dict[str, Any]] = {}
    for row in rows:
        if not row["claim"].startswith(paper.prefix + "-"):
            continue
        facts = {key: row[key] for key in ("claim", "statement", "place", "verdict")}
        claim = claims.setdefault(row["claim"], facts | {"evaluations": []})
        claim["evaluations"].append({key: row[key] for key in KEPT})
    title = next(row["paper"] for row in rows if row["claim"] in claims)
    return {"key": paper.key, "title": title, "claims": list(claims.values())}


def read_scale(scale: str, root: Path = ROOT) -> dict[str, Any]:
    """Return the tracked summary of a scale."""
    return json.loads((root / FOUND / f"{scale}.json").read_text(encoding="utf-8"))


def read(root: Path = ROOT) -> dict[str, Any]:
    """Return the tracked summaries of all scales as one, with the numbers of the record."""
    scales = [scale for scale in SCALES if (root / FOUND / f"{scale}.json").is_file()]
    quick, *larger = [read_scale(scale, root) for scale in scales]
    for paper in quick["papers"]:
        for evaluation in (e for claim in paper["claims"] for e in claim["evaluations"]):
            evaluation["scale"] = quick["scale"]
    summary = merge(quick, larger[0]) if larger else quick
    return summary | {"numbers": json.loads((root / NUMBERS).read_text(encoding="utf-8"))}


def merge(summary: dict[str, Any], larger: dict[str, Any]) -> dict[str, Any]:
    """Return a summary in which evaluations at a larger scale replace its own."""
    from nldr.claims.evidence import Decision
    from nldr.claims.verdicts import final_verdict

    of_larger = {claim["claim"]: claim for paper in larger["papers"] for claim in paper["claims"]}
    for claim in (claim for paper in summary["papers"] for claim in paper["claims"]):
        evaluations = of_larger.get(claim["claim"], {"evaluations": []})["evaluations"]
        run = [e | {"scale": larger["scale"]} for e in evaluations if e["decision"] != NOT_RUN]
        run = {e["basis"]: e for e in run}
        claim["evaluations"] = [run.get(e["basis"], e) for e in claim["evaluations"]]
        decisions = {e["basis"]: e["decision"] for e in claim["evaluations"]}
        equal = decisions["equal_tuning"]
        equal = None if equal == NOT_APPLICABLE else Decision(equal)
        claim["verdict"] = final_verdict(Decision(decisions["as_published"]), equal).value
    return summary


def counts_table(summary: dict[str, Any], link: str) -> str:
    """Return one row per paper: claims by verdict."""
    header = ("paper", *VERDICTS)
    lines = [_row(header), "|---|" + "---:|" * (len(header) - 1)]
    for paper, entry in zip(PAPERS, summary["papers"], strict=True):
        counts = Counter(claim["verdict"] for claim in entry["claims"])
        name = f"[{paper.name}]({link.format(paper.key)})"
        lines.append(_row((name, *(counts[v] or "–" for v in VERDICTS))))
    return "\n".join(lines)


def numbers_by_paper(summary: dict[str, Any]) -> str:
    """Return one row per paper: all its published numbers by outcome."""
    others = [outcome for outcome in OUTCOMES if outcome not in ("reproduced", *DIFFERS)]
    header = ("paper", "published numbers", "reproduced", "differs", *others)
    lines = [_row(header), "|---|" + "---:|" * (len(header) - 1)]
    rows = [(paper.name, numbers_of(summary, paper.key)) for paper in PAPERS]
    for name, counts in [*rows, ("all", numbers_of(summary, ""))]:
        differs = sum(counts[outcome] for outcome in DIFFERS)
        cells = [sum(counts.values()), counts["reproduced"], differs, *(counts[o] for o in others)]
        lines.append(_row((name, *(cell or "–" for cell in cells))))
    return "\n".join(lines)


def numbers_of(summary: dict[str, Any], key: str) -> Counter[str]:
    """Return the number of a paper's published numbers by outcome; of all with an empty key."""
    total: Counter[str] = Counter()
    for file, counts in summary["numbers"]["files"].items():
        if file.startswith(key):
            total.update(counts)
    return total


def headlines_table(summary: dict[str, Any]) -> str:
    """Return a few claims with their verdicts."""
    claims = {c["claim"]: c for entry in summary["papers"] for c in entry["claims"]}
    lines = [_row(("claim", "verdict", "data")), "|---|---|---|"]
    for paper in PAPERS:
        for name in paper.headlines:
            claim = claims[name]
            statement = f"{paper.name}: {claim['statement']}"
            size = _size(claim["evaluations"][0]["size"] or "")
            lines.append(_row((statement, f"**{claim['verdict']}**", size)))
    return "\n".join(lines)


def claims_list(summary: dict[str, Any], key: str) -> str:
    """Return all claims of a paper, by verdict, each with its findings."""
    (entry,) = (entry for entry in summary["papers"] if entry["key"] == key)
    lines = []
    for verdict in VERDICTS:
        claims = [claim for claim in entry["claims"] if claim["verdict"] == verdict]
        if claims:
            lines += [f"### {verdict.capitalize()}: {len(claims)}", ""]
        for claim in claims:
            lines += [f"**{claim['claim']}** ({claim['place']}). {claim['statement']}", ""]
            lines += [f"- {_evaluation(e)}" for e in claim["evaluations"]]
            lines += [""]
    return "\n".join(lines)


def _evaluation(evaluation: dict[str, Any]) -> str:
    """Return decision, sentence, size, trials and study of an evaluation as a line."""
    text = f"{BASES[evaluation['basis']].capitalize()}, **{evaluation['decision']}**"
    if evaluation["decision"] == NOT_RUN:
        return f"{text}: study `{evaluation['study']}` has the cells at a larger scale only."
    text = f"{text}: {evaluation['sentence'].rstrip('.')}."
    if evaluation["size"] is None:
        return text
    size = f"scale {evaluation['scale']}, {_size(evaluation['size'])}"
    return f"{text} *(Study `{evaluation['study']}`; {size}.)*"


def _size(size: str) -> str:
    """Return the size of the data relative to the published ones, in words."""
    return SIZES.get(size, size)


def numbers_table(summary: dict[str, Any], key: str = "") -> str:
    """Return one row per file of published numbers, with counts by outcome, and the causes."""
    header = ("published numbers", "all", *OUTCOMES)
    lines = [_row(header), "|---|" + "---:|" * (len(header) - 1)]
    numbers = summary["numbers"]
    files = {
        f"`{file}`": counts for file, counts in numbers["files"].items() if file.startswith(key)
    }
    if len(files) > 1:
        files["all"] = numbers_of(summary, key)
    for file, counts in files.items():
        cells = (sum(counts.values()), *(counts[outcome] for outcome in OUTCOMES))
        lines.append(_row((file, *(cell or "–" for cell in cells))))
    causes = [cause for cause in numbers["causes"] if cause["file"].startswith(key)]
    return "\n".join(lines + ([""] if causes else []) + [_cause(cause) for cause in causes])


def _cause(cause: dict[str, Any]) -> str:
    """Return a cause, and how many of the numbers that differ its variant reproduces, as a line."""
    text = f"- {cause['hypothesis'].strip()}"
    if cause["impossible"]:
        return f"{text} {cause['differ']} numbers are impossible: {cause['impossible']}"
    counted = f"{cause['reproduced']} of {cause['differ']}"
    run = "" if cause["run"] == cause["differ"] else f", and was run for {cause['run']}"
    end = "They are explained." if cause["explains"] else "That does not explain them."
    return f"{text} Such a variant reproduces {counted} numbers that differ{run}. {end}"


def _applicable(claim: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the evaluations of a claim that apply to it."""
    return [e for e in claim["evaluations"] if e["decision"] != NOT_APPLICABLE]


def sizes_table(summary: dict[str, Any]) -> str:
    """Return one row per paper: the number of evaluations of claims at each size."""
    evaluations = {
        entry["key"]: [e for claim in entry["claims"] for e in _applicable(claim)]
        for entry in summary["papers"]
    }
    sizes = sorted({e["size"] for group in evaluations.values() for e in group} - {None})
    header = ("paper", *map(_size, sizes), "not run")
    lines = [_row(header), "|---|" + "---:|" * (len(sizes) + 1)]
    for paper in PAPERS:
        counts = Counter(e["size"] for e in evaluations[paper.key])
        lines.append(_row((paper.name, *(counts[size] or "–" for size in [*sizes, None]))))
    return "\n".join(lines)


def archive_table(root: Path = ROOT) -> str:
    """Return one row per study: its costs at scale paper, and the number of cells archived."""
    header = ("study", "CPU hours", "cells", "archived", "confirmed", "to be renewed")
    lines = [_row(header), "|---|" + "---:|" * (len(header) - 1)]
    with (root / PLAN).open(newline="", encoding="utf-8") as file:
        for name, hours, cells, archived, confirmed, stale in list(csv.reader(file))[1:]:
            lines.append(_row((f"`{name}`", hours, cells, archived, confirmed, stale)))
    return "\n".join(lines)


def _row(cells: Any) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def readme_tables(summary: dict[str, Any]) -> str:
    """Return the tables of the README."""
    table = counts_table(summary, "docs/papers/{}.md")
    claims = [claim for entry in summary["papers"] for claim in entry["claims"]]
    large = sum(any(e["scale"] != summary["scale"] for e in _applicable(c)) for c in claims)
    where = f"at scale {summary['scale']}"
    if large:
        where = f"({large} of them at scale {SCALES[1]}, the others {where})"
    title = f"Verdicts on {len(claims)} claims {where}, by paper:"
    numbers = f"Printed and released numbers at full size:\n\n{numbers_by_paper(summary)}"
    return f"{title}\n\n{table}\n\n{numbers}\n\n{headlines_table(summary)}"


def replace_tables(text: str, tables: str) -> str:
    """Return the README with its tables replaced."""
    pattern = re.escape(START) + r".*?" + re.escape(END)
    new, count = re.subn(pattern, lambda _: f"{START}\n{tables}\n{END}", text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"the README must hold '{START}' … '{END}' once")
    return new


def main() -> None:
    """Write the summary of a build and the tables of the README."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the project that was built")
    parser.add_argument("--scale", help="in place of config.yaml's")
    parser.add_argument("--numbers", action="store_true", help="only published numbers, no claims")
    options = parser.parse_args()
    if not options.numbers:
        summary = summarize(options.root, options.scale)
        _write(ROOT / FOUND / f"{summary['scale']}.json", summary)
    _write(ROOT / NUMBERS, count_numbers(options.root))
    readme = ROOT / "README.md"
    tables = readme_tables(read())
    readme.write_text(replace_tables(readme.read_text(encoding="utf-8"), tables), encoding="utf-8")


def _write(file: Path, content: dict[str, Any]) -> None:
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
