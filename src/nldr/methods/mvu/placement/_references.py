"""Connected components, and the unfolding of their reference points, with rigid components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nldr.methods.mvu._edges import squared_lengths
from nldr.methods.mvu.interior._face import face_basis, independent_edges
from nldr.methods.mvu.interior._problem import UnfoldingProblem
from nldr.methods.mvu.interior._solver import unfold
from nldr.methods.mvu.mvu import MVU
from nldr.neighborhoods.bridges import weak_bridges, without_edges
from nldr.neighborhoods.graphs import closest_pairs, component_labels, knn_graph
from nldr.neighborhoods.joining import with_edges


@dataclass(frozen=True)
class UnfoldedReferences:
    """Maximum variance unfolding of rigid groups of points.

    Attributes
    ----------
    coordinates : ndarray of shape (n_points, n_free)
        Points on principal axes in descending order of variance, in units of the data.
    trace : float
        Sum of their squared distances from the mean.
    bound : float
        Proven upper bound on the trace of every solution.
    violation : float
        Largest deviation of a fixed squared distance, in mean squared distances, those included
        that were left out of the problem as dependent on others.
    """

    coordinates: NDArray
    trace: float
    bound: float
    violation: float


def unfold_references(
    points: NDArray,
    groups: Sequence[NDArray],
    between: NDArray,
    squared: NDArray,
    *,
    tol: float,
    max_iter: int,
) -> UnfoldedReferences:
    """Return the unfolding that keeps all distances within groups, and some between them.

    Eqs. 45 to 48 of Costa. Each group of `points` is in a system of its own. `between` are pairs of
    rows that join all groups and keep their `squared` distances; `tol` is the duality gap to reach,
    relative to the trace.

    Examples
    --------
    Two segments of length 1, joined by an edge of length 1 at their ends, form a line:

    >>> ends = np.array([[0.0], [1.0], [0.0], [1.0]])
    >>> groups = [np.array([0, 1]), np.array([2, 3])]
    >>> options = {"tol": 1e-4, "max_iter": 100}
    >>> line = unfold_references(ends, groups, np.array([[1, 2]]), np.array([1.0]), **options)
    >>> round(float(np.ptp(line.coordinates[:, 0])), 2)
    3.0
    """
    # Edges: all pairs within groups, and the given pairs between them
    complete = [pair for group in groups for pair in combinations(group.tolist(), 2)]
    within = np.array(complete, dtype=int).reshape(-1, 2)
    edges = np.concatenate([within, between])
    lengths = np.append(squared_lengths(points, within), squared)
    scale = lengths.mean()

    # Each group is rigid: facial reduction, and independent constraints
    basis = face_basis(points, groups)
    chosen = independent_edges(basis, edges)
    problem = UnfoldingProblem(basis, edges[chosen], lengths[chosen] / scale, shrink=False)
    solution = unfold(problem, tol, max_iter)

    violation = np.abs(squared_lengths(solution.coordinates, edges) - lengths / scale).max()
    return UnfoldedReferences(
        coordinates=np.sqrt(scale) * solution.coordinates,
        trace=float(scale * np.square(solution.coordinates).sum()),
        bound=float(scale * solution.bound),
        violation=float(violation),
    )


@dataclass(frozen=True)
class JointCertificate:
    """Certificate of several unfoldings: of components, and of their reference points.

    Attributes
    ----------
    trace, bound : float
        Sums over the problems.
    gap : float
        Relative gap between bound and trace of largest magnitude.
    violation : float
        Largest violation of a problem, in its mean squared lengths.
    """

    trace: float
    bound: float
    gap: float
    violation: float


def joint_certificate(
    mvus: Sequence[MVU], references: UnfoldedReferences | None
) -> JointCertificate:
    """Return the certificate of fitted components and, if there are any, of reference points.

    Examples
    --------
    >>> mvu = MVU(1, n_neighbors=1, tol=1e-6).fit([[0.0], [1.0], [1.5]])
    >>> round(joint_certificate([mvu, mvu], None).bound, 3)
    2.333
    """
    problems = [(m.trace_, m.dual_bound_, m.max_violation_) for m in mvus]
    if references is not None:
        problems.append((references.trace, references.bound, references.violation))
    traces, bounds, violations = np.array(problems).T
    gaps = np.divide(bounds - traces, traces, out=np.zeros_like(traces), where=traces > 0)
    return JointCertificate(
        trace=float(traces.sum()),
        bound=float(bounds.sum()),
        gap=float(gaps[np.abs(gaps).argmax()]),
        violation=float(violations.max()),
    )


def separate_components(X: NDArray, n_neighbors: int) -> NDArray:
    """Return the connected component of each row; components at distance zero count as one.

    Examples
    --------
    >>> separate_components(np.array([[0.0], [1.0], [5.0], [6.0]]), 1).tolist()
    [0, 0, 1, 1]
    """
    return component_labels(_with_repeated(X, knn_graph(X, n_neighbors)))


def cut_components(X: NDArray, n_neighbors: int) -> tuple[NDArray, NDArray]:
    """Return the component of each row after weak bridges are cut, and these bridges.

    See :func:`nldr.neighborhoods.weak_bridges`. A component of fewer than ``n_neighbors + 1``
    points is not cut off.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sheet = rng.uniform(size=(120, 2)) * [4, 4]
    >>> X = np.concatenate([sheet, [11, 0] - sheet * [1, -1], [[5.5, 2.0]]])
    >>> int(separate_components(X, 6).max()), int(cut_components(X, 6)[0].max())
    (0, 1)
    """
    graph = knn_graph(X, n_neighbors)
    bridges = weak_bridges(graph, X)
    cut = _with_repeated(X, without_edges(graph, bridges))
    labels = component_labels(cut)
    if np.bincount(labels).min() <= n_neighbors:
        bridges = bridges[:0]
        labels = component_labels(_with_repeated(X, graph))
    return labels, bridges[labels[bridges[:, 0]] != labels[bridges[:, 1]]]


def _with_repeated(X: NDArray, graph: csr_array) -> csr_array:
    """Return a graph with components at distance zero joined."""
    pairs, lengths = closest_pairs(X, component_labels(graph))
    return with_edges(graph, pairs[lengths == 0])
