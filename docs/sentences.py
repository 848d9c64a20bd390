"""Sentences with numbers of the record's tables, for the pages of papers."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
SUMMARY = "results/archive/studies/{study}/summary.csv.xz"
QPCR, PRIOR, COMPONENTS = "ikd_tuned_fig3", "lolagp_prior", ("mvu_disjoint", "mvu_released_rivals")
STUDIES = (QPCR, PRIOR, *COMPONENTS)
# Real data with classes of which a graph of nearest neighbors was cut into components
CLASSES = {
    "digits_01": "the digits 0 and 1",
    "umist_3": "three people of UMIST who were chosen to be far apart",
    "coil20": "the 20 objects of COIL-20",
    "orl": "the 40 people of ORL",
}
NEIGHBORS = "6"


def show(name: str, root: Path = ROOT) -> str:
    """Return a sentence."""
    return {"qpcr": _qpcr, "prior": _prior, "components": _components}[name](root)


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
            f"In {dimension} dimensions it is number {place} of {len(scores)} methods. Its "
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
    *parts, last = [f"{counts[name]} on {words}" for name, words in CLASSES.items()]
    return (
        f"Classes of real data are rarely connected components. Graphs of {NEIGHBORS} neighbors "
        f"have this many components: {', '.join(parts)} and {last}. So unfold parts separately if "
        "the data are disconnected, not because they have classes."
    )


def _rows(study: str, root: Path, **values: str) -> list[dict[str, str]]:
    """Return the rows of a study's summary that have some values."""
    from nldr.tables import read_csv

    rows = read_csv(root / SUMMARY.format(study=study))
    return [row for row in rows if all(row[key] == value for key, value in values.items())]
