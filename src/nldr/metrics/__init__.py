"""Quality metrics: functions of a dataset and an embedding, imported on first use.

A scorer of the catalog is a function ``scorer(data, embedding, **params)`` that returns the values
of its metrics by name. `data` is a :class:`nldr.dataset.Dataset`; its clean observations are used
if they are known. `embedding` is an array of shape (n_samples, n_components) with the rows of the
data in the same order. `k` are numbers of neighbors, and `n_jobs` is the number of threads, on
which the scores do not depend. Every metric raises ValueError if the numbers of rows differ, if an
array contains NaN or infinity, if the labels or the latent that it needs are missing, or if a
number of neighbors or a bandwidth is not positive.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "alignment": ["procrustes", "r2_affine"],
        "angles": ["class_angular_distortion"],
        "classification": ["knn_accuracy"],
        "components": ["between", "within"],
        "consistency": ["distance_consistency", "label_trustworthiness_continuity"],
        "coranking": ["q_nx_curve", "r_nx_auc"],
        "density": ["kl_sigma"],
        "distances": ["distance_pearson", "distance_spearman", "shepard", "stress"],
        "enclosure": ["in_hull"],
        "evaluation": ["evaluate"],
        "geodesic": ["geodesic_spearman"],
        "neighbors": ["neighborhood_hit"],
        "nonmetric": ["nonmetric_stress"],
        "persistence": ["persistence_distance"],
        "pointwise": ["pointwise_errors"],
        "radii": ["radius_spearman"],
        "ranks": ["q_nx", "trustworthiness_continuity"],
        "recovery": ["doubt_ratio", "shared_neighbors"],
        "relative_ranks": ["mean_relative_rank_errors"],
        "reliability": ["steadiness_cohesiveness"],
        "rings": ["is_torn"],
        "selection": ["AllRows", "scorer"],
        "triplets": ["triplet_accuracy"],
    },
)
