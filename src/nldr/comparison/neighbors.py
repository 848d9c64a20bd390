"""Findings on rows: order, repetitions, outliers, hubs, parts without connection, dimension."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.comparison.findings import DataFinding
from nldr.inputs import Labels
from nldr.inputs.errors import listed

K = 10  # neighbors of a point in its graph
CLUMP = 5  # neighbor that is far from an outlier, so that a few beside each other are seen
NEAR = 1e-3  # distance to the nearest row, in units of the median, that is nearly none
FAR = 8.0  # robust standard deviations of the log distance to that neighbor
HUB = 8.0  # times that the largest hub is a neighbor more often than the mean point
SORTED = 0.8  # distance of consecutive rows, in units of that of random rows


def look_for_order(points: NDArray, labels: Labels | None) -> list[DataFinding]:
    """Find out whether the rows are sorted."""
    codes = None if labels is None else labels.codes
    text = ""
    if codes is not None:
        changes = np.count_nonzero(np.diff(codes))
        expected = (1 - ((np.bincount(codes) / len(codes)) ** 2).sum()) * (len(codes) - 1)
        if labels is not None and changes < 0.5 * expected:
            text = (
                f"by '{labels.name}': the label changes at {changes} of {len(codes) - 1} rows; in "
                f"random order it would change at about {expected:.0f}"
            )
    if not text:
        rng = np.random.default_rng(0)
        first, second = rng.integers(len(points), size=(2, 2000))
        random = np.linalg.norm(points[first] - points[second], axis=1).mean()
        steps = np.linalg.norm(np.diff(points[:2001], axis=0), axis=1).mean()
        if steps < SORTED * random:
            text = f"consecutive rows are {steps / random:.2f} times as far apart as random ones"
    if not text:
        return []
    remedy = "draws are shuffled, so that no method profits from the order"
    return [DataFinding("mended", "sorted rows", text, remedy)]


def look_at_neighbors(points: NDArray, rows: NDArray) -> list[DataFinding]:
    """Return findings on the neighbors of points, which are these rows of the data, or names."""
    from sklearn.neighbors import NearestNeighbors

    k = min(K, len(points) - 1)
    distances, nearest = NearestNeighbors(n_neighbors=k).fit(points).kneighbors()
    # Distances from dot products have rounding errors where points are equal.
    distances[:, 0] = np.linalg.norm(points - points[nearest[:, 0]], axis=1)
    return [
        *_nearly_equal(distances[:, 0], rows),
        *_outliers(distances[:, min(CLUMP, k) - 1], rows),
        *_hubs(nearest, rows),
        *_parts(points, k),
        _dimension(points, distances),
    ]


def look_for_repetitions(points: NDArray, names: NDArray) -> list[DataFinding]:
    """Find rows that are equal to an earlier one, and tell their names."""
    _, first = np.unique(points, axis=0, return_index=True)
    repeated = np.setdiff1d(np.arange(len(points)), first)
    if not len(repeated):
        return []
    text = f"{len(repeated)} row(s) are equal to an earlier one: rows {listed(names[repeated])}"
    remedy = "kept; leave them out if they are copies of one measurement"
    return [DataFinding("look", "repeated rows", text, remedy)]


def _nearly_equal(distances: NDArray, rows: NDArray) -> list[DataFinding]:
    positive = distances[distances > 0]
    if not len(positive):
        return []
    near = (distances > 0) & (distances < NEAR * np.median(positive))
    if not near.any():
        return []
    text = f"rows {listed(rows[near])} are nearly equal to another row"
    remedy = "kept; leave one of each pair out if they are one measurement"
    return [DataFinding("look", "nearly repeated rows", text, remedy)]


def _outliers(distances: NDArray, rows: NDArray) -> list[DataFinding]:
    logs = np.log(distances[distances > 0])
    if not len(logs):
        return []
    middle = np.median(logs)
    spread = 1.4826 * np.median(np.abs(logs - middle)) or 1.0
    with np.errstate(divide="ignore"):
        far = np.flatnonzero(np.log(distances) > middle + FAR * spread)
    if not len(far):
        return []
    worst = distances[far].max() / np.exp(middle)
    distance = f"{worst:.0f} × as far from its neighbors as usual"
    text = f"rows {listed(rows[far])}: the farthest is {distance}"
    remedy = (
        "check these rows; they take much space in PCA, MDS and Isomap, but not in t-SNE and UMAP"
    )
    return [DataFinding("look", "outliers", text, remedy)]


def _hubs(nearest: NDArray, rows: NDArray) -> list[DataFinding]:
    counts = np.bincount(nearest.ravel(), minlength=len(nearest))
    largest = counts.max() / nearest.shape[1]
    if largest < HUB:
        return []
    text = (
        f"row {rows[counts.argmax()]} is among the neighbors of {counts.max()} points, "
        f"{largest:.0f} × the mean"
    )
    remedy = (
        "hubs are common in data of many dimensions; fewer principal components, or cosine "
        "distances, reduce them"
    )
    return [DataFinding("look", "hubs", text, remedy)]


def _parts(points: NDArray, k: int) -> list[DataFinding]:
    from nldr.neighborhoods.graphs import component_labels, knn_graph

    sizes = np.sort(np.bincount(component_labels(knn_graph(points, k))))[::-1]
    if len(sizes) == 1:
        return [
            DataFinding(
                "fine", "one piece", f"the graph of {k} neighbors is connected", "nothing to do"
            )
        ]
    text = f"the graph of {k} neighbors falls into {len(sizes)} parts, of {listed(sizes)} points"
    remedy = (
        "methods on this graph join the parts by short edges (disconnected='bridges'); distances "
        "between the parts in a map mean little"
    )
    return [DataFinding("mended", "separate parts", text, remedy)]


def _dimension(points: NDArray, distances: NDArray) -> DataFinding:
    from nldr.neighborhoods.dimension import intrinsic_dimension

    likely = intrinsic_dimension(points, K)
    two = two_nearest(distances)
    # Zero is no estimate, and few rows may give more dimensions than there are columns
    estimates = {"maximum likelihood": likely, "two nearest neighbors": two}
    estimates = {n: min(value, points.shape[1]) for n, value in estimates.items() if value > 0}
    if not estimates:
        text, remedy = "unknown: too few rows differ", "nothing to do"
        return DataFinding("fine", "intrinsic dimension", text, remedy)
    text = "about " + " or ".join(f"{value:.1f} ({name})" for name, value in estimates.items())
    if min(estimates.values()) <= 2.5:
        return DataFinding("fine", "intrinsic dimension", text, "two dimensions can show the data")
    remedy = "two dimensions cannot show everything: check the points that should not be trusted"
    return DataFinding("look", "intrinsic dimension", text, remedy)


def two_nearest(distances: NDArray) -> float:
    """Estimate the dimension from the distances to the two nearest neighbors.

    Parameters
    ----------
    distances : ndarray of shape (n, at least 2)
        Distances to the nearest points, in order.

    Returns
    -------
    float
        The estimate; 0 if too few points differ.

    References
    ----------
    E. Facco, M. d'Errico, A. Rodriguez and A. Laio, "Estimating the intrinsic dimension of
    datasets by a minimal neighborhood information", Scientific Reports 7, 2017, without the tenth
    of the largest ratios.

    Examples
    --------
    >>> from sklearn.neighbors import NearestNeighbors
    >>> X = np.random.default_rng(0).uniform(size=(2000, 2))
    >>> round(two_nearest(NearestNeighbors(n_neighbors=2).fit(X).kneighbors()[0]))
    2
    """
    positive = distances[distances[:, 0] > 0]
    ratios = np.sort(np.log(positive[:, 1] / positive[:, 0]))
    count = int(0.9 * len(ratios))
    if count < 5 or ratios[:count].max() <= 0:
        return 0.0
    # Slope through the origin of −log(1 − F) against log of the ratio
    heights = -np.log1p(-np.arange(1, count + 1) / len(ratios))
    x = ratios[:count]
    return float((x @ heights) / (x @ x))
