"""Sentences about the findings of tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nldr.claims._units import Measure
from nldr.claims.findings import AT_BOUND, Effect, Finding, Setting, Statement
from nldr.claims.words import number, of_all, plural
from nldr.statistics.outcomes import Outcome

# How a method is fast, by the time that is compared
SPEEDS = {
    "seconds": "",
    "cpu_seconds": " in CPU time",
    "transform_seconds": " in placing new points",
}


def comparative(
    title: str, measure: Measure, bound: float, ratio: bool, rivals: Sequence[str]
) -> Statement:
    """Return the words of a comparison.

    Examples
    --------
    >>> r2 = Measure("r2", "R²", "R²", "R²", True, 0.0, 1.0, False)
    >>> " ".join(comparative("IKD", r2, 0.0, False, ["PCA"])[:2])
    'IKD has a higher R²'
    >>> " ".join(comparative("IKD", r2, -0.01, False, ["PCA"])[:2])
    'the R² of IKD is at most 0.01 lower'
    """
    unit = "×" if ratio else measure.unit if measure.is_cost else ""
    tie = AT_BOUND if bound != float(ratio) else "practically equal"
    better, worse = ("higher", "lower") if measure.higher else ("lower", "higher")
    signs = () if ratio else (better, worse)
    subject, inverse, than = f"the {measure.label} of {title}", False, "than that of"
    size = number(abs(bound)) if ratio else f"{number(abs(bound))} {unit}".rstrip()
    if ratio and measure.column in SPEEDS and bound >= 1:
        # Ratios of times are worded as speeds
        subject, than = title, "than" if bound == 1 else "as"
        what = "faster" if bound == 1 else f"more than {size} × as fast"
        what += SPEEDS[measure.column]
        verb, negation = f"is {what}", f"is not {what}"
    elif ratio and bound == 1:
        inverse = not measure.higher
        verb, negation = f"is {better}", f"is not {better}"
    elif bound == float(ratio):
        # Without a margin: the bound is a difference of 0
        subject, than, what, signs = title, "than", f"a {better} {measure.label}", ("", worse)
        verb, negation = f"has {what}", f"does not have {what}"
    elif ratio:
        much, than, inverse = f"more than {size} ×", "that of", not measure.higher
        if inverse:
            much = f"less than {number(1 / bound)} ×"
        verb, negation = f"is {much}", f"is not {much}"
    elif bound > 0:
        verb, negation = (f"is {word}more than {size} {better}" for word in ("", "not "))
    else:
        verb, negation = f"is at most {size} {worse}", f"is more than {size} {worse}"
    return Statement(subject, verb, negation, than, rivals, unit, inverse, signs, tie)


def say(finding: Finding, level: float, setting: Setting, key: Effect) -> str:
    """Return what a test finds in words, with the effect of the comparison that decides.

    The setting and the comparison, ``key``, are those that decide at the level of the tests of all
    settings.
    """
    words, m = finding.words, len(finding.settings)
    counts = Counter(s.tests.outcome(level) for s in finding.settings)
    trial = "paired trial" if finding.is_paired else "trial"
    effect = key.text(trial, words.unit, words.inverse, words.signs)
    effect += _why_unclear(setting, key, level)
    if m == 1:
        return _say_one(words, finding.settings[0], counts, key, effect)
    rest = _exceptions(counts, words.tie, has_bound([finding]))
    if counts[Outcome.UNCLEAR] == m:
        text, rest = f"it is unclear in {of_all(m, m, 'setting')} whether", []
        text += f" {_clause(words, words.verb)}"
    elif (
        counts[Outcome.WORSE] and not counts[Outcome.BETTER] and " not " not in f" {words.negation}"
    ):
        # "is below in all 3 settings", but "is higher in 0 of 3 settings"
        where = of_all(counts[Outcome.WORSE], m, "setting")
        text, rest = f"{_clause(words, words.negation)} in {where}", rest[1:]
    else:
        text = f"{_clause(words, words.verb)} in {of_all(counts[Outcome.BETTER], m, 'setting')}"
    detail = f" ({', '.join(rest)})" if rest else ""
    place = _place(words, setting, key, level, bool(counts[Outcome.BETTER]))
    return f"{_capital(text)}{detail}. {place}: {effect}."


def _why_unclear(setting: Setting, key: Effect, level: float) -> str:
    """Return why a setting is unclear although the interval lies on one side of the bound."""
    tests, (_, low, high) = setting.tests, key.ends
    is_apart = low > key.bound or high < key.bound
    if tests.outcome(level) is not Outcome.UNCLEAR or not is_apart:
        return ""
    p = 2 * min(tests.p_better, tests.p_worse)
    limit = f"the limit of {level:.2g} that keeps the error rate of all claims at 5 %"
    return f"; its p-value of {p:.2g} is above {limit}"


def has_bound(findings: Sequence[Finding]) -> bool:
    """Return whether a test asks for more than a sign: a difference of 0, or a ratio of 1."""
    comparisons = [c for finding in findings for s in finding.settings for c in s.comparisons]
    return any(c.bound != float(c.ratio) for c in comparisons)


def say_count(tests: str, findings: Sequence[Finding], level: float) -> str:
    """Return in how many settings a claim holds by several tests, such as "the other 2 tests"."""
    counts = Counter(s.tests.outcome(level) for f in findings for s in f.settings)
    text = of_all(counts[Outcome.BETTER], counts.total(), "setting")
    rest = ", ".join(_exceptions(counts, "a tie", has_bound(findings)))
    return f"Over {tests}, the claim holds in {text}" + (f" ({rest})." if rest else ".")


def _exceptions(counts: Counter[Outcome], tie: str, has_bound: bool) -> list[str]:
    """Return in how many settings a statement does not hold, for each way of not holding."""
    total = counts.total()
    everywhere = "both" if total == 2 else f"all {total}"
    return [
        f"{word} in {counts[outcome] if counts[outcome] < total else everywhere}"
        for outcome, word in (
            (Outcome.WORSE, "short of the bound" if has_bound else "the opposite"),
            (Outcome.TIE, tie),
            (Outcome.UNCLEAR, "unclear"),
        )
        if counts[outcome]
    ]


def _clause(words: Statement, verb: str) -> str:
    """Return subject, verb and rivals."""
    parts = [words.subject, verb, words.than]
    if words.rivals:
        few = len(words.rivals) == 1
        parts.append(words.rivals[0] if few else f"each of {plural(len(words.rivals), 'rival')}")
    return " ".join(part for part in parts if part)


def _tie_clause(words: Statement) -> str:
    """Return what is said of an effect that is practically its bound, on either side of it."""
    if words.tie == AT_BOUND:
        return f"{_clause(words, words.verb)}, or practically so,"
    return f"{_clause(words, words.negation)}, but is {words.tie}"


def _say_one(
    words: Statement, setting: Setting, counts: Counter[Outcome], key: Effect, effect: str
) -> str:
    """Return the sentence about a single setting."""
    place = f" on {setting.title}" if setting.title else ""
    if len(setting.comparisons) > 1:
        effect = f"compared with {key.name}, {effect}"
    if counts[Outcome.BETTER]:
        return _capital(f"{_clause(words, words.verb)}{place}: {effect}.")
    if counts[Outcome.UNCLEAR]:
        return f"It is unclear whether {_clause(words, words.verb)}{place}: {effect}."
    clause = _tie_clause(words) if counts[Outcome.TIE] else _clause(words, words.negation)
    return _capital(f"{clause}{place}: {effect}.")


def _place(words: Statement, setting: Setting, key: Effect, level: float, has_better: bool) -> str:
    """Return which comparison decides, and where it was made, to begin a sentence with."""
    labels = {
        Outcome.BETTER: "Closest case" if key.estimate.is_exact else "Least certain case",
        Outcome.TIE: "Case at the bound" if words.tie == AT_BOUND else "Practically equal case",
        Outcome.WORSE: "Clearest exception" if has_better else "Clearest case",
        Outcome.UNCLEAR: "Unclear case",
    }
    label = labels[setting.tests.outcome(level)]
    if len(words.rivals) == 1:
        return f"{label} ({setting.title})" if setting.title else label
    where = f" on {setting.title}" if setting.title and setting.title not in key.name else ""
    return f"{label} ({'vs. ' if words.rivals else ''}{key.name}{where})"


def _capital(text: str) -> str:
    """Return a sentence with a capital letter, unless it begins with a name such as t-SNE.

    Examples
    --------
    >>> _capital("autoencoder is faster"), _capital("t-SNE is faster"), _capital("µ is higher")
    ('Autoencoder is faster', 't-SNE is faster', 'µ is higher')
    """
    word = text.partition(" ")[0]
    is_name = len(word) == 1 or not (word.isalpha() and word.islower())
    return text if is_name else text[0].upper() + text[1:]
