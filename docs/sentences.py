"""Sentences and small tables with numbers of the record, for the pages of papers."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).parents[1]
SUMMARY = "results/archive/studies/{study}/summary.csv.xz"
TIMINGS = "results/archive/studies/{study}/timings_summary.csv.xz"
QPCR, PRIOR, COMPONENTS = "ikd_tuned_fig3", "lolagp_prior", ("mvu_disjoint", "mvu_released_rivals")
SPEED, SCALING, COSTS = "ikd_speed", "mvu_scaling", "method_scaling"
PLACEMENT = "mvu_placement"
STUDIES = (QPCR, PRIOR, *COMPONENTS, SPEED, SCALING, COSTS, PLACEMENT)
PLAN = "results/archive/plan.csv"
# Real data with classes of which a graph of nearest neighbors was cut into components
CLASSES = {
    "digits_01": "the digits 0 and 1",
    "umist_3": "three people of UMIST who were chosen to be far apart",
    "coil20": "the 20 objects of COIL-20",
    "orl": "the 40 people of ORL",
}
NEIGHBORS = "6"
LANDMARKS = "500"  # the default of IKD
# Ways to place connected components, and two methods that do not need them
PLACED = {
    "mvu_disjoint": "ours, `DisjointMVU`",
    "mvu_disjoint_references": "ours, by reference points",
    "mvu_disjoint_aligned": "laid onto PCA, `AlignedDisjointMVU`",
    "mvu_disjoint_published": "as published, `PublishedDisjointMVU`",
    "tsne": "t-SNE",
    "pca": "PCA",
}


def show(name: str, root: Path = ROOT) -> str:
    """Return a sentence."""
    sentences = {
        "qpcr": _qpcr,
        "prior": _prior,
        "components": _components,
        "ikd_time": _ikd_time,
        "mvu_time": _mvu_time,
        "stopped": _stopped,
        "placement": _placement,
    }
    return sentences[name](root)


def incomplete(name: str, root: Path = ROOT) -> str:
    """Return which of the studies that a page names, such as papers/ikd, lack runs at full size."""
    with (root / PLAN).open(newline="", encoding="utf-8") as file:
        counts = {row["study"]: (row["archived"], row["cells"]) for row in csv.DictReader(file)}
    page = (root / f"docs/{name}.md").read_text(encoding="utf-8")
    named = [study for study in dict.fromkeys(re.findall(r"`(\w+)`", page)) if study in counts]
    parts = []
    for study in named:
        archived, cells = counts[study]
        if archived == "0":
            parts.append(f"`{study}` (not run)")
        elif archived != cells:
            parts.append(f"`{study}` ({archived} of {cells} cells)")
    if not parts:
        return "All studies named on this page were run completely at full size."
    return (
        f"Not completely run at full size: {', '.join(parts)}. This page rests on the cells that "
        "were run."
    )


def _qpcr(root: Path) -> str:
    """Return the places of the default IKD on qPCR, in more than three dimensions."""
    parts = []
    for dimension in ("5", "10"):
        scores = {
            row["method"]: float(row["knn_accuracy_k5_mean"])
            for row in _rows(QPCR, root, dataset="qpcr", best_of="")
            if row["method.n_components"] == dimension
        }
        place = 1 + sum(score > scores["ikd"] for score in scores.values())
        parts.append(
            f"In {dimension} dimensions its rank among {len(scores)} methods is {place}. Its "
            f"accuracy is {scores['ikd']:.2f}, that of PCA {scores['pca']:.2f}."
        )
    return f"`IKD()`, the default of this project, on qPCR: {' '.join(parts)}"


def _prior(root: Path) -> str:
    """Return the trustworthiness of nested spheres with and without neighbors in the prior."""
    scores = {
        row["method.prior_graph"]: float(row["trustworthiness_k3_mean"])
        for row in _rows(PRIOR, root, **{"dataset": "spheres", "method.gamma": "scaled"})
    }
    return (
        f"On the spheres with this weight, trustworthiness is {scores['neighbors']:.3f} with "
        f"neighbors, {scores['identity']:.3f} without and {scores['permuted']:.3f} with random "
        "ones."
    )


def _components(root: Path) -> str:
    """Return how many components neighborhood graphs of real data with classes have."""
    counts = {
        row["dataset"]: round(float(row["fit.n_connected_components_mean"]))
        for study in COMPONENTS
        for row in _rows(study, root, method="mvu_disjoint_published")
        if row["method.n_neighbors"] == NEIGHBORS
    }
    rows = [f"| {words} | {counts[name]} |" for name, words in CLASSES.items()]
    return "\n".join(
        [
            "Classes of real data are rarely connected components, as the table shows. So unfold "
            "parts separately if the data are disconnected, not because they have classes.",
            "",
            f"| data | connected components of the graph of {NEIGHBORS} neighbors |",
            "|---|---:|",
            *rows,
        ]
    )


def _ikd_time(root: Path) -> str:
    """Return how much longer than scikit-learn's default Isomap the default IKD takes."""
    parts = []
    for size in ("1000", "3000"):
        ratios = []
        for data in _rows(SPEED, root, **{"data.n_samples": size, "method": "ikd"}):
            if data["method.landmarks"] == LANDMARKS:
                isomap = {"method": "isomap", "method.n_neighbors": "5"}
                (rival,) = _rows(SPEED, root, data_cell=data["data_cell"], **isomap)
                ratios.append(_cpu_seconds(SPEED, root, data) / _cpu_seconds(SPEED, root, rival))
        times = f"{min(ratios):.1f} to {max(ratios):.1f} times"
        parts.append(f"With {size} points `IKD()` takes {times}")
    return f"{parts[0]} the CPU time of scikit-learn's default Isomap. {parts[1]} as much."


