"""The variants of IKD. They differ in how they derive distances from similarities.

Every variant has ``fit(similarity, n_components, reference)`` and ``transform(similarity)``, and
after fitting the attributes ``embedding``, ``labels`` (the connected component of each row),
``eigenvalues``, ``explained_share``, ``reference`` and ``blocks``, which
:class:`nldr.methods.ikd.ikd.IKD` documents. Similarities lie in (0, 1]; the full variant overwrites
the matrices that it gets.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from sklearn.utils import gen_batches

from nldr.kernels import Kernel
from nldr.methods._base import fix_signs
from nldr.methods.ikd._blocks import align_to_reference, merge_blocks
from nldr.methods.ikd._components import (
    ComponentEmbedding,
    embed_distances,
    side_by_side_shifts,
)
from nldr.methods.ikd._geodesic import edge_lengths, metric_distances
from nldr.methods.ikd._out_of_sample import extend_paths, trilaterate
from nldr.neighborhoods.graphs import component_labels

CHUNK_ROWS = 128  # rows whose similarities are inverted at a time, to limit temporary memory


class FullVariant:
    """Invert every similarity (Alg. 1). Base class of the variants that need all distances."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.blocks: list[NDArray] = []

    def fit(self, similarity: NDArray, n_components: int, reference: str | int) -> None:
        """Embed the rows by their distances, each connected component separately."""
        distances = self.training_distances(similarity)
        # Rows of one component reach the same first row.
        first_reached = np.isfinite(distances).argmax(axis=1)
        self.labels = np.unique(first_reached, return_inverse=True)[1]
        # Alg. 1, lines 5 and 6, in each component
        self.components: list[ComponentEmbedding] = []
        for rows in rows_by_component(self.labels):
            within = distances if len(rows) == len(distances) else distances[np.ix_(rows, rows)]
            origin: str | int = reference
            if not isinstance(reference, str):
                # A reference row serves its own component only.
                inside = rows == reference
                origin = int(inside.argmax()) if inside.any() else "min_max"
            self.components.append(embed_distances(within, n_components, origin, rows))
        self.embedding = np.empty((len(distances), n_components))
        shifts = side_by_side_shifts([component.embedding for component in self.components])
        for component, shift in zip(self.components, shifts, strict=True):
            component.shift = shift
            self.embedding[component.rows] = component.embedding
            self.embedding[component.rows, 0] += shift
        largest = self.components[0]
        self.eigenvalues = largest.eigenvalues
        self.reference = None if largest.reference is None else largest.rows[largest.reference]
        shares = [component.explained_share for component in self.components]
        weights = [len(component.rows) for component in self.components]
        self.explained_share = float(np.average(shares, weights=weights))

    def transform(self, similarity: NDArray) -> NDArray:
        """Return coordinates of new rows, each in the component of its most similar fitted row."""
        labels = self.labels[similarity.argmax(axis=1)]
        distances = self.new_distances(similarity)
        if len(self.components) == 1:
            return self.components[0].transform(distances)
        coordinates = np.empty((len(distances), self.embedding.shape[1]))
        for component in self.components:
            joining = np.flatnonzero(labels == self.labels[component.rows[0]])
            to_component = distances[np.ix_(joining, component.rows)]
            coordinates[joining] = component.transform(to_component)
        return coordinates

    def training_distances(self, similarity: NDArray) -> NDArray:
        """Return the pairwise squared distances, infinite between components."""
        return self.new_distances(similarity)

    def new_distances(self, similarity: NDArray) -> NDArray:
        """Return the squared distances of rows to the fitted rows (Eq. 2), here in place."""
        for chunk in gen_batches(len(similarity), CHUNK_ROWS):
            similarity[chunk] = self.kernel.inverse(similarity[chunk])
        return similarity


class GeodesicVariant(FullVariant):
    """Replace low similarities by the largest product of similarities along a path (Sec. 2.4)."""

    def __init__(self, kernel: Kernel, threshold: float) -> None:
        super().__init__(kernel)
        self.threshold = threshold

    def training_distances(self, similarity: NDArray) -> NDArray:
        """Return the pairwise squared distances, infinite between components."""
        lengths = self._edge_lengths(similarity)
        rows, columns = np.nonzero(np.isfinite(lengths))
        graph = csr_array((lengths[rows, columns], (rows, columns)), shape=lengths.shape)
        # The shortest path over lengths −ln s has the largest product of similarities s.
        self.paths = shortest_path(graph, directed=False)
        return self._squared_distances(lengths, self.paths)

    def new_distances(self, similarity: NDArray) -> NDArray:
        """Return the squared distances of rows to the fitted rows, infinite between components."""
        lengths = self._edge_lengths(similarity)
        return self._squared_distances(lengths, extend_paths(lengths, self.paths))

    def _edge_lengths(self, similarity: NDArray) -> NDArray:
        """Return −ln s where s exceeds the threshold or is the largest of its row, else ∞."""
        is_edge = similarity > self.threshold
        is_edge[np.arange(len(similarity)), similarity.argmax(axis=1)] = True
        return np.where(is_edge, -np.log(similarity), np.inf)

    def _squared_distances(self, lengths: NDArray, paths: NDArray) -> NDArray:
        """Return f⁻¹ of the similarities of edges, and of the largest products for other pairs."""
        return self._invert(np.where(np.isfinite(lengths), lengths, paths))

    def _invert(self, lengths: NDArray) -> NDArray:
        """Return f⁻¹(exp(−length)), or ∞ where there is no path."""
        product = np.maximum(np.exp(-lengths), np.finfo(float).tiny)
        return np.where(np.isfinite(lengths), self.kernel.inverse(product), np.inf)


