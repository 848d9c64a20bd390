"""Integer codes of class labels that a file stores as text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def encode_labels(
    values: Sequence[str], labels: Sequence[str], source: str, *, show: bool = True
) -> NDArray[np.int64]:
    """Return the position of each value in ``labels``.

    `source` is the file, and the column if there are several, for the error message, which quotes
    an unknown label if `show` is true; files of texts must not appear in messages.

    Raises
    ------
    ValueError
        If a value is none of the labels.

    Examples
    --------
    >>> encode_labels(["b", "a", "b"], ("a", "b"), "file.csv")
    array([1, 0, 1])
    """
    positions = {label: position for position, label in enumerate(labels)}
    codes = np.array([positions.get(value, -1) for value in values], np.int64)
    unknown = np.flatnonzero(codes < 0)
    if unknown.size:
        label = f"label '{values[unknown[0]]}'" if show else "label"
        raise ValueError(
            f"{source}: row {unknown[0] + 1} of the data has an unknown {label}, "
            f"expected one of {', '.join(labels)}"
        )
    return codes
