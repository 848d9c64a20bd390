"""The environment in which pages are rendered: templates, number formats, links and words."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment
    from markupsafe import Markup

FOLDER = Path(__file__).parent
MINUS, SPACE = "\N{MINUS SIGN}", "\N{NARROW NO-BREAK SPACE}"
PIXELS_PER_POINT = 4 / 3
SHOWN_ROWS = 50  # of a table, at first
MOST_PLACES, TINY = 6, 1e-4  # decimal places; smaller intervals have a power of ten
RATIO = "×"  # unit of effects that are factors
# Symbols of verdicts and statuses, in the order in which they are counted. They stand beside the
# word: color is never the only sign.
SYMBOLS = {
    "holds": "✓",
    "holds in most": "✓",
    "holds only as published": "◐",
    "tie": "=",
    "holds in few": "✗",
    "fails": "✗",
    "open": "?",
    "not applicable": "–",
    "reproduced": "✓",
    "better": "▲",
    "worse": "▼",
    "no result": "✗",
    "explained": "◆",
    "cannot tell": "≈",
    "undecided": "?",
    "not run": "–",
    "ok": "✓",
}


def environment() -> Environment:
    """Return the Jinja environment of all pages, which escapes all values.

    Examples
    --------
    >>> environment().from_string("{{ text }} {{ 0.12346 | number }}").render(text="<b>")
    '&lt;b&gt; 0.1235'
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"number": number, "p_value": p_value, "slug": slug, "unit": unit}
    templates.filters["digests"] = digests
    templates.globals |= {"href": href, "interval": interval, "symbol": symbol, "plural": plural}
    templates.globals |= {"size_of": size_of, "shown_rows": SHOWN_ROWS}
    return templates


def digests(texts: Sequence[str]) -> Markup:
    """Return the digests by which a content security policy allows scripts or styles.

    Examples
    --------
    >>> str(digests(["alert(1)"]))
    "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"
    """
    from markupsafe import Markup

    hashes = [base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in texts]
    return Markup(" ".join(f"'sha256-{digest}'" for digest in hashes))


def route(*parts: str) -> str:
    """Return the name of a page, which also is the end of its address.

    Examples
    --------
    >>> route("study", "ikd_fig1"), route("method", "a/b")
    ('study/ikd_fig1', 'method/a%2Fb')
    """
    return "/".join(quote(part, safe="") for part in parts)


def href(*parts: str, **params: str) -> str:
    """Return a link to a page, with parameters that the page reads.

    Examples
    --------
    >>> href("study", "ikd_fig1"), href("claims", verdict="not run")
    ('#/study/ikd_fig1', '#/claims?verdict=not%20run')
    """
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in params.items())
    return f"#/{route(*parts)}" + (f"?{query}" if query else "")


def slug(text: str) -> str:
    """Return a word as the name of a class or an anchor.

    Examples
    --------
    >>> slug("holds only as published")
    'holds-only-as-published'
    """
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def size_of(svg: str) -> tuple[int, int]:
    """Return width and height of a drawing in pixels; 0 if they are unknown.

    Examples
    --------
    >>> size_of('<svg viewBox="0 0 518.74 300">')
    (692, 400)
    """
    match = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    if match is None:
        return 0, 0
    width, height = (round(float(side) * PIXELS_PER_POINT) for side in match.groups())
    return width, height


def symbol(word: str) -> str:
    """Return the symbol of a verdict or status; a status that is not known is a failure."""
    return SYMBOLS.get(word, "✗")


def unit(name: str) -> str:
    """Return a unit for readers, in words if it is a lone sign.

    Examples
    --------
    >>> unit("×"), unit("R²")
    ('× (ratio)', 'R²')
    """
    return "× (ratio)" if name == RATIO else name


