"""A drawing of all maps of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nldr.comparison.stability import align_maps
from nldr.inputs import InputError

if TYPE_CHECKING:
    from nldr.comparison.evidence import Evidence

COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#882255", "#999933")
SIDE = 2.6  # inches of a panel


def draw(comparison: Evidence, columns: int = 4) -> Any:
    """Return a Matplotlib figure of the maps, the best first."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise InputError("plot() needs matplotlib: pip install matplotlib") from error

    keys = [key for key in comparison.table["key"] if key in comparison.draws.final]
    rows = -(-len(keys) // columns)
    size = (SIDE * min(columns, len(keys)), (SIDE + 0.3) * rows)
    figure, axes = plt.subplots(rows, min(columns, len(keys)), figsize=size, squeeze=False)
    first = np.asarray(comparison.draws.final[keys[0]].Z)
    for axis in axes.ravel()[len(keys) :]:
        axis.remove()
    for key, axis in zip(keys, axes.ravel(), strict=False):
        final = comparison.draws.final[key]
        Z, _ = align_maps(first, np.asarray(final.Z))
        _draw_points(axis, Z, comparison, key, final.rows)
        row = comparison.table[comparison.table["key"] == key].iloc[0]
        axis.set_title(f"{row.name}  {row['neighborhoods']:.3f}", fontsize=9)
        axis.set(xticks=[], yticks=[], aspect="equal")
    figure.tight_layout()
    return figure


def _draw_points(axis: Any, Z: Any, comparison: Evidence, key: str, rows: Any) -> None:
    """Draw points in the colors of their labels; those not to be trusted are crosses."""
    labels = comparison.data.labels
    colors: Any = "#444444"
    ends: dict[str, float] = {}
    if labels is not None and labels.codes is not None:
        colors = np.array(COLORS)[labels.codes[rows] % len(COLORS)]
    elif labels is not None:
        colors = labels.values[rows]
        ends = {"vmin": colors.min(), "vmax": colors.max()}
    doubt = comparison.trusts[key].errors["doubt"] == 1
    for mask, marker, size in ((~doubt, "o", 6), (doubt, "x", 10)):
        chosen = colors if isinstance(colors, str) else colors[mask]
        axis.scatter(*Z[mask].T, c=chosen, marker=marker, s=size, linewidths=0.6, **ends)
