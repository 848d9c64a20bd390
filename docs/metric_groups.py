"""Which metrics tell the same about maps, by the record: five groups, and one metric of each.

``python docs/found.py`` gathers them in ``docs/found/metric_groups.json``, which is ``{}`` as long
as the record has none of the studies, and draws their correlations beside it; the page
``which_method.md`` shows both.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from pandas import DataFrame

    from nldr.dataset import Dataset
    from nldr.engine.planning.plan import Plan

ROOT = Path(__file__).parents[1]
GROUPS, FIGURE = "docs/found/metric_groups.json", "docs/found/metric_groups.svg"
STUDIES = ("selection", "selection_groups", "survey", "survey_groups")
SHOWING = "survey_groups"  # the figure whose metrics were chosen by hand
KEYS = ["dataset", "data_cell", "method_cell"]
TITLE = "Which metrics agree? Rank correlations over methods on one dataset"
ALT = "Rank correlations between metrics as a matrix, ordered by five groups"
ABSENT = "*The record has none of the studies yet, so there is nothing to show here.*"


def gather(plan: Plan, root: Path = ROOT) -> dict[str, Any]:
    """Return the groups and how much they depend on the data; empty without results."""
    table, directions = _read_means(plan, root)
    if table is None:
        return {}
    names = [*directions]
    groups = _group(table, directions)
    datasets = table["dataset"].unique()
    without = [_group(table[table["dataset"] != name], directions) for name in datasets]
    parts = [part for _, part in table.groupby("data_cell", sort=False)]
    single = [_group(p, directions) for p in parts if p[names].notna().any().all()]
    agreement = [_agreement(groups, others, len(names)) for others in without]
    alone = [_agreement(groups, others, len(names)) for others in single]
    return {
        "n_datasets": len(parts),
        "n_settings": table["method_cell"].nunique(),
        "groups": [[names[i] for i in group] for group in groups],
        "without_one": {
            "n": len(without),
            "same_groups": sum(index == 1.0 for index in agreement),
            "same_shown": sum(_shown(others) == _shown(groups) for others in without),
            "mean": round(sum(agreement) / len(agreement), 4),
            "lowest": round(min(agreement), 4),
        },
        "alone": {
            "n": len(single),
            "mean": round(sum(alone) / len(alone), 4),
            "lowest": round(min(alone), 4),
        },
        "by_hand": plan.studies[SHOWING].figures[SHOWING].params["metrics"],
    }


def draw(plan: Plan, file: Path, root: Path = ROOT) -> None:
    """Draw the correlations between all metrics, ordered by groups."""
    import pandas as pd

    from nldr.figures.clusters import clusters
    from nldr.figures.results import StudyResults
    from nldr.figures.style import save

    table, directions = _read_means(plan, root)
    if table is None:
        return
    facts = {key: value for s in STUDIES for key, value in plan.studies[s].metric_facts().items()}
    results = StudyResults(
        title=TITLE,
        methods={},
        roles={},
        looks={},
        datasets={},
        metrics={name: facts[name] for name in directions},
        table=table.assign(ok=True),
        timings=pd.DataFrame(),
        published=None,
        panel=_no_panel,
    )
    save(clusters(results), file, file.stem, ALT)


def _no_panel(data_cell: str, method_cell: str) -> tuple[Dataset, NDArray | None]:
    raise NotImplementedError("the figure has no panels")


def show(root: Path = ROOT) -> str:
    """Return the groups as a table, and in sentences how they depend on the data."""
    content = json.loads((root / GROUPS).read_text(encoding="utf-8"))
    if not content:
        return ABSENT
    by_hand, groups = content["by_hand"], content["groups"]
    lines = ["| shown first | agree with it | shown by the surveys |", "|---|---|---|"]
    for shown, *others in groups:
        chosen = [name for name in by_hand if name in (shown, *others)]
        cells = (f"**`{shown}`**", _listed(others), _listed(chosen))
        lines.append(f"| {' | '.join(cells)} |")
    covered = sum(bool({*group} & {*by_hand}) for group in groups)
    one, alone = content["without_one"], content["alone"]
    return "\n".join(
        [
            *lines,
            "",
            f"The {len(by_hand)} metrics in the figures of the surveys were chosen by hand; they "
            f"cover {covered} of the {len(groups)} groups.",
            "",
            f"If one of {one['n']} kinds of data is left out, the groups stay the same in "
            f"{one['same_groups']} cases and the metrics shown first in {one['same_shown']}. The "
            "adjusted Rand index compares two groupings: it is 1 if they are the same, and about 0 "
            f"if one is random. Here it is {one['mean']:.2f} on average and at least "
            f"{one['lowest']:.2f}. For groups from a single dataset ({alone['n']} have labels), it "
            f"is {alone['mean']:.2f} on average and at least {alone['lowest']:.2f}: metrics that "
            "agree on average need not agree on your data.",
            "",
            f"![{ALT}](/{FIGURE.removeprefix('docs/')})",
        ]
    )


def _listed(names: Sequence[str]) -> str:
    """Return names as code, or a dash."""
    return ", ".join(f"`{name}`" for name in names) or "–"


# --- groups -------------------------------------------------------------------------------------


def _read_means(plan: Plan, root: Path) -> tuple[DataFrame | None, dict[str, str]]:
    """Return means over trials, a row per dataset and setting, and which direction is better.

    Metrics that need the true latent are left out, as are methods that are controls.
    """
    import pandas as pd

    from nldr.engine.files.layout import Record
    from nldr.engine.files.status import Status

    files = {name: root / Record().table.format(study=name) for name in STUDIES}
    tables = [pd.read_csv(file, low_memory=False) for file in files.values() if file.is_file()]
    if not tables:
        return None, {}
    rows = pd.concat(tables, ignore_index=True)
    catalog = plan.catalog
    directions = {
        name: str(entry.direction)
        for study in STUDIES
        for name, (_, entry) in plan.studies[study].metrics.items()
        if name in rows and catalog.scorers[catalog.metrics[name][0]].needs != "latent"
    }
    roles = rows["method_cell"].str.partition("@")[0].map(lambda name: catalog.methods[name].role)
    solved = rows["status"].map(lambda status: Status(status).is_ok)
    rows = rows[solved & (roles == "method")]
    # Studies share trials, of which each may have other metrics
    trials = rows.groupby([*KEYS, "trial"], sort=False)[[*directions]].first()
    return trials.groupby(KEYS, sort=False).mean().reset_index(), directions


def _group(table: DataFrame, directions: dict[str, str]) -> list[list[int]]:
    """Return the groups of metrics, in each the one shown first before the others."""
    from nldr.figures.clusters import group_scores, rank_correlations, representative

    matrix = rank_correlations(table, [*directions], [*directions.values()])
    groups = []
    for group in group_scores(matrix):
        first = representative(matrix, group)
        groups.append([first, *(i for i in group if i != first)])
    return groups


def _shown(groups: list[list[int]]) -> set[int]:
    """Return the metrics that are shown first."""
    return {first for first, *_ in groups}


def _agreement(groups: list[list[int]], others: list[list[int]], n: int) -> float:
    """Return the adjusted Rand index of two groupings."""
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(_labels(groups, n), _labels(others, n)))


def _labels(groups: list[list[int]], n: int) -> NDArray:
    """Return the number of the group of each metric."""
    import numpy as np

    labels = np.empty(n, dtype=int)
    for number, group in enumerate(groups):
        labels[group] = number
    return labels