class NeighborGeodesicVariant(GeodesicVariant):
    """Multiply similarities along paths of the graph of most similar rows, as in Fig. 3."""

    def __init__(self, kernel: Kernel, n_neighbors: int) -> None:
        super().__init__(kernel, threshold=0.0)
        self.n_neighbors = n_neighbors

    def training_distances(self, similarity: NDArray) -> NDArray:
        """Return the pairwise squared distances, infinite between components."""
        np.fill_diagonal(similarity, 0.0)  # a row is not its own neighbor
        return super().training_distances(similarity)

    def _edge_lengths(self, similarity: NDArray) -> NDArray:
        """Return −ln s of the neighbors of each row, else ∞."""
        # Rows that tie with the last neighbor are neighbors too, whatever the order of the rows.
        n_kept = min(self.n_neighbors, similarity.shape[1] - 1)
        least = np.partition(similarity, -n_kept, axis=1)[:, [-n_kept]]
        lengths = np.full(similarity.shape, np.inf)
        lengths[similarity >= least] = -np.log(similarity[similarity >= least])
        return lengths

    def _squared_distances(self, lengths: NDArray, paths: NDArray) -> NDArray:
        """Return f⁻¹ of the largest products, also where an edge has a smaller similarity."""
        return self._invert(paths)


class MetricGeodesicVariant(FullVariant):
    """Use shortest paths over edges of length √f⁻¹(s)."""

    def __init__(
        self, kernel: Kernel, n_features: int, threshold: float | None, n_neighbors: int
    ) -> None:
        super().__init__(kernel)
        self.n_features = n_features
        self.edge_options: dict[str, Any] = {"threshold": threshold, "n_neighbors": n_neighbors}

    def training_distances(self, similarity: NDArray) -> NDArray:
        """Return the pairwise squared distances, infinite between components."""
        distances = metric_distances(similarity, self.kernel, self.n_features, **self.edge_options)
        self.paths = np.sqrt(distances)
        return distances

    def new_distances(self, similarity: NDArray) -> NDArray:
        """Return the squared distances of rows to the fitted rows, infinite between components."""
        lengths = edge_lengths(similarity, self.kernel, self.n_features, **self.edge_options)
        return np.square(extend_paths(lengths, self.paths))


class BlockwiseVariant:
    """Embed cliques of similar rows and merge them by rigid motions (Sec. 2.4)."""

    reference = None

    def __init__(self, kernel: Kernel, threshold: float, max_cliques: int) -> None:
        self.kernel = kernel
        self.threshold = threshold
        self.max_cliques = max_cliques

    def fit(self, similarity: NDArray, n_components: int, reference: Any) -> None:
        """Embed the rows block by block, each connected component separately."""
        self.labels = component_labels(csr_array(similarity > self.threshold))
        self.embedding = np.empty((len(similarity), n_components))
        self._block_embeddings: list[tuple[NDArray, NDArray]] = []
        shares, components = [], rows_by_component(self.labels)
        for rows in components:
            within = similarity[np.ix_(rows, rows)]
            merged, blocks, share = merge_blocks(
                within, self.kernel, n_components, self.threshold, self.max_cliques, reference
            )
            self.embedding[rows] = _rotate_to_principal_axes(merged)
            self._block_embeddings += [(rows[points], embedding) for points, embedding in blocks]
            shares.append(share)
        shifts = side_by_side_shifts([self.embedding[rows] for rows in components])
        for rows, shift in zip(components, shifts, strict=True):
            self.embedding[rows, 0] += shift
        weights = [len(rows) for rows in components]
        self.explained_share = float(np.average(shares, weights=weights))
        self.blocks = [points for points, _ in self._block_embeddings]
        self._store_derived(similarity)

    def align(self, reference_embedding: NDArray, similarity: NDArray) -> bool:
        """Align the blocks to a reference embedding if it is better, and return whether it is."""
        self.embedding, aligned = align_to_reference(
            self.embedding, self._block_embeddings, reference_embedding, similarity, self.kernel
        )
        if aligned:
            self._store_derived(similarity)
        return aligned

    def transform(self, similarity: NDArray) -> NDArray:
        """Trilaterate new rows, corrected by the residual of the most similar fitted row."""
        return self._trilaterate(similarity) - self.residuals[similarity.argmax(axis=1)]

    def _store_derived(self, similarity: NDArray) -> None:
        """Store the eigenvalues of the largest component, and the residuals of trilateration."""
        largest = self.embedding[rows_by_component(self.labels)[0]]
        self.eigenvalues = np.square(largest - largest.mean(axis=0)).sum(axis=0)
        self.residuals = self._trilaterate(similarity) - self.embedding

    def _trilaterate(self, similarity: NDArray) -> NDArray:
        return trilaterate(similarity, self.embedding, self.labels, self.kernel, self.threshold)


def rows_by_component(labels: NDArray) -> list[NDArray]:
    """Return the rows of each connected component, the largest component first."""
    sizes = np.bincount(labels)
    return [np.flatnonzero(labels == label) for label in np.argsort(-sizes, kind="stable")]


def _rotate_to_principal_axes(embedding: NDArray) -> NDArray:
    """Center points and rotate them to uncorrelated columns of decreasing variance."""
    centered = embedding - embedding.mean(axis=0)
    rotated = centered @ np.linalg.svd(centered, full_matrices=False)[2].T
    # Fewer points than dimensions: the other columns are zero.
    padded = np.zeros_like(embedding)
    padded[:, : rotated.shape[1]] = rotated
    return fix_signs(padded)
