"""How far the maps that scores pick fall short of the best ones, by the record.

``python docs/found.py`` gathers it in ``docs/found/regrets.json``, which is ``{}`` as long as the
record does not have the studies; the page ``questions.md`` shows it.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from nldr.engine.planning.plan import Plan
    from nldr.statistics.picking import Maps, Score

ROOT = Path(__file__).parents[1]
REGRETS, CLAIMS = "docs/found/regrets.json", "results/archive/claims.json.xz"
STUDIES = ("selection", "selection_groups")
# The mean of these scores chooses the setting of each method in nldr.compare
SETTING = ("trustworthiness_k12", "continuity_k12")
DOUBT = "sel-26"  # claim on the points that should not be trusted
REACHED = {"better": "yes", "worse": "no", "tie": "practically"}
ABSENT = "*The record does not have these studies yet, so there is nothing to show here.*"


class Aim(NamedTuple):
    """What a map is for, the truth about it, how compare picks, and the claim with the goal."""

    name: str
    truth: str
    score: Score
    words: str
    claim: str


AIMS = (
    Aim(
        "local neighborhoods",
        "latent_neighbors_k12",
        SETTING,
        "by trustworthiness and continuity",
        "sel-23",
    ),
    Aim("global distances", "latent_spearman", "continuity_k12", "by continuity", "sel-24"),
    Aim(
        "groups",
        "neighborhood_hit_k7",
        SETTING,
        "without labels, by trustworthiness and continuity",
        "sel-25",
    ),
)


def gather(plan: Plan, root: Path = ROOT) -> dict[str, Any]:
    """Return regrets of all scores by all truths, and those of compare; empty without results."""
    from nldr.engine.files.layout import Record

    files = {study: root / Record().table.format(study=study) for study in STUDIES}
    if not all(file.is_file() for file in files.values()):
        return {}
    truths: list[dict[str, Any]] = []
    scores: dict[str, dict[str, Any]] = {}
    goals = []
    for study, file in files.items():
        params, maps = plan.studies[study].figures[study].params, _read_maps(plan, study, file)
        facts = plan.studies[study].metric_facts()
        n = maps.units.get_level_values("data_cell").nunique()
        for truth in params["truths"]:
            rows = _regrets(maps, facts, truth, params)
            truths.append({"name": truth, "label": facts[truth]["label"], "n_datasets": n})
            for title, row in rows.items():
                scores.setdefault(title, {})[truth] = row
        goals += [
            _goal(aim, maps, params["families"], _claims(root)[aim.claim])
            for aim in AIMS
            if aim.truth in params["truths"]
        ]
    return {"truths": truths, "scores": scores, "goals": goals}


def _read_maps(plan: Plan, study: str, file: Path) -> Maps:
    """Return the maps of a study that the record has."""
    import pandas as pd

    from nldr.engine.files.status import Status
    from nldr.statistics.picking import Maps

    table = pd.read_csv(file, low_memory=False)
    table["ok"] = [Status(status).is_ok for status in table["status"]]
    facts = plan.studies[study].metric_facts()
    return Maps(table, {name: str(fact["direction"]) for name, fact in facts.items()})


def _regrets(
    maps: Maps, facts: Mapping[str, Any], truth: str, params: Mapping[str, Any]
) -> dict[str, Any]:
    """Return mean regrets with intervals, and which are below that of the best single method."""
    from nldr.figures.regret import METHOD, rows_of, scores_of, titles_of

    names = scores_of(facts, params["truths"])
    scores = {**titles_of(facts, names), **params["means"]}
    rows = rows_of(maps, scores, truth, params["families"], params["means"])
    return {
        title: {"regret": _interval(row), "beats_method": _interval(row - rows[METHOD])[2] < 0}
        for title, row in rows.items()
    }


def _goal(aim: Aim, maps: Maps, families: Mapping[str, Any], claim: dict[str, Any]) -> dict:
    """Return an aim's goal, and how the pair of scores of its claim and compare come to it."""
    bound, single = (comparison["threshold"] for comparison in claim["comparisons"])
    regrets = regrets_of_compare(maps, aim.truth, aim.score)
    rivals, _ = maps.best_method(list(SETTING), aim.truth, families)
    level = claim["level"]
    compare = [_outcome(maps.per_dataset(regrets), bound, level)]
    compare += [_outcome(maps.per_dataset(regrets - rivals), single, level)]
    pair = [
        {"interval": [c[key] for key in ("effect", "low", "high")], "outcome": c["decision"]}
        for c in claim["comparisons"]
    ]
    entry = {"name": aim.name, "words": aim.words, "claim": aim.claim, "goal": bound}
    return {**entry, "pair": pair, "compare": compare}


