"""Neighborhood graphs, remedies for disconnected ones, and estimates of the dimension.

Methods that rely on a graph of nearest neighbors fail or lose their meaning when that graph has
several connected components. :func:`repair` builds the graph and applies the remedy that the user
chose: raise an error, warn, add edges or use more neighbors. Its building blocks are available
separately: :func:`knn_graph` and :func:`component_labels` build and inspect graphs,
:func:`joining_edges` joins components. :func:`intrinsic_dimension` estimates the dimension of a
manifold from its points, :func:`eigengap` from the eigenvalues of an embedding.
:func:`weak_bridges` finds few edges that hold well-connected parts of a graph together.

Examples
--------
>>> import numpy as np
>>> X = np.array([[0.0], [1.0], [8.0], [9.5]])
>>> component_labels(knn_graph(X, 1))
array([0, 0, 1, 1], dtype=int32)
>>> repaired = repair(X, 1, "bridges", "no path connects them")
>>> component_labels(repaired.graph)
array([0, 0, 0, 0], dtype=int32)
>>> repaired.added_edges
array([[1, 2]])
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "bridges": ["weak_bridges"],
        "dimension": ["eigengap", "intrinsic_dimension"],
        "graphs": [
            "DisconnectedGraphWarning",
            "check_connected",
            "closed_group_labels",
            "closest_pairs",
            "component_labels",
            "knn_graph",
        ],
        "joining": ["REMEDIES", "RepairedGraph", "joining_edges", "repair"],
        "patches": ["barycentric_weights"],
    },
)
