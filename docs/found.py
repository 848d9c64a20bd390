"""Findings of the record, ``results/archive``, as Markdown tables of the README and the site.

``nldr archive --verdicts`` decides claims and published numbers by the archived tables;
``python docs/found.py`` then counts the published numbers in ``docs/found/numbers.json``, gathers
what methods keep in ``docs/found/guide.json`` (``docs/which.py``), which metrics tell the same
in ``docs/found/metric_groups.json`` (``docs/metric_groups.py``), how many points methods take in
``docs/found/sizes.json`` (``docs/sizes.py``) and how well scores pick maps in
``docs/found/regrets.json`` (``docs/regrets.py``), and brings the tables of the
README and the list in ``docs/which_method.md`` up to date. All verdicts are at full size: what was
not run at full size is told as not run.
"""

from __future__ import annotations

import csv
import json
import lzma
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from nldr.engine.planning.plan import Plan

ROOT = Path(__file__).parents[1]
CLAIMS, PLAN = Path("results/archive/claims.json.xz"), Path("results/archive/plan.csv")
NUMBERS, RATES = "docs/found/numbers.json", "docs/found/rates.json"
PEERS = "docs/found/peers.json"
NOT_RUN, NOT_APPLICABLE = "not run", "not applicable"
BASES = {"as_published": "as published", "equal_tuning": "under equal tuning"}
VERDICTS = (
    "holds",
    "holds in most",
    "holds only as published",
    "tie",
    "holds in few",
    "fails",
    "open",
    "not run",
)
DIFFERS = ("better", "worse", "no result")
OUTCOMES = ("reproduced", *DIFFERS, "explained", "cannot tell", "undecided", "not run")
KEPT = ("basis", "decision", "size", "study", "strip", "sentence", "print_passes", "bounds")
SHOWN = 60  # settings of which each has a mark
START, END = "<!-- made by docs/found.py -->", "<!-- end -->"


class Paper(NamedTuple):
    """A paper, or a question of ours: key, short name, and prefix of its claims."""

    key: str
    name: str
    prefix: str


PAPERS = (
    Paper("ikd", "IKD", "ikd"),
    Paper("lolagp", "LolaGP", "lola"),
    Paper("mvu", "MVU on disjoint manifolds", "mvu"),
    Paper("parametric", "parametric t-SNE", "par"),
)
QUESTIONS = (
    Paper("conformance", "packages", "con"),
    Paper("selection", "scores that pick maps", "sel"),
    Paper("distortion", "maps of single cells", "dis"),
)


def plan_record(root: Path) -> Plan:
    """Return the plan of all studies at full size."""
    from nldr.engine.planning.plan import make_plan
    from nldr.engine.reading.parsing import read_model
    from nldr.engine.reading.specs import Config

    config = read_model(Config, root, "config.yaml").model_dump() | {"scale": "paper"}
    return make_plan(config, root.resolve())


def count_numbers(plan: Plan, root: Path) -> dict[str, Any]:
    """Return the outcomes of all published numbers by file, and of their causes, by the record."""
    from nldr.engine.files.layout import Record
    from nldr.engine.planning.claim_jobs import count_published

    tallies = count_published(plan, Record(), root)
    return {
        "files": {tally.file: tally.counts for tally in tallies},
        "causes": [
            {"file": tally.file, "explains": cause.explains, **cause._asdict()}
            for tally in tallies
            for cause in tally.explanations
        ],
    }


def read(root: Path = ROOT) -> dict[str, Any]:
    """Return the claims of the record, paper by paper, and the counts of published numbers."""
    rows = json.loads(lzma.decompress((root / CLAIMS).read_bytes()))["claims"]
    numbers = json.loads((root / NUMBERS).read_text(encoding="utf-8"))
    return {
        "papers": [_paper(paper, rows) for paper in PAPERS],
        "questions": [_paper(question, rows) for question in QUESTIONS],
        "numbers": numbers,
    }