def regrets_of_compare(maps: Maps, truth: str, score: Score) -> NDArray:
    """Return the regrets of the map that compare takes, in the draws that score it.

    The first draw chooses the setting of each method, by the mean of trustworthiness and
    continuity. The mean of a score over the other draws chooses the method.
    """
    import numpy as np

    cells, trials = (maps.units.get_level_values(name) for name in ("data_cell", "trial"))
    settings, scores = maps.values(SETTING), maps.values(score)
    taken = np.full(scores.shape, np.nan)
    for cell in dict.fromkeys(cells):
        first, others = (cells == cell) & (trials == 0), (cells == cell) & (trials > 0)
        (chosen,) = settings[first]
        finalists = [
            max(np.flatnonzero((maps.methods == method) & np.isfinite(chosen)), key=chosen.take)
            for method in dict.fromkeys(maps.methods[np.isfinite(chosen)])
        ]
        means = scores[others].mean(axis=0)
        best = max((i for i in finalists if np.isfinite(means[i])), key=means.take)
        taken[others, best] = 1.0
    return maps.regrets_of(taken, truth)


def _interval(values: Sequence[float] | NDArray) -> list[float]:
    """Return a mean and the ends of its 95 % interval."""
    from nldr.statistics.location import locate

    mean = locate(values)
    return [round(value, 6) for value in (mean.center, mean.low, mean.high)]


def _outcome(values: NDArray, bound: float, level: float) -> dict[str, Any]:
    """Return the interval of a mean, and whether it is below a bound, as claims are decided."""
    from nldr.claims.findings import Effect, delta_of
    from nldr.statistics.location import locate

    effect = Effect("", "", locate(values), bound, above=False, delta=delta_of(bound))
    return {"interval": _interval(values), "outcome": str(effect.tests.outcome(level).value)}


def _claims(root: Path) -> dict[str, dict[str, Any]]:
    """Return the verdicts of the record by claim."""
    rows = json.loads(lzma.decompress((root / CLAIMS).read_bytes()))["claims"]
    return {row["claim"]: row for row in rows if row["basis"] == "as_published"}


# --- the page -----------------------------------------------------------------------------------


def show(what: str, root: Path = ROOT) -> str:
    """Return the table of scores or of goals, or sentences on points that are marked."""
    content = json.loads((root / REGRETS).read_text(encoding="utf-8"))
    if not content:
        return ABSENT
    if what == "doubt":
        return _doubt(_claims(root)[DOUBT], content["truths"][0]["n_datasets"])
    return _scores(content) if what == "scores" else _goals(content)


def _scores(content: dict[str, Any]) -> str:
    """Return one row per score: its mean regrets by all truths."""
    from nldr.figures.regret import COMBINED

    truths = content["truths"]
    first = truths[0]["name"]
    titles = [title for title in content["scores"] if title != COMBINED]
    titles.sort(key=lambda title: content["scores"][title][first]["regret"][0])
    heads = [f"{truth['label']} ({truth['n_datasets']} datasets)" for truth in truths]
    lines = [f"| map picked by | {' | '.join(heads)} |", "|---|" + "---:|" * len(truths)]
    for title in titles:
        row = content["scores"][title]
        cells = [_cell(row[truth["name"]]) for truth in truths]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(entry: dict[str, Any]) -> str:
    """Return a mean regret with its interval, bold if below that of the best single method."""
    mean, low, high = (f"{value:.3f}" for value in entry["regret"])
    return f"{f'**{mean}**' if entry['beats_method'] else mean} ({low} to {high})"


def _goals(content: dict[str, Any]) -> str:
    """Return two rows per aim: how two ways to pick a map come to its goal."""
    header = ("aim", "goal", "map picked by", "mean regret", "goal reached")
    header += ("difference from the best single method", "better")
    lines = [f"| {' | '.join(header)} |", "|---|---:|---|---:|---|---:|---|"]
    for goal in content["goals"]:
        ways = {
            "pair": "pair of scores chosen on other families",
            "compare": f"`nldr compare`, {goal['words']}",
        }
        for way, words in ways.items():
            cells = [goal["name"], f"≤ {goal['goal']:g}", words]
            for entry in goal[way]:
                mean, low, high = (f"{v:.3f}".replace("-", "−") for v in entry["interval"])
                outcome = entry["outcome"]
                cells += [f"{mean} ({low} to {high})", REACHED.get(outcome, outcome)]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _doubt(claim: dict[str, Any], n_datasets: int) -> str:
    """Return how the true errors of marked points compare with those of the others."""
    ratios = sorted(comparison["effect"] for comparison in claim["comparisons"])
    n, bound = len(ratios), claim["threshold"]
    return (
        f"The goal was that points marked as untrusted have at least {bound:g} times the true "
        f"error of the others. This claim ({DOUBT}) **{claim['decision']}**: of {n} datasets, the "
        f"ratio is below {bound:g} on {claim['worse']}. It is shown to be at least {bound:g} on "
        f"{claim['better'] or 'none'}. Its median is {ratios[n // 2]:.2f}, its range "
        f"{ratios[0]:.2f} to {ratios[-1]:.2f}. On {n_datasets - n} more datasets there is no "
        "ratio, because all points of the picked map are marked, or none."
    )
