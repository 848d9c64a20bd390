"""Numbers in few bytes: columns of coordinates, errors and labels in one binary block.

The page reads them with ``assets/explorer-data.js``, which has the same formats.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEVELS = 2**12 - 1  # largest value of a coordinate, in 12 bits
STEPS = 254  # largest value of a level; 255 is a missing one
MISSING = 255


class Packer:
    """A binary block that columns of numbers are appended to.

    Each method returns where its column lies and how to read it: ``{"as": format, "at": offset,
    "n": length, "low": number, "high": number}``. All values are little-endian.

    Examples
    --------
    >>> packer = Packer()
    >>> packer.coordinate([0.0, 1.0, 0.5])
    {'as': 'u12', 'at': 0, 'n': 3, 'low': 0.0, 'high': 1.0}
    >>> packer.level([0.5, np.nan], 0.0, 1.0)
    {'as': 'u8', 'at': 5, 'n': 2, 'low': 0.0, 'high': 1.0}
    >>> packer.data().hex(" ")
    '00 ff 80 f0 00 7f ff'
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def data(self) -> bytes:
        """Return the whole block."""
        return b"".join(self._parts)

    def coordinate(self, values: ArrayLike) -> dict[str, Any]:
        """Append finite numbers, rounded to 1 / 4095 of their range.

        Their upper 8 bits come first, which compresses better than the lower 4 bits that follow,
        two to a byte.
        """
        values = np.asarray(values, float)
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
        units = np.rint((values - low) * (LEVELS / (high - low or 1.0))).astype(np.uint16)
        nibbles = np.append(units & 15, np.zeros(len(units) % 2, np.uint16)).reshape(-1, 2)
        lower = nibbles[:, 0] | nibbles[:, 1] << 4
        return self._add("u12", len(values), low, high, units >> 4, lower)

    def level(self, values: ArrayLike, low: float, high: float) -> dict[str, Any]:
        """Append numbers in 8 bits: 254 steps from ``low`` to ``high``; NaN is missing.

        Numbers beyond the ends, infinite ones too, become the ends.
        """
        values = np.asarray(values, float)
        units = np.rint((np.clip(values, low, high) - low) * (STEPS / (high - low or 1.0)))
        return self._add("u8", len(values), low, high, np.where(np.isnan(values), MISSING, units))

    def index(self, values: ArrayLike) -> dict[str, Any]:
        """Append nonnegative integers in 8, 16 or 32 bits, as the largest needs."""
        values = np.asarray(values)
        size = next(bits for bits in (8, 16, 32) if values.max(initial=0) < 2**bits)
        return self._add(f"i{size}", len(values), 0, 0, values, dtype=f"<u{size // 8}")

    def _add(
        self, form: str, n: int, low: float, high: float, *parts: NDArray, dtype: str = "u1"
    ) -> dict[str, Any]:
        # JavaScript reads integers at multiples of their size
        self._append(bytes(-self._size % np.dtype(dtype).itemsize))
        place = {"as": form, "at": self._size, "n": n, "low": low, "high": high}
        for part in parts:
            self._append(part.astype(dtype).tobytes())
        return place

    def _append(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
