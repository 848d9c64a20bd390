"""Metrics of an embedding: functions of data set and embedding, imported when first used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "alignment": ["r2_affine"],
        "classification": ["knn_accuracy"],
        "ranks": ["trustworthiness_continuity"],
    },
)
