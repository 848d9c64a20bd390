"""Weak bridges: few edges of a neighborhood graph that hold two well-connected parts together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from nldr.neighborhoods.graphs import component_labels

LEVEL = 1e-3  # significance level of the test, for all cuts of a graph together
SMALLEST = 10  # points that each side of a cut must have
PLAUSIBLE = 0.05  # probability of so few edges above which their lengths are not tested
FEW = 4  # edges up to which the rank-sum test is exact
DENSE = 300  # points up to which all eigenvectors are computed


@dataclass(frozen=True)
class _Piece:
    """Part of a graph, and the number of edges in its smallest balanced cut."""

    nodes: NDArray
    strength: int


def weak_bridges(graph: csr_array, X: NDArray | None = None, *, level: float = LEVEL) -> NDArray:
    """Return the edges of cuts that are significantly weaker than the parts on both sides.

    The graph is cut in two again and again: along the Fiedler vector, where the number of cut edges
    per point is least, and then along the minimum cut between the half of the points on each side
    that is farthest from there. A cut is a weak bridge if each side would need significantly more
    edges to be cut itself and, if points are given, if the edges are long.

    Parameters
    ----------
    graph : csr_array of shape (n_nodes, n_nodes)
        Adjacency matrix; every stored entry is an edge, in either direction.
    X : ndarray of shape (n_nodes, n_features), default=None
        Points, for the lengths of the edges.
    level : float, default=1e-3
        Probability with which a graph without weak bridges may be cut.

    Returns
    -------
    ndarray of shape (n_bridges, 2)
        Edges i < j whose removal disconnects the graph further; empty if there are none.

    Notes
    -----
    If a cut of c edges and one of b edges within a side were equally strong, each of the c + b
    edges would belong to either with probability 1/2, and c would follow a binomial distribution.
    The test rejects this for both sides, at `level` divided by the number of cuts that were tried.
    A long strip is therefore not cut, since its halves are no stronger, nor is a chain, where
    every edge is a bridge.

    With points, Fisher's method adds a rank-sum test of the lengths of the cut edges among all, if
    the first test alone rejects at 5 %. Lengths are relative to the median ones at both ends. They
    count with a probability of at least 1e-3, so that long edges alone do not make a bridge.

    Examples
    --------
    Two complete graphs of twelve nodes, joined by one edge:

    >>> A = np.kron(np.eye(2), np.ones((12, 12)) - np.eye(12))
    >>> A[0, 12] = 1
    >>> weak_bridges(csr_array(A)).tolist()
    [[0, 12]]
    """
    # Undirected graph without loops, and the relative lengths of its edges
    coo = graph.tocoo()
    proper = coo.row != coo.col
    pairs = np.sort(np.column_stack([coo.row, coo.col])[proper], axis=1).astype(np.int64)
    pairs = np.unique(pairs, axis=0)
    rows, columns = np.concatenate([pairs, pairs[:, ::-1]]).T
    ones = np.ones(len(rows), dtype=np.int32)
    links = coo_array((ones, (rows, columns)), shape=graph.shape).tocsr()
    lengths = None if X is None else _relative_lengths(pairs, X)

    # All cuts, and the weak ones among them
    cuts: list[tuple[float, NDArray]] = []
    _split(_Split(links, pairs, lengths, level, cuts), np.arange(len(pairs) and graph.shape[0]))
    weak = [edges for p, edges in cuts if p <= level / len(cuts)]
    if not weak:
        return np.empty((0, 2), dtype=int)

    # Those edges that disconnect the graph when all are removed
    removed = np.unique(np.concatenate(weak), axis=0)
    after = component_labels(without_edges(links, removed))
    return removed[after[removed[:, 0]] != after[removed[:, 1]]]


def without_edges(graph: csr_array, edges: NDArray) -> csr_array:
    """Return a graph without some edges, in neither direction.

    Parameters
    ----------
    graph : csr_array of shape (n_nodes, n_nodes)
        Adjacency matrix.
    edges : ndarray of shape (n_edges, 2)
        Pairs of nodes.

    Returns
    -------
    csr_array of shape (n_nodes, n_nodes)
        The other entries of the graph.

    Examples
    --------
    >>> without_edges(csr_array(np.ones((2, 2))), np.array([[1, 0]])).toarray()
    array([[1., 0.],
           [0., 1.]])
    """
    coo, n_nodes = graph.tocoo(), graph.shape[0]
    code = coo.row.astype(np.int64) * n_nodes + coo.col
    removed = np.concatenate([edges @ [n_nodes, 1], edges @ [1, n_nodes]])
    mask = ~np.isin(code, removed)
    entries = coo.data[mask], (coo.row[mask], coo.col[mask])
    return coo_array(entries, shape=graph.shape).tocsr()


@dataclass(frozen=True)
class _Split:
    """Graph that is being split, and the cuts so far: their probabilities and edges."""

    links: csr_array
    pairs: NDArray
    lengths: NDArray | None
    level: float
    cuts: list[tuple[float, NDArray]]


def _split(task: _Split, nodes: NDArray) -> list[_Piece]:
    """Return the pieces of a subgraph between weak bridges, and note all cuts."""
    labels = component_labels(task.links[nodes][:, nodes])
    parts = [nodes[labels == label] for label in range(labels.max(initial=-1) + 1)]
    return [piece for part in parts for piece in _split_connected(task, part)]


def _split_connected(task: _Split, nodes: NDArray) -> list[_Piece]:
    """Return the pieces of a connected subgraph."""
    side = _weakest_cut(task.links[nodes][:, nodes])
    if side is None:
        return [_Piece(nodes, 0)]

    # Edges of the cut, and others of the subgraph
    position = np.full(task.links.shape[0], -1)
    position[nodes] = side
    ends = position[task.pairs]
    inside = (ends >= 0).all(axis=1)
    cut = inside & (ends[:, 0] != ends[:, 1])
    undivided = [_Piece(nodes, int(cut.sum()))]
    if min(side.sum(), (~side).sum()) < SMALLEST:
        return undivided

    # Pieces of both sides, and how strong those are that the cut touches
    pieces = [_split(task, nodes[part]) for part in (side, ~side)]
    touched = [
        [p.strength for p in part if np.isin(task.pairs[cut], p.nodes).any()] for part in pieces
    ]
    probability = _probability(task, cut, inside & ~cut, [min(part) for part in touched])
    task.cuts.append((probability, task.pairs[cut]))

    # The number of cuts is not known yet: at most one for each SMALLEST nodes
    max_cuts = max(task.links.shape[0] // SMALLEST, 1)
    return pieces[0] + pieces[1] if probability <= task.level / max_cuts else undivided


def _probability(task: _Split, cut: NDArray, others: NDArray, strengths: list[int]) -> float:
    """Return the probability of a cut as weak as this one."""
    from scipy.stats import binom, combine_pvalues, mannwhitneyu

    # Number of edges, against both sides
    size = int(cut.sum())
    p_count = max(float(binom.cdf(size, size + strength, 0.5)) for strength in strengths)
    if task.lengths is None or p_count > PLAUSIBLE:
        return p_count

    # Lengths, against all other edges
    method = "exact" if size <= FEW else "asymptotic"
    test = mannwhitneyu(
        task.lengths[cut], task.lengths[others], alternative="greater", method=method
    )
    return float(combine_pvalues([p_count, max(test.pvalue, LEVEL)]).pvalue)


def _relative_lengths(pairs: NDArray, X: NDArray) -> NDArray:
    """Return lengths of edges, relative to the median ones at both ends."""
    lengths = np.linalg.norm(X[pairs[:, 0]] - X[pairs[:, 1]], axis=1)
    ends, both = pairs.T.ravel(), np.tile(lengths, 2)

    # Median length at each node: middle entry of its sorted lengths
    order = np.lexsort([both, ends])
    counts = np.bincount(ends, minlength=len(X))
    first = np.cumsum(counts) - counts
    median = np.ones(len(X))
    median[counts > 0] = both[order][(first + counts // 2)[counts > 0]]
    scale = np.sqrt(median[pairs[:, 0]] * median[pairs[:, 1]])
    return np.divide(lengths, scale, out=np.zeros_like(lengths), where=scale > 0)


def _weakest_cut(links: csr_array) -> NDArray | None:
    """Return on which side of a small, balanced cut each node is; None if there are too few."""
    n_nodes = links.shape[0]
    if n_nodes < 4:
        return None
    rank = np.argsort(np.argsort(_fiedler(links), kind="stable"), kind="stable")

    # Edges cut between positions s - 1 and s of the order, per point on the smaller side
    ends = links.tocoo()
    low = np.minimum(rank[ends.row], rank[ends.col]) + 1
    high = np.maximum(rank[ends.row], rank[ends.col]) + 1
    change = np.bincount(low, minlength=n_nodes + 1) - np.bincount(high, minlength=n_nodes + 1)
    sizes = np.arange(1, n_nodes)
    crossing = np.cumsum(change)[1:n_nodes]
    best = int(np.argmin(crossing / np.minimum(sizes, n_nodes - sizes))) + 1

    # Minimum cut between the far half of the points on each side
    return _minimum_cut(links, rank < (best + 1) // 2, rank >= (best + n_nodes) // 2)


def _fiedler(links: csr_array) -> NDArray:
    """Return the eigenvector of the second smallest eigenvalue of the normalized Laplacian."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import eigsh

    scale = 1 / np.sqrt(links.sum(axis=1))
    normalized = diags_array(scale) @ links @ diags_array(scale)
    n_nodes = links.shape[0]
    if n_nodes <= DENSE:
        vectors = eigh(normalized.toarray(), subset_by_index=[n_nodes - 2, n_nodes - 1])[1]
        return scale * vectors[:, 0]
    laplacian = diags_array(np.ones(n_nodes)) - normalized
    start = np.random.default_rng(0).uniform(-1, 1, n_nodes)
    values, vectors = eigsh(laplacian.tocsc(), 2, sigma=-1e-3, v0=start, tol=1e-6, rng=0)
    return scale * vectors[:, np.argmax(values)]


def _minimum_cut(links: csr_array, sources: NDArray, sinks: NDArray) -> NDArray:
    """Return the nodes on the side of the sources of a minimum cut."""
    # A source and a sink of unlimited capacity
    n_nodes = links.shape[0]
    coo = links.tocoo()
    first, last = np.flatnonzero(sources), np.flatnonzero(sinks)
    rows = np.concatenate([coo.row, np.full(len(first), n_nodes), last])
    columns = np.concatenate([coo.col, first, np.full(len(last), n_nodes + 1)])
    unlimited = np.full(len(first) + len(last), coo.nnz + 1)
    capacity = np.concatenate([np.ones(coo.nnz), unlimited]).astype(np.int32)
    shape = (n_nodes + 2, n_nodes + 2)
    network = csr_array((capacity, (rows, columns)), shape=shape)
    flow = maximum_flow(network, n_nodes, n_nodes + 1).flow

    # Nodes that the source still reaches
    residual = (network - flow).tocsr()
    residual.eliminate_zeros()
    reached = breadth_first_order(residual, n_nodes, return_predecessors=False)
    side = np.zeros(n_nodes + 2, dtype=bool)
    side[reached] = True
    return side[:n_nodes]
