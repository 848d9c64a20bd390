"""Bounds for words of a paper to which it gives no number: one meaning for all claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from nldr.claims.words import number


@dataclass(frozen=True)
class Convention:
    """Meaning of a word in the test of a claim.

    Attributes
    ----------
    bound : float
        The bound.
    meaning : str
        The same in words.
    kind : {"ratio", "difference", "level"}
        Whether it is a ratio, a difference, or a level of a score whose best value is 1.
    """

    bound: float
    meaning: str
    kind: Literal["ratio", "difference", "level"]

    def scaled(self, factor: float) -> float:
        """Return the bound of a convention that is stricter or looser by a factor.

        A difference is multiplied by the factor, and so are a ratio and the distance of a level
        from 1; a ratio below 1 is divided by it. No ratio passes 1, where its meaning turns.

        Examples
        --------
        >>> CONVENTIONS["much_faster"].scaled(2), CONVENTIONS["on_par"].scaled(2)
        (6.0, 0.25)
        >>> CONVENTIONS["close_to_one"].scaled(2), CONVENTIONS["faster"].scaled(0.5)
        (0.9, 1.0)
        """
        if self.kind == "level":
            return round(1 - factor * (1 - self.bound), 12)
        if self.kind == "ratio" and self.bound < 1:
            return min(self.bound / factor, 1.0)
        if self.kind == "ratio":
            return max(self.bound * factor, 1.0)
        return self.bound * factor

    def words(self, factor: float) -> str:
        """Return the scaled bound as sentences have it: a ratio of 1 or more.

        Examples
        --------
        >>> CONVENTIONS["on_par"].words(2), CONVENTIONS["as_good"].words(2)
        ('4 ×', '−0.02')
        """
        bound = self.scaled(factor)
        return f"{number(max(bound, 1 / bound))} ×" if self.kind == "ratio" else number(bound)


CONVENTIONS = {
    "on_par": Convention(0.5, "takes at most twice the time", "ratio"),
    "faster": Convention(1.1, "takes less time by a factor of more than 1.1", "ratio"),
    "much_faster": Convention(3.0, "takes less time by a factor of 3 or more", "ratio"),
    "far_longer": Convention(10.0, "the other takes at least ten times as long", "ratio"),
    "close_to_one": Convention(0.95, "is at least .95", "level"),
    "much_better": Convention(0.05, "is better by .05 or more", "difference"),
    "as_good": Convention(-0.01, "is worse by less than .01, or practically equal", "difference"),
    "slightly_worse": Convention(-0.05, "is worse by less than .05", "difference"),
}
KEYS = ("by", "at_least", "at_most")  # parameters of tests that may name a convention
CONTESTANTS = ("first", "second", "methods", "method")  # parameters that name methods
FACTORS = (0.5, 2.0)  # a verdict that depends on a convention is told with half and twice of it


def with_bounds(params: dict[str, object], factor: float = 1.0) -> dict[str, object]:
    """Return the parameters of a test with numbers in place of the names of conventions.

    Parameters
    ----------
    params : dict
        Parameters as a claim gives them.
    factor : float, default=1
        Factor of the conventions.

    Raises
    ------
    ValueError
        If a bound is a text that names no convention.

    Examples
    --------
    >>> with_bounds({"metric": "seconds", "by": "much_faster"})
    {'metric': 'seconds', 'by': 3.0}
    """
    numbers = dict(params)
    for key in KEYS:
        name = params.get(key)
        if isinstance(name, str) and not (key == "at_least" and name == "most"):
            if name not in CONVENTIONS:
                raise ValueError(f"{key}: {name}: give a number or one of {', '.join(CONVENTIONS)}")
            numbers[key] = CONVENTIONS[name].scaled(factor)
    return numbers


def conventions_of(params: dict[str, object]) -> list[str]:
    """Return the names of the conventions among the parameters of a test."""
    return [str(params[key]) for key in KEYS if params.get(key) in CONVENTIONS]


def metrics_of(params: dict[str, object]) -> list[str]:
    """Return the metrics that the parameters of a test name, each once.

    Examples
    --------
    >>> metrics_of({"metrics": ["continuity_k12", "stress"], "truth": "latent_spearman"})
    ['continuity_k12', 'stress', 'latent_spearman']
    """
    named = [params.get(key, []) for key in ("metrics", "metric", "truth")]
    names = [name for value in named for name in (value if isinstance(value, list) else [value])]
    return [*dict.fromkeys(map(str, names))]


def contestants_of(params: dict[str, object], kind: Literal["methods", "datasets"]) -> list[str]:
    """Return the methods or datasets that the contestants of a test name, each once.

    Examples
    --------
    >>> rivals = ["pca", {"methods": ["le", "lle"], "datasets": ["gp"]}]
    >>> contestants_of({"first": "ikd", "second": rivals}, "methods")
    ['ikd', 'pca', 'le', 'lle']
    >>> contestants_of({"first": "ikd", "second": rivals}, "datasets")
    ['gp']
    """
    named: list[Any] = [params[key] for key in CONTESTANTS if params.get(key) is not None]
    specs = [spec for value in named for spec in (value if isinstance(value, list) else [value])]
    choices = [spec if isinstance(spec, dict) else {"methods": [spec]} for spec in specs]
    return [*dict.fromkeys(name for choice in choices for name in choice.get(kind) or [])]
