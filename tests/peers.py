"""Second implementations of metrics: writes docs/found/peers.json, which the site shows as a table.

    python tests/peers.py

Each metric is computed on three maps, by us and by another package, or by loops that follow the
definition where there is none.
"""

import importlib
import itertools
import json
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

import nldr

FILE = Path(__file__).parents[1] / "docs/found/peers.json"
K = 7


class Case(NamedTuple):
    """Data, a map of it, labels and latent coordinates."""

    X: np.ndarray
    Z: np.ndarray
    y: np.ndarray
    latent: np.ndarray

    def __hash__(self) -> int:
        return id(self)  # so that what two metrics need is computed once


class Peer(NamedTuple):
    """A second implementation of a metric, its name, and the difference that is allowed.

    `seed` is the import path of the seed of a metric that is a random draw.
    """

    metric: str
    name: str
    function: Callable[[Case], float]
    allowed: float = 1e-9
    seed: str = ""


@cache
def cases() -> list[Case]:
    """Return a good, a mediocre and a random map."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(4, 6))
    y = np.arange(160) % 4
    groups = centers[y] + 0.7 * rng.normal(size=(160, 6))
    good = Case(groups, groups @ rng.normal(size=(6, 2)), y, groups[:, :2])
    latent = rng.uniform(size=(200, 2))
    angle = 1.5 * np.pi * (1 + 2 * latent[:, 0])
    roll = np.column_stack([angle * np.cos(angle), 21 * latent[:, 1], angle * np.sin(angle)])
    near = latent + 0.05 * rng.normal(size=(200, 2))
    mediocre = Case(roll, near, (angle > 9).astype(int), latent)
    return [good, mediocre, Case(groups, rng.normal(size=(160, 2)), y, groups[:, :2])]


def zadu(
    metric: str,
    measure: str,
    inputs: str,
    key: str = "",
    sign: int = 1,
    allowed: float = 1e-9,
    seed: str = "",
    **params: Any,
) -> Peer:
    """Return a measure of ZADU of X, Z and labels y as peer; with sign −1, one minus it."""

    def value(case: Case) -> float:
        result = zadu_scores(measure, inputs, case, **params)[key or measure]
        return result if sign > 0 else 1 - result

    return Peer(metric, "zadu", value, allowed, seed)


@cache
def zadu_scores(measure: str, inputs: str, case: Case, **params: Any) -> dict[str, float]:
    """Return all scores of a measure of ZADU on a map."""
    module = importlib.import_module(f"zadu.measures.{measure}")
    return module.measure(*(getattr(case, name) for name in inputs), **params)


def sklearn_trustworthiness(case: Case) -> float:
    from sklearn.manifold import trustworthiness

    return trustworthiness(case.X, case.Z, n_neighbors=K)


def sklearn_knn_accuracy(case: Case) -> float:
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.neighbors import KNeighborsClassifier

    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_score(KNeighborsClassifier(10), case.Z, case.y, cv=folds).mean()


def sklearn_r2(case: Case) -> float:
    from sklearn.linear_model import LinearRegression

    return LinearRegression().fit(case.Z, case.latent).score(case.Z, case.latent)


def scipy_procrustes(case: Case) -> float:
    from scipy.spatial import procrustes

    return procrustes(case.latent, case.Z)[2]


def isomap_distances(case: Case) -> float:
    from scipy.spatial.distance import pdist, squareform
    from scipy.stats import spearmanr
    from sklearn.manifold import Isomap

    graph = Isomap(n_neighbors=10).fit(case.X).dist_matrix_
    return spearmanr(squareform(graph, checks=False), pdist(case.Z))[0]


def skdim_dimension(space: str) -> Callable[[Case], float]:
    """Return a function that estimates the dimension of the data, ``X``, or of the map, ``Z``."""

    def value(case: Case) -> float:
        from skdim.id import MLE

        return MLE().fit(getattr(case, space), n_neighbors=10, comb="mle").dimension_

    return value


def gudhi_components(case: Case) -> float:
    import gudhi
    from scipy.stats import wasserstein_distance

    deaths = []
    for points in (case.X, case.Z):
        tree = gudhi.RipsComplex(points=points).create_simplex_tree(max_dimension=1)
        tree.compute_persistence(homology_coeff_field=2)
        lengths = tree.persistence_intervals_in_dimension(0)[:, 1]
        lengths = lengths[np.isfinite(lengths)]
        deaths.append(lengths / lengths.mean())
    return wasserstein_distance(*deaths)


def loops_random_triplets(case: Case) -> float:
    return _triplets_in_order(case.X[::5], case.Z[::5])


def loops_centroid_triplets(case: Case) -> float:
    means = [
        np.array([A[case.y == c].mean(axis=0) for c in np.unique(case.y)]) for A in (case.X, case.Z)
    ]
    return _triplets_in_order(*means)


def _triplets_in_order(X: np.ndarray, Z: np.ndarray) -> float:
    kept = []
    for i in range(len(X)):
        others = [j for j in range(len(X)) if j != i]
        for j, m in itertools.combinations(others, 2):
            is_nearer = [np.linalg.norm(A[i] - A[j]) < np.linalg.norm(A[i] - A[m]) for A in (X, Z)]
            kept.append(is_nearer[0] == is_nearer[1])
    return float(np.mean(kept)) if kept else float("nan")


def loops_radii(case: Case) -> float:
    from scipy.stats import spearmanr

    radii = []
    for A in (case.X, case.Z):
        squared = [sorted(((A - point) ** 2).sum(axis=1))[1:16] for point in A]
        radii.append([np.sqrt(np.mean(row)) for row in squared])
    return spearmanr(*radii)[0]


RANKS, LABELS = "trustworthiness_continuity", "label_trustworthiness_and_continuity"
RELATIVE, ANGLES = "mean_relative_rank_error", "class_angular_distortion_index"
SAMPLED = {"n_triplets": 200_000, "random_seed": 0, "seed": "nldr.metrics.angles.SEED"}
GROUPS = {"random_state": 0, "seed": "nldr.metrics.reliability.SEED"}
PEERS = (
    Peer("trustworthiness_k7", "scikit-learn", sklearn_trustworthiness),
    zadu("trustworthiness_k7", RANKS, "XZ", "trustworthiness", k=K),
    zadu("continuity_k7", RANKS, "XZ", "continuity", k=K),
    zadu("lcmc_k7", "local_continuity_meta_criteria", "XZ", "lcmc", k=K),
    zadu("neighborhood_hit_k7", "neighborhood_hit", "Zy", k=K),
    Peer("knn_accuracy_k10", "scikit-learn", sklearn_knn_accuracy),
    Peer("r2_affine", "scikit-learn", sklearn_r2),
    Peer("procrustes", "scipy", scipy_procrustes),
    zadu("kl_0.1", "kl_divergence", "XZ", sigma=0.1),
    zadu("distance_pearson", "pearson_r", "XZ"),
    zadu("distance_spearman", "spearman_rho", "XZ"),
    zadu("stress", "scale_normalized_stress", "XZ"),
    zadu("nonmetric_stress", "non_metric_stress", "XZ"),
    zadu("mrre_false_k10", RELATIVE, "XZ", "mrre_false", sign=-1, k=10),
    zadu("mrre_missing_k10", RELATIVE, "XZ", "mrre_missing", sign=-1, k=10),
    zadu("distance_consistency", "distance_consistency", "Zy"),
    zadu("label_trustworthiness", LABELS, "XZy", "label_trustworthiness"),
    zadu("label_continuity", LABELS, "XZy", "label_continuity"),
    # Of these, both sides are random samples, or means over random groups
    zadu("class_angular_distortion", ANGLES, "XZy", allowed=2e-3, **SAMPLED),
    zadu("steadiness", "steadiness_cohesiveness", "XZ", "steadiness", allowed=0.06, **GROUPS),
    zadu("cohesiveness", "steadiness_cohesiveness", "XZ", "cohesiveness", allowed=0.06, **GROUPS),
    Peer("geodesic_spearman_k10", "scikit-learn", isomap_distances),
    Peer("dimension_data", "scikit-dimension", skdim_dimension("X")),
    Peer("dimension_map", "scikit-dimension", skdim_dimension("Z")),
    Peer("persistence_distance", "gudhi", gudhi_components),
    Peer("random_triplet_accuracy", "loops", loops_random_triplets),
    Peer("centroid_triplet_accuracy", "loops", loops_centroid_triplets),
    Peer("radius_spearman_k15", "loops", loops_radii),
)


def difference(peer: Peer) -> float:
    """Return the largest difference between the two implementations over all maps."""
    differences = []
    for case in cases():
        X, Z, y, latent = case
        if peer.metric == "random_triplet_accuracy":
            X, Z, y, latent = (array[::5] for array in case)
        if peer.metric == "centroid_triplet_accuracy" and len(np.unique(y)) < 3:
            continue
        ours = nldr.evaluate(X, Z, y, latent=latent, metrics=peer.metric)[peer.metric]
        differences.append(abs(ours - peer.function(case)))
    return float(max(differences))


def spread(peer: Peer, n_seeds: int = 10) -> float:
    """Return the largest standard deviation over seeds of a random draw, over all maps."""
    spreads = []
    for X, Z, y, _ in cases():
        values = []
        for seed in range(n_seeds):
            with patch(peer.seed, seed):
                values.append(nldr.evaluate(X, Z, y, metrics=peer.metric)[peer.metric])
        spreads.append(np.std(values, ddof=1))
    return float(max(spreads))


def main() -> None:
    """Compare all metrics and write the differences."""
    rows = []
    for peer in PEERS:
        where = peer.name if peer.name == "loops" else f"{peer.name} {version(peer.name)}"
        row: dict[str, Any] = {"metric": peer.metric, "peer": where}
        rows.append(row | {"difference": difference(peer)})
        if peer.seed:
            rows[-1]["spread"] = spread(peer)
        print(rows[-1], flush=True)
    FILE.write_text(json.dumps({"rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