def _paper(paper: Paper, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return title and claims of a paper."""
    claims: dict[str, dict[str, Any]] = {}
    for row in rows:
        if not row["claim"].startswith(paper.prefix + "-"):
            continue
        keys = ("claim", "statement", "quote", "place", "verdict", "amendments")
        claim = claims.setdefault(
            row["claim"], {key: row[key] for key in keys} | {"evaluations": []}
        )
        claim["evaluations"].append({key: row[key] for key in KEPT})
    title = next(row["paper"] for row in rows if row["claim"] in claims)
    return {"key": paper.key, "title": title, "claims": list(claims.values())}


def counts_table(summary: dict[str, Any], link: str) -> str:
    """Return one row per paper: claims by verdict."""
    rows = []
    for paper, entry in zip(PAPERS, summary["papers"], strict=True):
        counts = Counter(claim["verdict"] for claim in entry["claims"])
        name = f"[{paper.name}]({link.format(paper.key)})"
        rows.append((name, *(counts[v] or "–" for v in VERDICTS)))
    return _table(("paper", *VERDICTS), rows)


def numbers_by_paper(summary: dict[str, Any]) -> str:
    """Return one row per paper: all its published numbers by outcome."""
    others = [outcome for outcome in OUTCOMES if outcome not in ("reproduced", *DIFFERS)]
    papers = [(paper.name, numbers_of(summary, paper.key)) for paper in PAPERS]
    rows = []
    for name, counts in [*papers, ("all", numbers_of(summary, ""))]:
        differs = sum(counts[outcome] for outcome in DIFFERS)
        cells = [sum(counts.values()), counts["reproduced"], differs, *(counts[o] for o in others)]
        rows.append((name, *(cell or "–" for cell in cells)))
    return _table(("paper", "published numbers", "reproduced", "differs", *others), rows)


def numbers_of(summary: dict[str, Any], key: str) -> Counter[str]:
    """Return the number of a paper's published numbers by outcome; of all with an empty key."""
    total: Counter[str] = Counter()
    for file, counts in summary["numbers"]["files"].items():
        if file.startswith(key):
            total.update(counts)
    return total


def headlines_table(summary: dict[str, Any]) -> str:
    """Return a few claims with their verdicts, and the outcomes of their settings."""
    rows, main = [], _headlines()
    for paper, entry in zip(PAPERS, summary["papers"], strict=True):
        for claim in (claim for claim in entry["claims"] if claim["claim"] in main):
            statement = f"{paper.name}: {claim['statement']}"
            strip = _strip(claim["evaluations"][0])
            rows.append((statement, f"**{claim['verdict']}**", strip))
    return _table(("claim", "verdict", "settings"), rows, texts=3)


def _headlines() -> set[str]:
    """Return the names of the main claims."""
    import yaml

    files = [*(ROOT / "workflow/claims").glob("*.yaml")]
    contents = [yaml.safe_load(file.read_text(encoding="utf-8"))["claims"] for file in files]
    return {name for claims in contents for name in claims if claims[name].get("headline")}


def _strip(evaluation: dict[str, Any]) -> str:
    """Return one mark per setting, or their counts if there are many."""
    strip = evaluation["strip"] or ""
    if len(strip) <= SHOWN:
        return strip
    words = zip("●━○·", ("better", "equal", "worse", "unclear"), strict=True)
    return ", ".join(f"{strip.count(mark)} {word}" for mark, word in words if mark in strip)


def claims_list(summary: dict[str, Any], key: str) -> str:
    """Return all claims of a paper, or on a question, by verdict, each with its findings."""
    entries = [*summary["papers"], *summary["questions"]]
    (entry,) = (entry for entry in entries if entry["key"] == key)
    lines = [
        "Settings: ● better, ━ practically equal, ○ worse, or short of the bound, · unclear.",
        "",
    ]
    for verdict in VERDICTS:
        claims = [claim for claim in entry["claims"] if claim["verdict"] == verdict]
        if claims:
            lines += [f"### {verdict.capitalize()}: {len(claims)}", ""]
        for claim in claims:
            lines += [f"**{claim['claim']}** ({claim['place']}). {claim['statement']}", ""]
            lines += [f"> {claim['quote']}", ""] if claim["quote"] else []
            lines += [f"- {_evaluation(e)}" for e in claim["evaluations"]]
            lines += [f"- {_amendment(line)}" for line in claim["amendments"]]
            lines += [""]
    return "\n".join(lines)


def _evaluation(evaluation: dict[str, Any]) -> str:
    """Return decision, settings, sentence and study of an evaluation as a line."""
    text = f"{BASES[evaluation['basis']].capitalize()}, **{evaluation['decision']}**"
    if evaluation["decision"] == NOT_RUN:
        return f"{text}: {evaluation['sentence'] or 'not run'}."
    if evaluation["size"] is None:
        return f"{text}: {evaluation['sentence'].rstrip('.')}."
    from nldr.claims.page import say_print

    printed = say_print(evaluation["print_passes"])
    printed = f" {printed}" if printed else ""
    bounds = f" With other bounds: {evaluation['bounds']}." if evaluation["bounds"] else ""
    return (
        f"{text} {_strip(evaluation)}: {evaluation['sentence']}{printed}{bounds} "
        f"*(Study `{evaluation['study']}`, {evaluation['size']}.)*"
    )


def _amendment(line: dict[str, Any]) -> str:
    """Return a change of a test as a line."""
    return (
        f"Amended {line['date']} ({BASES[line['basis']]}), {line['data_seen']} the data were seen: "
        f"{line['what']} ({line['why']}). Verdict of the first test: {line['first_verdict']}."
    )


def rates_table(root: Path = ROOT) -> str:
    """Return the simulated error rates of verdicts, one row per scenario."""
    content = json.loads((root / RATES).read_text(encoding="utf-8"))
    header = (
        "noise",
        "trials",
        "wrong among decided verdicts",
        "false among statements on settings",
        "decided verdicts",
        "wrong by the former rule",
        "decided by the former rule",
    )
    rows = []
    for row in content["rows"]:
        noise = f"{row['noise']}, settings agree" if row["consistent"] else row["noise"]
        trials = row["trials"] or f"5 to 50 (mean {row['mean_trials']:.0f})"
        keys = ("wrong_verdicts", "false_settings", "decided", "former_wrong", "former_decided")
        rows.append((noise, trials, *(f"{100 * row[key]:.1f} %" for key in keys)))
    return _table(header, rows)


def peers_table(root: Path = ROOT) -> str:
    """Return one row per second implementation of a metric: how closely the two agree.

    A standard deviation over seeds stands beside it if the metric is a random draw.
    """
    rows = []
    for row in json.loads((root / PEERS).read_text(encoding="utf-8"))["rows"]:
        digits = math.floor(-math.log10(max(row["difference"], 1e-15)))
        peer = "loops in the test" if row["peer"] == "loops" else row["peer"]
        spread = f"{row['spread']:.1g}" if "spread" in row else "–"
        rows.append((f"`{row['metric']}`", peer, f"below 1e-{min(digits, 12)}", spread))
    header = ("metric", "second implementation", "largest difference", "spread over seeds")
    return _table(header, rows, texts=2)


def numbers_table(summary: dict[str, Any], key: str = "") -> str:
    """Return one row per file of published numbers, with counts by outcome, and the causes."""
    numbers = summary["numbers"]
    files = {
        f"`{file}`": counts for file, counts in numbers["files"].items() if file.startswith(key)
    }
    if len(files) > 1:
        files["all"] = numbers_of(summary, key)
    rows = []
    for file, counts in files.items():
        cells = (sum(counts.values()), *(counts[outcome] for outcome in OUTCOMES))
        rows.append((file, *(cell or "–" for cell in cells)))
    table = _table(("published numbers", "all", *OUTCOMES), rows)
    causes = [cause for cause in numbers["causes"] if cause["file"].startswith(key)]
    return f"{table}\n\n{causes_table(causes)}" if causes else table


def causes_table(causes: list[dict[str, Any]]) -> str:
    """Return one row per supposed cause: how many of the numbers that differ its variant has."""
    rows = []
    names = dict.fromkeys(cause["name"].partition(", ")[0] for cause in causes)
    for name in names:
        clusters = [cause for cause in causes if cause["name"].partition(", ")[0] == name]
        if any(cause["differ"] for cause in clusters):
            text = " ".join(filter(None, (clusters[0]["hypothesis"], clusters[0]["impossible"])))
            rows.append((text, "; ".join(map(_cluster, clusters))))
    header = ("tested cause", "numbers that differ and are reproduced by it (bold: explained)")
    return _table(header, rows, texts=2)


def _cluster(cause: dict[str, Any]) -> str:
    """Return the name of a cluster, if it has one, and how much of it is explained."""
    name = cause["name"].partition(", ")[2].replace("_", " ")
    if cause["impossible"]:
        share = f"all {cause['differ']} are impossible"
    else:
        share = f"{cause['reproduced']} of {cause['differ']}"
        if cause["run"] != cause["differ"]:
            share += f", run for {cause['run']}"
    if cause["explains"]:
        share = f"**{share}**"
    return f"{name} {share}".strip()


def archive_table(root: Path = ROOT) -> str:
    """Return one row per study: its costs at scale paper, and the number of cells archived."""
    with (root / PLAN).open(newline="", encoding="utf-8") as file:
        rows = [(f"`{name}`", *numbers) for name, *numbers in list(csv.reader(file))[1:]]
    header = ("study", "CPU hours", "cells", "archived", "confirmed", "to be renewed")
    return _table(header, rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[object]], texts: int = 1) -> str:
    """Return a table whose first columns are texts, and the others numbers to the right."""
    lines = [
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |"
        for row in (header, *rows)
    ]
    lines.insert(1, "|" + "---|" * texts + "---:|" * (len(header) - texts))
    return "\n".join(lines)


