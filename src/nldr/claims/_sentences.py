"""Sentences about the findings of tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nldr.claims._entries import Conjunction, Entry
from nldr.claims._units import Measure
from nldr.claims._words import number, of_all, plural


class Statement(NamedTuple):
    """A claim in words: subject, verb, its negation, what follows it, and unit of the effect.

    If ``inverse``, the statement is about the inverse of the ratio that is tested; ``signs`` are
    words for positive and negative differences.
    """

    subject: str
    verb: str
    negation: str
    than: str
    unit: str
    inverse: bool = False
    signs: tuple[str, ...] = ()

    def effect(self, entry: Entry) -> str:
        """Return the effect of a comparison, with its interval and number of trials."""
        return entry.text("paired trial", self.unit, self.inverse, self.signs)

    def share(self, count: int, total: int, noun: str) -> tuple[str, str]:
        """Return the verb, negated if nothing holds, and the number of things it is true of."""
        if count:
            return self.verb, of_all(count, total, noun)
        # "is not higher in any", but "is below in all"
        return self.negation, of_all(0 if " not " in f" {self.negation}" else total, total, noun)


def statement(title: str, measure: Measure, bound: float, ratio: bool) -> Statement:
    """Return the words of a comparison.

    Examples
    --------
    >>> r2 = Measure("r2", "R²", "R²", "R²", True, 0.0, 1.0, False)
    >>> " ".join(statement("IKD", r2, 0.0, False)[:2])
    'IKD has a higher R²'
    >>> " ".join(statement("IKD", r2, -0.01, False)[:2])
    'the R² of IKD is at most 0.01 lower'
    """
    unit = "×" if ratio else measure.unit if measure.is_cost else ""
    better, worse = ("higher", "lower") if measure.higher else ("lower", "higher")
    # Ratios of times are worded as speeds.
    if ratio and measure.column == "seconds" and bound >= 1:
        if bound == 1:
            return Statement(title, "is faster", "is not faster", "than", unit)
        speed = f"more than {number(bound)} × as fast"
        return Statement(title, f"is {speed}", f"is not {speed}", "as", unit)
    signs = () if ratio else (better, worse)
    # Without a margin: the bound is a ratio of 1 or a difference of 0
    if bound == float(ratio):
        what = f"a {better} {measure.label}"
        signs = () if ratio else ("", worse)
        return Statement(title, f"has {what}", f"does not have {what}", "than", unit, False, signs)
    subject = f"the {measure.label} of {title}"
    size = number(abs(bound))
    if ratio:
        much, than = f"more than {size} ×", "that of"
        if not measure.higher:
            much = f"less than {number(1 / bound)} ×"
        return Statement(subject, f"is {much}", f"is not {much}", than, unit, not measure.higher)
    than = "than that of"
    if bound > 0:
        much = f"more than {size} {better}"
        return Statement(subject, f"is {much}", f"is not {much}", than, unit, False, signs)
    verb, negation = f"is at most {size} {worse}", f"is more than {size} {worse}"
    return Statement(subject, verb, negation, than, unit, False, signs)


def say_comparison(
    conjunction: Conjunction,
    words: Statement,
    rivals: Sequence[str],
    quantifier: str,
    n_settings: int,
    scene: str,
) -> str:
    """Return the finding of a comparison in words.

    ``scene`` is the title of the dataset if there is only one, else empty.
    """
    total, key, n_rivals = len(conjunction.entries), conjunction.key, len(rivals)
    in_mean = quantifier == "mean" and n_settings > 1
    where = f" in the mean over {plural(n_settings, 'setting')}" if in_mean else ""
    # A single comparison needs no count.
    if total == 1:
        verb = words.verb if conjunction.supports else words.negation
        text = f"{words.subject} {verb} {words.than} {rivals[0]}{where}: "
        return _finish(scene, f"{text}{words.effect(key)}.")
    if quantifier == "most":
        opponents = rivals[0] if n_rivals == 1 else plural(n_rivals, "rival")
        verb, comparisons = words.share(conjunction.true, total, "comparison")
        where = f" in {comparisons}"
    elif in_mean or n_settings == 1:
        verb, opponents = words.share(conjunction.true, total, "rival")
    else:
        opponents = rivals[0] if n_rivals == 1 else f"each of {n_rivals} rivals"
        won: dict[str, bool] = {}
        for entry in conjunction.entries:
            won[entry.group] = won.get(entry.group, True) and entry.margin > 0
        verb, settings = words.share(sum(won.values()), len(won), "setting")
        where = f" in {settings}"
    place = "" if in_mean or n_settings == 1 else _place(key, scene)
    if key.margin > 0:
        size = "largest" if words.inverse else "smallest"
        clause = f"the {size} {'ratio' if words.unit == '×' else 'difference'} is that"
        rival = f" to {key.short}" if n_rivals > 1 else ""
    else:
        clause = f"the clearest {'case' if verb == words.negation else 'exception'} is"
        rival = f" {key.short}" if n_rivals > 1 else " that"
    text = f"{words.subject} {verb} {words.than} {opponents}{where}; {clause}{rival}{place}: "
    return _finish(scene, f"{text}{words.effect(key)}.")


def _place(key: Entry, scene: str) -> str:
    """Return where the comparison that decides was made."""
    if not scene:
        return f" on {key.group}"
    return f" with {key.group.removeprefix(f'{scene}, ')}" if key.group != scene else ""


def say_entries(conjunction: Conjunction, words: Statement, closest: str) -> str:
    """Return the finding of entries that are compared with a bound.

    ``closest`` is the name of the entry that is closest to the bound, such as ``lowest``.
    """
    key, total = conjunction.key, len(conjunction.entries)
    text = f"{key.text('trial', words.unit)}."
    if total == 1:
        place = key.short.partition(" on ")[2]
        verb = words.verb if conjunction.supports else words.negation
        return _finish("", f"{words.subject} {verb} on {place}: {text}")
    verb, where = words.share(conjunction.true, total, "setting")
    which = f"the clearest {'case' if verb == words.negation else 'exception'} is"
    if key.margin > 0:
        which = f"the {closest} is that of"
    return _finish("", f"{words.subject} {verb} in {where}; {which} {key.short}: {text}")


def _finish(scene: str, text: str) -> str:
    """Return a sentence with its scene, and with a capital letter unless it begins with a name."""
    if scene:
        return f"{scene}: {text}"
    return f"The {text[4:]}" if text.startswith("the ") else text
