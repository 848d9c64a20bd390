"""The variants of IKD: what is fitted to the similarities of rows, and where new rows then lie.

Each has ``fit(similarity, n_components, reference)`` and ``place(similarity)``, and after fitting
``embedding``, ``labels`` (the part of each row), ``eigenvalues``, ``share``, ``reference`` and
``blocks``: see the attributes of :class:`nldr.methods.ikd.ikd.IKD`. Similarities lie in (0, 1];
``fit`` overwrites them in the full variant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from sklearn.utils import gen_batches

from nldr.kernels import Kernel
from nldr.methods.ikd._blocks import align_to_reference, merge_blocks
from nldr.methods.ikd._components import Part, place_side_by_side, solve
from nldr.methods.ikd._coordinates import shortest_through, trilaterate
from nldr.methods.ikd._metric import edge_lengths, metric_distances
from nldr.neighborhoods.graphs import component_labels

BLOCK_ROWS = 128


class ByDistances:
    """Full variant: all distances as the similarities have them (Alg. 1)."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.blocks: list[NDArray] = []

    def fit(self, similarity: NDArray, n_components: int, reference: str | int) -> None:
        """Embed rows by their distances, each part apart."""
        distances = self.fitted_distances(similarity)
        first_reached = np.isfinite(distances).argmax(axis=1)
        self.labels = np.unique(first_reached, return_inverse=True)[1]
        self.parts: list[Part] = []
        for rows in members(self.labels):
            own = distances if len(rows) == len(distances) else distances[np.ix_(rows, rows)]
            origin: str | int = reference
            if not isinstance(reference, str):
                inside = rows == reference
                origin = int(inside.argmax()) if inside.any() else "min_max"
            self.parts.append(solve(own, n_components, origin, rows))
        self.embedding = np.empty((len(distances), n_components))
        shifts = place_side_by_side([part.embedding for part in self.parts])
        for part, shift in zip(self.parts, shifts, strict=True):
            part.shift = shift
            self.embedding[part.rows] = part.embedding
            self.embedding[part.rows, 0] += shift
        largest = self.parts[0]
        self.eigenvalues = largest.eigenvalues
        self.reference = None if largest.reference is None else largest.rows[largest.reference]
        weights = [len(part.rows) for part in self.parts]
        self.share = float(np.average([part.share for part in self.parts], weights=weights))

    def place(self, similarity: NDArray) -> NDArray:
        """Place rows by their similarities to the fitted rows, in the part of the most similar."""
        labels = self.labels[similarity.argmax(axis=1)]
        distances = self.new_distances(similarity)
        if len(self.parts) == 1:
            return self.parts[0].place(distances)
        places = np.empty((len(distances), self.embedding.shape[1]))
        for part in self.parts:
            mine = np.flatnonzero(labels == self.labels[part.rows[0]])
            places[mine] = part.place(distances[np.ix_(mine, part.rows)])
        return places

    def fitted_distances(self, similarity: NDArray) -> NDArray:
        """Squared distances between the fitted rows, infinite between parts."""
        return self.new_distances(similarity)

    def new_distances(self, similarity: NDArray) -> NDArray:
        """Squared distances of rows to the fitted rows (Eq. 2); here in place."""
        for block in gen_batches(len(similarity), BLOCK_ROWS):
            similarity[block] = self.kernel.inverse(similarity[block])
        return similarity


class ByProducts(ByDistances):
    """Geodesic variant: the largest product of similarities along a path (Sec. 2.4)."""

    def __init__(self, kernel: Kernel, threshold: float) -> None:
        super().__init__(kernel)
        self.threshold = threshold

    def fitted_distances(self, similarity: NDArray) -> NDArray:
        """Squared distances between the fitted rows, infinite between parts."""
        lengths = self._lengths(similarity)
        rows, columns = np.nonzero(np.isfinite(lengths))
        graph = csr_array((lengths[rows, columns], (rows, columns)), shape=lengths.shape)
        self.paths = shortest_path(graph, directed=False)
        return self._distances(lengths, self.paths)

    def new_distances(self, similarity: NDArray) -> NDArray:
        """Squared distances of rows to the fitted rows, infinite to other parts."""
        lengths = self._lengths(similarity)
        return self._distances(lengths, shortest_through(lengths, self.paths))

    def _lengths(self, similarity: NDArray) -> NDArray:
        """Lengths −ln s, infinite where s is below the threshold and not the largest of its row."""
        is_edge = similarity > self.threshold
        is_edge[np.arange(len(similarity)), similarity.argmax(axis=1)] = True
        return np.where(is_edge, -np.log(similarity), np.inf)

    def _distances(self, lengths: NDArray, paths: NDArray) -> NDArray:
        """f⁻¹ of the similarities of edges, and of the largest products where there is none."""
        product = np.exp(-np.where(np.isfinite(lengths), lengths, paths))
        distances = self.kernel.inverse(np.maximum(product, np.finfo(float).tiny))
        return np.where(product > 0, distances, np.inf)


