import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.linalg import block_diag
from scipy.sparse import csr_array

from nldr.datasets.manifolds import broken_swiss_roll, swiss_roll
from nldr.neighborhoods.bridges import weak_bridges, without_edges
from nldr.neighborhoods.graphs import component_labels, knn_graph


def cliques(sizes, links):
    """Complete graphs of these sizes, with some edges between them."""
    A = block_diag(*[np.ones((n, n)) - np.eye(n) for n in sizes])
    A[*np.transpose(links)] = 1
    return csr_array(A)


def grid(n_rows, n_columns, *, cyclic=False):
    """Nodes of a grid, joined to their neighbors in row and column."""
    rows, columns = np.indices((n_rows, n_columns)).reshape(2, -1)
    steps = [np.abs(x[:, np.newaxis] - x) for x in (rows, columns)]
    if cyclic:
        steps[1] = np.minimum(steps[1], n_columns - steps[1])
    return csr_array((steps[0] + steps[1] == 1).astype(float))


def test_bridge_of_a_barbell_is_found():
    assert_array_equal(weak_bridges(cliques([15, 15], [(14, 15)])), [[14, 15]])


def test_cut_of_several_edges_is_minimal():
    links = [(0, 20), (1, 21), (2, 22)]
    bridges = weak_bridges(cliques([20, 20], links))
    assert_array_equal(bridges, links)


@pytest.mark.parametrize(
    "graph",
    [
        grid(12, 12),
        grid(4, 40),
        grid(1, 80),
        grid(1, 80, cyclic=True),
        grid(3, 30, cyclic=True),
        cliques([40], [(0, 1)]),
        csr_array((5, 5)),
    ],
    ids=["grid", "strip", "path", "cycle", "band", "complete", "no edges"],
)
def test_homogeneous_graphs_have_no_weak_bridges(graph):
    assert weak_bridges(graph).shape == (0, 2)


def test_bridges_of_a_chain_of_cliques_are_all_found():
    # A strong piece beside a weak cut counts, although it is connected to a weaker one
    links = [(0, 20), (1, 22), (21, 40), (41, 60)]
    bridges = weak_bridges(cliques([20, 20, 20, 20], links))
    assert_array_equal(bridges, links)


def test_order_of_nodes_does_not_matter(rng):
    graph = cliques([14, 14], [(13, 14), (14, 13)])
    order = rng.permutation(28)
    bridges = weak_bridges(graph[order][:, order])
    assert_array_equal(np.sort(order[bridges[0]]), [13, 14])


def test_direction_and_loops_do_not_matter():
    graph = cliques([15, 15], [(15, 14)]).tolil()
    graph.setdiag(1)
    assert_array_equal(weak_bridges(graph.tocsr()), [[14, 15]])


def test_joined_pieces_of_a_noisy_roll_are_cut_apart():
    # These draws are joined by one to five edges, as is checked
    bridges = 0
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        data = broken_swiss_roll(n_samples=240, height=8.0, noise=0.2, rng=rng)
        graph = knn_graph(data.X, 12)
        assert component_labels(graph).max() == 0
        labels = component_labels(without_edges(graph, weak_bridges(graph, data.X)))
        bridges += len(np.unique(np.column_stack([labels, data.y]), axis=0)) == 2
    assert bridges == 2


def test_a_roll_is_rarely_cut():
    cut = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = swiss_roll(n_samples=200, height=10.0, noise=0.05, rng=rng).X
        cut += len(weak_bridges(knn_graph(X, 6), X)) > 0
    assert cut == 0


def test_removed_edges_are_gone_in_both_directions():
    graph = csr_array(np.ones((3, 3)))
    assert_array_equal(
        without_edges(graph, np.array([[0, 2]])).toarray(), [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    )
    assert without_edges(graph, np.empty((0, 2), dtype=int)).nnz == 9
