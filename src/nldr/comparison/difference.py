"""``nldr.diff``: two maps of the same points, and which points moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nldr.comparison.judging import read_coordinates, words_on_columns
from nldr.comparison.stability import align_maps, neighbors_of
from nldr.comparison.tables import rows_of
from nldr.comparison.trust import with_names
from nldr.comparison.words import number, percent, wrapped
from nldr.inputs import InputError, align, words_on_order, words_on_position
from nldr.inputs.errors import listed
from nldr.metrics.recovery import shared_neighbors

if TYPE_CHECKING:
    import pandas as pd

MOVED = 0.25  # share of common neighbors below which a point has moved


@dataclass(frozen=True, repr=False)
class Difference:
    """Two maps of the same points.

    Attributes
    ----------
    aligned : ndarray of shape (n, n_components)
        The second map, turned, mirrored, shifted and scaled to match the first.
    table : DataFrame
        For each point: its name if the first map has names, share of its neighbors that both maps
        have, its shift after the alignment in units of the radius of the map, and whether it moved
        relative to its neighbors.
    residual : float
        What the alignment leaves, as a share of the variance of the first map.
    notes : list of str
        How the rows were matched, if that may be wrong.

    Examples
    --------
    >>> import nldr
    >>> Z = np.random.default_rng(0).normal(size=(50, 2))
    >>> nldr.diff(Z, 5 - 3 * Z[:, ::-1]).table["neighbors"].min()
    np.float64(1.0)
    """

    aligned: NDArray
    table: pd.DataFrame
    residual: float
    notes: list[str]

    @property
    def moved(self) -> NDArray:
        """Rows of the points that moved relative to their neighbors."""
        return np.flatnonzero(self.table["moved"])

    def __str__(self) -> str:
        n, k = len(self.table), neighbors_of(len(self.table))
        rows = f"rows {listed(self.moved)}"
        if "name" in self.table:
            rows = listed(self.table["name"].iloc[self.moved])
        shared = self.table["neighbors"].mean()
        sentences = [
            f"{percent(shared)} of the {k} neighbors of a point are the same in both maps (random "
            f"maps: {percent(k / (n - 1))}).",
            f"After turning and scaling, {percent(self.residual)} of the variance differs.",
            f"{len(self.moved)} of {n} points moved relative to their neighbors"
            + (f": {rows}." if len(self.moved) else "."),
        ]
        if self.residual > 0.1 and shared > 0.5:
            sentences.append(
                "Neighbors stay together, but larger parts of the map moved, by up to "
                f"{number(self.table['shift'].max())} radii of the map: interpret neighborhoods, "
                "not distances."
            )
        return "\n".join(
            [wrapped(" ".join(sentences)), *(wrapped(f"note: {n}") for n in self.notes)]
        )

    __repr__ = __str__


def diff(Z1: Any, Z2: Any) -> Difference:
    """Compare two maps of the same points.

    Parameters
    ----------
    Z1, Z2 : array, frame, fitted map, or path of a file, of shape (n, n_components)
        The maps, with the rows in the same order, or frames with the same names of rows.

    Returns
    -------
    Difference
        The aligned second map, common neighbors, and the points that moved.

    Raises
    ------
    InputError
        If the maps have different numbers of points or dimensions.

    Examples
    --------
    >>> import nldr
    >>> Z = np.random.default_rng(0).normal(size=(60, 2))
    >>> other = Z.copy()
    >>> other[7] += 9
    >>> nldr.diff(Z, other).moved
    array([7])
    """
    import pandas as pd

    (one, first), (other, second) = read_coordinates(Z1, "Z1"), read_coordinates(Z2, "Z2")
    A, B = one.values, other.values
    notes = words_on_columns(one, first) + words_on_columns(other, second)
    if (order := align(one.index, other.index, (first, second))) is not None:
        B = B[order]
        notes += words_on_order(one.index, other.index, (first, second))
    else:
        notes += words_on_position(rows_of(Z1, one), rows_of(Z2, other), (first, second))
    if A.shape != B.shape:
        raise InputError(
            f"{first} and {second} have shapes {A.shape} and {B.shape}: they must "
            "be of the same points, with the same number of dimensions"
        )
    aligned, residual = align_maps(A, B)
    k = neighbors_of(len(A))
    shared = shared_neighbors(A, B, k)
    radius = np.sqrt(((A - A.mean(axis=0)) ** 2).sum(axis=1).mean()) or 1.0
    shift = np.linalg.norm(aligned - A, axis=1) / radius
    table = pd.DataFrame({"neighbors": shared, "shift": shift, "moved": shared < MOVED})
    # Equal maps may have a residual that differs from 0 by rounding errors
    table = with_names(table.rename_axis("row"), one.index)
    return Difference(aligned, table, round(max(residual, 0.0), 12), notes)
