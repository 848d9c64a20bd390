"""The default of IKD: closed forms compared, averaged and refined by the likelihood."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nldr.kernels import Kernel
from nldr.methods.gp.refine import LatentFit, Posterior, ascend, start_fit
from nldr.methods.ikd._blocks import align_rigidly, released_threshold
from nldr.methods.ikd._similarity import RowSimilarity, evenly_spaced
from nldr.methods.ikd._variants import (
    BlockwiseVariant,
    FullVariant,
    MetricGeodesicVariant,
    NeighborGeodesicVariant,
    _rotate_to_principal_axes,
    rows_by_component,
)

MAX_COMPARED = 200  # of them, on which kernels are fitted to compare the closed forms
BLOCK_THRESHOLD = 0.6  # of the blocks of Fig. 1
MIN_SWITCHED = 20  # features from which the other choice about feature means is compared too
N_REFINED = 3  # closed forms that are refined, if there are at most 200 rows
N_AVERAGES = 3  # posterior means taken in turn with fits of the kernel
MIN_INFORMATION = 60.0  # N (1 − ν)/ν, below which the points are not refined
MIN_STEPS, MAX_STEPS = 40, 100  # of the refinement: N/4 within these limits
KERNEL_ONLY: dict[str, Any] = {
    "move": False,
    "max_iter": 10,
    "tol": 1e-5,
}  # options of fits of the kernel
N_STEPS = 8  # by which new rows are placed


def n_steps(n_features: int) -> int:
    """Return the largest number of steps of a refinement."""
    return int(np.clip(n_features / 4, MIN_STEPS, MAX_STEPS))


class RefinedVariant:
    """Choose a closed form by its likelihood, then average and refine its points.

    The attributes are those of the other variants, and ``start``, ``polished``, ``noise_share`` and
    ``fit_``. The connected components are those of the graph of the paths.
    """

    reference = None

    def __init__(
        self,
        kernel: Kernel,
        n_neighbors: int,
        threshold: float | None,
        polish: bool | str,
    ) -> None:
        self.kernel = kernel
        self.n_neighbors = n_neighbors
        self.threshold = threshold
        self.polish = polish
        self.blocks: list[NDArray] = []

    def fit(
        self,
        data: NDArray,
        similarity: RowSimilarity,
        kind: str,
        n_components: int,
        progress: Callable[[int, float], None] | None = None,
    ) -> None:
        """Embed the rows of `data`."""
        n_features = data.shape[1]
        self._prepare(data, similarity)
        some = evenly_spaced(len(data), MAX_COMPARED)
        fits: dict[str, tuple[FullVariant | BlockwiseVariant, LatentFit]] = {}
        for name, variant in self._starts(data, similarity, kind, n_components).items():
            start = start_fit(variant.embedding[some], self.kernel)
            fits[name] = variant, ascend(start, self._columns[some], n_features, **KERNEL_ONLY)
        # Refine the most likely one, or several if there are few rows
        ranked = sorted(fits, key=lambda name: -fits[name][1].log_likelihood)
        n_refined = N_REFINED if len(data) <= MAX_COMPARED else 1
        refined = {
            name: self._refine(fits[name][0].embedding, fits[name][1], some, progress)
            for name in ranked[: n_refined if self.polish else 1]
        }
        self.start = max(refined, key=lambda name: refined[name][0].log_likelihood)
        fit, self.polished = refined[self.start]
        self._store(fit, fits[self.start][0], fits["paths"][0].labels)

    def _refine(
        self,
        points: NDArray,
        fit: LatentFit,
        some: NDArray,
        progress: Callable[[int, float], None] | None,
    ) -> tuple[LatentFit, bool]:
        """Return the points averaged and, if rows are precise enough for it, refined."""
        n_features = self._rows.shape[1]
        # Posterior means over the fitted points, in turn with the kernel
        for _ in range(N_AVERAGES):
            posterior = Posterior(LatentFit(points, fit.kernel, 0.0), self._columns, n_features)
            points = posterior.average_fitted()
            partial = LatentFit(points[some], fit.kernel, 0.0)
            fit = ascend(partial, self._columns[some], n_features, **KERNEL_ONLY)
        # Information of a row about its position, per squared length scale
        information = n_features * (1 - fit.noise_share) / max(fit.noise_share, 1e-12)
        polish = information >= MIN_INFORMATION if self.polish == "auto" else bool(self.polish)
        # Early stopping, before few features begin to fit what the kernel does not explain
        options = {"max_iter": n_steps(n_features)} if polish else KERNEL_ONLY
        start = LatentFit(points, fit.kernel, fit.log_likelihood)
        return ascend(start, self._columns, n_features, progress=progress, **options), polish

    def transform(self, data: NDArray) -> NDArray:
        """Return the coordinates of new rows; those equal to a fitted row get its coordinates."""
        coordinates = self._posterior.place(self._scale(data), N_STEPS if self.polished else 0)
        for i, row in enumerate(data):
            fitted_row = self._fitted_rows.get(row.tobytes())
            if fitted_row is not None:
                coordinates[i] = self.embedding[fitted_row]
        return coordinates

    def likelihood_at(self, data: NDArray, points: NDArray) -> float:
        """Return the log likelihood per entry of rows at given points, with the best kernel."""
        start = LatentFit(points, self.fit_.kernel, -np.inf)
        return ascend(start, self._scale(data), data.shape[1], **KERNEL_ONLY).log_likelihood

    def _starts(
        self, data: NDArray, similarity: RowSimilarity, kind: str, n_components: int
    ) -> dict[str, FullVariant | BlockwiseVariant]:
        """Return the fitted closed forms by name."""
        n_features, floor = data.shape[1], similarity.min_similarity
        # Similarities: as given, with the other centering, and the variogram if rows allow it
        similarities = similarity.compare_all()
        estimates = {"": similarities}
        if n_features >= MIN_SWITCHED:
            other = RowSimilarity(data, kind, floor, not similarity.center_features)
            estimates[", centering switched"] = other.compare_all()
        auto = RowSimilarity(data, "auto", floor, similarity.center_features)
        if auto.kind != similarity.kind:
            estimates[", variogram"] = auto.compare_all()
        starts: dict[str, FullVariant | BlockwiseVariant] = {}
        for name, values in estimates.items():
            starts[f"paths{name}"] = MetricGeodesicVariant(
                self.kernel, n_features, self.threshold, self.n_neighbors
            )
            starts[f"paths{name}"].fit(values, n_components, "center")
        for threshold in {BLOCK_THRESHOLD, released_threshold(n_features)}:
            blocks = BlockwiseVariant(self.kernel, threshold, 0)
            blocks.fit(similarities, n_components, "min_max")
            _arrange(blocks, starts["paths"].embedding)
            starts[f"blocks {threshold:.2f}"] = blocks
        starts["products"] = NeighborGeodesicVariant(self.kernel, self.n_neighbors)
        starts["products"].fit(similarities, n_components, "center")
        return starts

    def _prepare(self, data: NDArray, similarity: RowSimilarity) -> None:
        """Store the rows as the likelihood sees them, and columns with their inner products."""
        auto = RowSimilarity(data, "auto", 1e-3, similarity.center_features)
        self._equal_rows = "variogram" in (auto.kind, similarity.kind)
        self._means, self._unit = 0.0, 1.0
        rows = self._scale(data)
        self._means = rows.mean(axis=0)
        self._unit = float(np.sqrt(np.mean(np.square(rows - self._means)))) or 1.0
        self._rows = self._scale(data)
        self._columns = self._rows
        if data.shape[1] > len(data):
            # Fewer columns with the same inner products
            values, vectors = np.linalg.eigh(self._rows @ self._rows.T)
            self._columns = vectors * np.sqrt(np.maximum(values, 0.0))
        self._fitted_rows = {row.tobytes(): i for i, row in enumerate(data)}

    def _scale(self, data: NDArray) -> NDArray:
        """Return rows as the likelihood sees them: of similar variance, centered by feature."""
        if not self._equal_rows:
            # Halfway between the rows as they are and rows of equal variance
            data = data - data.mean(axis=1, keepdims=True)
            roots = np.sqrt(data.std(axis=1, keepdims=True))
            data = data / np.where(roots > 0, roots, 1.0)
        return (data - self._means) / self._unit

    def _store(
        self, fit: LatentFit, start: FullVariant | BlockwiseVariant, labels: NDArray
    ) -> None:
        """Store the results, with points in units of the length scale along principal axes."""
        stationary, noise = fit.kernel.parts
        kernel = type(fit.kernel)((stationary.with_params(length_scale=1.0), noise))
        self.embedding = _rotate_to_principal_axes(fit.points / fit.length_scale)
        self.fit_ = LatentFit(self.embedding, kernel, fit.log_likelihood)
        self._posterior = Posterior(self.fit_, self._rows, self._rows.shape[1])
        self.labels = labels
        largest = self.embedding[rows_by_component(self.labels)[0]]
        self.eigenvalues = np.square(largest - largest.mean(axis=0)).sum(axis=0)
        self.explained_share = start.explained_share
        self.noise_share = self.fit_.noise_share


def _arrange(variant: BlockwiseVariant, reference: NDArray) -> None:
    """Move each connected component rigidly to where it fits a reference embedding best."""
    components = rows_by_component(variant.labels)
    if len(components) == 1:
        return
    for rows in components:
        everywhere = np.ones(len(rows), dtype=bool)
        variant.embedding[rows] = align_rigidly(
            variant.embedding[rows], everywhere, reference[rows]
        )