def _mvu_time(root: Path) -> str:
    """Return time and proven gap of MVU with exact edge lengths at its largest size."""
    rows = [row for row in _rows(SCALING, root, method="mvu") if row["n_ok"] == "1"]
    row = max(rows, key=lambda row: int(row["data.n_samples"]))
    minutes, gap = _cpu_seconds(SCALING, root, row) / 60, float(row["fit.duality_gap_mean"])
    return (
        f"With {row['data.n_samples']} points a fit takes {minutes:.0f} CPU minutes, and the "
        f"proven gap is {100 * gap:.2f} %."
    )


def _stopped(root: Path) -> str:
    """Return after what time fits of the study of costs were stopped, and how many."""
    import yaml

    file = root / f"workflow/studies/{COSTS}.yaml"
    limits = yaml.safe_load(file.read_text(encoding="utf-8"))["limits"].values()
    seconds = sorted({limit["seconds"] for limit in limits})
    rows = _rows(COSTS, root)
    stopped = sum(int(row["n_trials"]) - int(row["n_ok"]) for row in rows)
    return (
        f"A fit that takes longer than {' or '.join(map(str, seconds))} s, depending on the "
        "method, or more than 8 GB is stopped and counts as failed. So "
        f"{stopped} of {sum(int(row['n_trials']) for row in rows)} fits failed."
    )


def _placement(root: Path) -> str:
    """Return how well ways to place components keep neighbors and distances between them."""
    rows = _rows(PLACEMENT, root, best_of="")
    lines = []
    for method, words in PLACED.items():
        scores = [row for row in rows if row["method"] == method]
        means = (
            mean(float(row[f"{metric}_mean"]) for row in scores)
            for metric in ("trustworthiness_k12", "between_spearman")
        )
        lines.append(f"| {words} | {' | '.join(f'{value:.3f}' for value in means)} |")
    n_datasets = len({row["data_cell"] for row in rows})
    return "\n".join(
        [
            "| how components are placed | trustworthiness | rank correlation of distances |",
            "|---|---:|---:|",
            *lines,
            "",
            f"Means over {n_datasets} datasets; the correlation is that of distances between "
            "points of different components.",
        ]
    )


def _cpu_seconds(study: str, root: Path, row: dict[str, str]) -> float:
    """Return the CPU time of the cell of a row."""
    from nldr.tables import read_csv

    keys = ("data_cell", "method_cell")
    (timing,) = (
        timing
        for timing in read_csv(root / TIMINGS.format(study=study))
        if all(timing[key] == row[key] for key in keys)
    )
    return float(timing["cpu_seconds"])


def _rows(study: str, root: Path, **values: str) -> list[dict[str, str]]:
    """Return the rows of a study's summary that have some values."""
    from nldr.tables import read_csv

    rows = read_csv(root / SUMMARY.format(study=study))
    return [row for row in rows if all(row[key] == value for key, value in values.items())]
