"""Numbers, lists and parameters as readers see them."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log10
from typing import Any

# Parameters that are counted things
NOUNS = {
    "n_samples": "point",
    "n_train": "training point",
    "n_features": "feature",
    "n_components": "dimension",
    "n_neighbors": "neighbor",
    "n_inducing": "inducing point",
}


def number(value: float, half: float = 0.0) -> str:
    """Return a number with two digits of half its interval, or three digits without one.

    Examples
    --------
    >>> number(-0.01234, half=0.008), number(0.9876), number(1234.5), number(0.0)
    ('−0.0123', '0.988', '1234', '0')
    >>> number(-0.00001, half=0.0022)
    '0.0000'
    """
    if not isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "unknown"
    size = half if half > 0 and isfinite(half) else abs(value) / 10
    decimals = min(max(1 - floor(log10(size)), 0), 6) if size > 0 else 0
    text = f"{value:.{decimals}f}"
    if half <= 0 and "." in text:
        text = text.rstrip("0").rstrip(".")
    text = text if float(text) else text.lstrip("-")
    return text.replace("-", "−")


def with_interval(
    center: float, low: float, high: float, detail: str, unit: str = "", opposite: str = ""
) -> str:
    """Return an effect with its interval and the number of its trials; ``×`` is a ratio.

    If the last word of the unit is a direction, ``opposite`` is the word for negative values.

    Examples
    --------
    >>> with_interval(0.5, 0.4, 0.6, "5 trials"), with_interval(0.5, 0.5, 0.5, "no randomness")
    ('0.50 (95 % interval 0.40 to 0.60, 5 trials)', '0.5 (no randomness)')
    >>> with_interval(66.3, 7.6, 576.0, "5 trials", "×")
    '66.3 × (95 % interval 7.6 to 576, 5 trials)'
    >>> with_interval(0.12, -0.1, 0.34, "5 trials", "lower", "higher")
    '0.12 lower (95 % interval from 0.10 higher to 0.34 lower, 5 trials)'
    """
    # The ends of a ratio's interval differ in size.
    half = 0.0 if unit == "×" else (high - low) / 2
    texts = [number(value, half) for value in (center, low, high)]
    text = f"{texts[0]} {unit}".rstrip()
    if not low < high or not isfinite(low + high):
        return f"{text} ({detail})"
    if opposite and low < 0:
        direction = unit.split()[-1]
        ends = f"from {number(-low, half)} {opposite} to {texts[2]} {direction}"
    else:
        ends = f"{texts[1]} to {texts[2]}"
    return f"{text} (95 % interval {ends}, {detail})"


def plural(n: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> plural(1, "trial"), plural(3, "trial")
    ('1 trial', '3 trials')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def listed(items: Sequence[str]) -> str:
    """Return names of methods in words; of more than three, how many they are.

    Examples
    --------
    >>> listed(["PCA"]), listed(["PCA", "MDS"]), listed(list("abcd"))
    ('PCA', 'PCA and MDS', '4 methods')
    """
    if len(items) > 3:
        return plural(len(items), "method")
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def spoken(title: str) -> str:
    """Return a title for use in a sentence, without a comma.

    Examples
    --------
    >>> spoken("IKD, blockwise"), spoken("PCA")
    ('IKD (blockwise)', 'PCA')
    """
    name, _, variant = title.partition(", ")
    return f"{name} ({variant})" if variant else name


def setting_words(column: str, *values: Any) -> str:
    """Return a parameter and its value, or the values that it may have, as text.

    Examples
    --------
    >>> setting_words("data.n_features", 100.0), setting_words("data.noise", 0.05, 0.1)
    ('100 features', 'noise = 0.05 or 0.1')
    """
    name = column.partition(".")[2]
    text = " or ".join(_plain_text(value) for value in values)
    if name not in NOUNS:
        return f"{name} = {text}"
    return f"{text} {NOUNS[name]}" if text == "1" else f"{text} {NOUNS[name]}s"


def _plain_text(value: Any) -> str:
    """Return a parameter's value, numbers without needless digits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return str(int(value)) if float(value).is_integer() else f"{value:g}"


def name_of(column: str) -> str:
    """Return a parameter as the quantity that it counts.

    Examples
    --------
    >>> name_of("data.n_samples"), name_of("data.noise")
    ('number of points', 'noise')
    """
    name = column.partition(".")[2]
    return f"number of {NOUNS[name]}s" if name in NOUNS else name.replace("_", " ")


def of_all(count: int, total: int, noun: str) -> str:
    """Return "n of m" things, or that it is all of them.

    Examples
    --------
    >>> of_all(4, 5, "setting"), of_all(5, 5, "setting"), of_all(0, 5, "setting")
    ('4 of 5 settings', 'all 5 settings', '0 of 5 settings')
    >>> of_all(2, 2, "setting"), of_all(0, 2, "setting")
    ('both settings', '0 of 2 settings')
    """
    if total == 1:
        return f"the {noun}"
    if count == total:
        return "both " + plural(total, noun)[2:] if total == 2 else f"all {plural(total, noun)}"
    return f"{count} of {plural(total, noun)}"
