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
