"""Quality metrics: functions of a dataset and an embedding, imported on first use."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "alignment": ["procrustes", "r2_affine"],
        "classification": ["knn_accuracy"],
        "components": ["between", "within"],
        "coranking": ["q_nx_curve", "r_nx_auc"],
        "density": ["kl_sigma"],
        "distances": ["distance_pearson", "distance_spearman", "shepard", "stress"],
        "enclosure": ["in_hull"],
        "evaluation": ["evaluate"],
        "neighbors": ["neighborhood_hit"],
        "pointwise": ["pointwise_errors"],
        "ranks": ["q_nx", "trustworthiness_continuity"],
        "rings": ["is_torn"],
        "selection": ["AllRows", "scorer"],
    },
)