def plural(count: int, noun: str, nouns: str = "") -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> plural(1, "study", "studies"), plural(12000, "cell")
    ('1 study', '12\u202f000 cells')
    """
    return f"{number(count)} {noun if count == 1 else nouns or noun + 's'}"


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def number(value: Any, digits: int = 4) -> str:
    """Return a number for readers: ``digits`` significant digits, grouped thousands, a true minus.

    Text is returned as it is, and nothing becomes an empty string.

    Examples
    --------
    >>> number(0.123456), number(-2.5), number(12345), number(1.5e-7), number(None)
    ('0.1235', '−2.5', '12\u202f345', '1.5e−7', '')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if not is_number(value):
        return str(value)
    if isinstance(value, int) or (value == round(value) and abs(value) < 1e15):
        text = f"{int(value):,}" if abs(value) >= 10_000 else str(int(value))
    elif 1e-4 <= abs(value) < 10 ** (digits + 2):
        places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
        text = f"{value:,.{places}f}" if abs(value) >= 10_000 else f"{value:.{places}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        mantissa, _, exponent = f"{value:.{min(digits, 3) - 1}e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", MINUS).replace(",", SPACE)


def places_of(values: Sequence[float | None]) -> int:
    """Return the decimal places that show two digits of the smallest distance between values."""
    ends = sorted({value for value in values if value is not None and math.isfinite(value)})
    gaps = [b - a for a, b in pairwise(ends) if b > a]
    scale = min(gaps) if gaps else max((abs(value) for value in ends), default=1.0)
    return max(0, 1 - math.floor(math.log10(scale))) if scale > 0 else 2


def fixed(value: float, places: int) -> str:
    """Return a number with a fixed number of decimal places; those too small are in e-notation.

    Examples
    --------
    >>> fixed(-0.5, 2), fixed(3e-9, 6)
    ('−0.50', '3e−9')
    """
    if value and abs(value) < 10.0**-places and places >= MOST_PLACES:
        return number(value)
    text = f"{value:.{places}f}"
    if abs(value) >= 10_000:
        text = f"{value:,.{places}f}".replace(",", SPACE)
    return text.lstrip("-") if text.strip("-0.") == "" else text.replace("-", MINUS)


def interval(
    effect: float | None,
    low: float | None,
    high: float | None,
    unit: str = "",
    bound: float | None = None,
) -> str:
    """Return an effect with its interval, with the digits that the interval justifies.

    The ends of a ratio's interval differ in size, so each has three digits. Tiny numbers have one
    power of ten. An end that is not the bound has as many digits as tell them apart.

    Examples
    --------
    >>> interval(0.0080389, 0.0056841, 0.0103937)
    '0.0080 (0.0057 to 0.0104)'
    >>> interval(66.3, 7.61, 576.4, "×")
    '66.3 (7.61 to 576)'
    >>> interval(-5.27e-7, -1.84e-6, 7.87e-7)
    '−0.5e−6 (−1.8e−6 to 0.8e−6)'
    >>> interval(0.64, 0.64, 0.795, bound=0.8)
    '0.640 (0.640 to 0.795)'
    >>> interval(0.25, None, None)
    '0.25'
    """
    if effect is None:
        return ""
    if low is None or high is None or low == high:
        return number(effect)
    if unit == RATIO:
        return f"{number(effect, 3)} ({number(low, 3)} to {number(high, 3)})"
    values = [effect, low, high]
    places = places_of(values)
    if bound is not None:
        ends = [end for end in (low, high) if end != bound]
        while places < MOST_PLACES and any(fixed(e, places) == fixed(bound, places) for e in ends):
            places += 1
    if places > MOST_PLACES and max(map(abs, values)) < TINY:
        power = 1 - places
        texts = [f"{fixed(value / 10.0**power, 1)}e{MINUS}{-power}" for value in values]
    else:
        texts = [fixed(value, min(places, MOST_PLACES)) for value in values]
    return f"{texts[0]} ({texts[1]} to {texts[2]})"


def p_value(value: float | None) -> str:
    """Return a p-value for readers; without any randomness it is 0, and the result is exact.

    Examples
    --------
    >>> p_value(0.00003), p_value(0.0312), p_value(0.0), p_value(None)
    ('< 0.001', '0.031', 'exact', '')
    """
    if value is None:
        return ""
    if value == 0:
        return "exact"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