class ByPaths(ByDistances):
    """Metric geodesic variant: shortest paths over edges of length √f⁻¹(s)."""

    def __init__(
        self, kernel: Kernel, n_features: int, threshold: float | None, n_neighbors: int
    ) -> None:
        super().__init__(kernel)
        self.n_features = n_features
        self.edges: dict[str, Any] = {"threshold": threshold, "n_neighbors": n_neighbors}

    def fitted_distances(self, similarity: NDArray) -> NDArray:
        """Squared distances between the fitted rows, infinite between parts."""
        distances = metric_distances(similarity, self.kernel, self.n_features, **self.edges)
        self.paths = np.sqrt(distances)
        return distances

    def new_distances(self, similarity: NDArray) -> NDArray:
        """Squared distances of rows to the fitted rows, infinite to other parts."""
        lengths = edge_lengths(similarity, self.kernel, self.n_features, **self.edges)
        return np.square(shortest_through(lengths, self.paths))


class ByBlocks:
    """Blockwise variant: cliques solved on their own and joined by rigid motions (Sec. 2.4)."""

    reference = None

    def __init__(self, kernel: Kernel, threshold: float, max_cliques: int) -> None:
        self.kernel = kernel
        self.threshold = threshold
        self.max_cliques = max_cliques

    def fit(self, similarity: NDArray, n_components: int, reference: Any) -> None:
        """Embed rows block by block, each part apart."""
        self.labels = component_labels(csr_array(similarity > self.threshold))
        self.embedding = np.empty((len(similarity), n_components))
        self._solved: list[tuple[NDArray, NDArray]] = []
        shares, parts = [], members(self.labels)
        for rows in parts:
            own = similarity[np.ix_(rows, rows)]
            merged, solved, share = merge_blocks(
                own, self.kernel, n_components, self.threshold, self.max_cliques, reference
            )
            self.embedding[rows] = _principal_axes(merged)
            self._solved += [(rows[points], embedding) for points, embedding in solved]
            shares.append(share)
        shifts = place_side_by_side([self.embedding[rows] for rows in parts])
        for rows, shift in zip(parts, shifts, strict=True):
            self.embedding[rows, 0] += shift
        self.share = float(np.average(shares, weights=[len(rows) for rows in parts]))
        self.blocks = [points for points, _ in self._solved]
        self._settle(similarity)

    def align(self, reference_embedding: NDArray, similarity: NDArray) -> bool:
        """Align the blocks with a reference embedding if it is better, and say if so."""
        self.embedding, acted = align_to_reference(
            self.embedding, self._solved, reference_embedding, similarity, self.kernel
        )
        if acted:
            self._settle(similarity)
        return acted

    def place(self, similarity: NDArray) -> NDArray:
        """Place rows by the distances to the rows tied to them, less the nearest one's error."""
        return self._trilaterated(similarity) - self.misplaced[similarity.argmax(axis=1)]

    def _settle(self, similarity: NDArray) -> None:
        """Take what follows from the embedding."""
        largest = self.embedding[members(self.labels)[0]]
        self.eigenvalues = np.square(largest - largest.mean(axis=0)).sum(axis=0)
        self.misplaced = self._trilaterated(similarity) - self.embedding

    def _trilaterated(self, similarity: NDArray) -> NDArray:
        return trilaterate(similarity, self.embedding, self.labels, self.kernel, self.threshold)


def members(labels: NDArray) -> list[NDArray]:
    """Return the rows of each part, the largest part first."""
    sizes = np.bincount(labels)
    return [np.flatnonzero(labels == part) for part in np.argsort(-sizes, kind="stable")]


def _principal_axes(embedding: NDArray) -> NDArray:
    """Center and turn points so that their columns are uncorrelated, of falling variance."""
    centered = embedding - embedding.mean(axis=0)
    turned = centered @ np.linalg.svd(centered, full_matrices=False)[2].T
    padded = np.zeros_like(embedding)
    padded[:, : turned.shape[1]] = turned
    largest = padded[np.abs(padded).argmax(axis=0), np.arange(padded.shape[1])]
    return padded * np.where(largest < 0, -1.0, 1.0)
