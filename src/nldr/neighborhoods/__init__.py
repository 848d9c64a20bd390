"""Neighborhood graphs, remedies for disconnected ones, and the intrinsic dimension."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "dimension": ["eigengap", "intrinsic_dimension"],
        "graphs": ["knn_graph"],
        "joining": ["joining_edges"],
    },
)
