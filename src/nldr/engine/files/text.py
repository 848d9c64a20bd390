"""Characters that a reader does not see: control characters and those that turn the direction."""

from __future__ import annotations

import re

HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def escape(text: str) -> str:
    r"""Return a text with hidden characters as their code points.

    Examples
    --------
    >>> escape("red\x1b[31m")
    'red\\u001b[31m'
    """
    return HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