def readme_tables(summary: dict[str, Any]) -> str:
    """Return the tables of the README."""
    table = counts_table(summary, "docs/papers/{}.md")
    n_claims = sum(len(entry["claims"]) for entry in summary["papers"])
    title = f"Verdicts on {n_claims} claims at the published sizes (*full size*), by paper:"
    numbers = f"Published numbers by verdict, at full size:\n\n{numbers_by_paper(summary)}"
    main = f"The main claims of each paper:\n\n{headlines_table(summary)}"
    return f"{main}\n\n{title}\n\n{table}\n\n{numbers}"


def replace_tables(text: str, tables: str) -> str:
    """Return a page with its tables replaced."""
    pattern = re.escape(START) + r".*?" + re.escape(END)
    new, count = re.subn(pattern, lambda _: f"{START}\n{tables}\n{END}", text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"the page must hold '{START}' … '{END}' once")
    return new


def main() -> None:
    """Write what the files in ``docs/found/`` and the tables of the README tell."""
    import metric_groups
    import regrets
    import sizes
    import which

    plan = plan_record(ROOT)
    contents = {
        NUMBERS: count_numbers(plan, ROOT),
        which.GUIDE: which.gather(plan),
        metric_groups.GROUPS: metric_groups.gather(plan),
        sizes.SIZES: sizes.gather(plan),
        regrets.REGRETS: regrets.gather(plan),
    }
    for file, content in contents.items():
        text = json.dumps(content, indent=1, ensure_ascii=False)
        (ROOT / file).write_text(text + "\n", encoding="utf-8")
    metric_groups.draw(plan, ROOT / metric_groups.FIGURE)
    pages = {"README.md": readme_tables(read()), which.PAGE: which.show("families")}
    for page, tables in pages.items():
        text = replace_tables((ROOT / page).read_text(encoding="utf-8"), tables)
        (ROOT / page).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
