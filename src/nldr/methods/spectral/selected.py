"""LLE of the released code of disjoint MVU, with the rounding errors of one kind of result."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import kneighbors_graph
from sklearn.utils import check_random_state

from nldr.methods._docs import inherit_docs
from nldr.methods.spectral.released import ReleasedLLE
from nldr.methods.spectral.rounded import Rounded, RoundedLLE
from nldr.validation import StrOptions

DRAWS = 50  # of rounding errors until a result is of the kind that was asked for


@inherit_docs(ReleasedLLE, Rounded)
class SelectedLLE(RoundedLLE):
    """LLE of the released code, in one of its two kinds of results on two components.

    The rows are sorted by component, so that the dense matrix is block diagonal and each of its
    eigenvectors is zero on all components but one. The first, constant on a component, is omitted;
    rounding errors decide which component that is. In two dimensions, the constant vector of the
    other component and the first vector that is not constant remain. Where both belong to one
    component, the other is a point at the origin. Where they do not, one component is a line, and
    the other nearly a point, away from the origin, with rounding errors that have its shape.

    Parameters
    ----------
    n_components, n_neighbors, solver, unit, random_state
    point : {"origin", "elsewhere"}, default="origin"
        Where the component is that is a point. Rounding errors are drawn until it is there.

    Attributes
    ----------
    embedding_

    Raises
    ------
    ValueError
        If no draw of 50 has such a result, as on one component.

    Examples
    --------
    >>> X = np.random.default_rng(0).random((60, 3)) + np.repeat([0, 50], 30)[:, np.newaxis]
    >>> Z = SelectedLLE(2, random_state=0).fit_transform(X)
    >>> not np.any(Z[:30]), not np.any(Z[30:])
    (True, False)
    """

    _parameter_constraints: dict = {
        name: constraint
        for name, constraint in RoundedLLE._parameter_constraints.items()
        if name != "enhanced"
    } | {"point": [StrOptions({"origin", "elsewhere"})]}

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        solver: str = "inverse",
        unit: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
        point: str = "origin",
    ) -> None:
        super().__init__(
            n_components,
            n_neighbors=n_neighbors,
            solver=solver,
            unit=unit,
            random_state=random_state,
        )
        self.point = point

    def _fit(self, data: NDArray) -> None:
        graph = kneighbors_graph(data, self.n_neighbors)
        n_labels, labels = connected_components(graph, directed=False)
        rng = check_random_state(self.random_state)
        model = RoundedLLE(
            self.n_components,
            n_neighbors=self.n_neighbors,
            solver=self.solver,
            unit=self.unit,
            random_state=rng,
        )
        self.embedding_ = np.empty((len(data), self.n_components))
        for _ in range(DRAWS):
            # Blocks and their rows in random order: one of the constant vectors may be the first
            # in most draws of one order
            order = np.lexsort((rng.permutation(len(data)), rng.permutation(n_labels)[labels]))
            self.embedding_[order] = model.fit_transform(data[order])
            is_at_origin = any(
                not np.any(self.embedding_[labels == label]) for label in range(n_labels)
            )
            if is_at_origin == (self.point == "origin"):
                return
        where = "at the origin" if self.point == "origin" else "away from the origin"
        raise ValueError(
            f"no result of {DRAWS} has a component that is a point {where}: use data whose graph "
            "has two components, or another point"
        )
