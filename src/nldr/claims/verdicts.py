"""Verdicts on the claims of a paper, from the outcomes of their settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from nldr.claims._sentences import say, say_count
from nldr.claims.findings import Effect, Finding, Setting
from nldr.statistics.outcomes import RATE, Outcome, discovery_level

MOST_SENTENCES = 3  # of a verdict in words
MARKS = {Outcome.BETTER: "●", Outcome.TIE: "━", Outcome.WORSE: "○", Outcome.UNCLEAR: "·"}


class Verdict(StrEnum):
    """Verdict on a claim."""

    HOLDS = "holds"
    MOST = "holds in most"
    ONLY_AS_PUBLISHED = "holds only as published"
    TIE = "tie"
    FEW = "holds in few"
    FAILS = "fails"
    OPEN = "open"
    NOT_RUN = "not run"


# From the weakest: the verdict on an evaluation is that of its weakest part.
ORDER = (Verdict.FAILS, Verdict.FEW, Verdict.OPEN, Verdict.TIE, Verdict.MOST, Verdict.HOLDS)


@dataclass(frozen=True)
class ClaimJudgment:
    """Verdict on one evaluation of a claim, with the outcomes that it rests on.

    Attributes
    ----------
    verdict : Verdict
        The verdict.
    findings : tuple of Finding
        What its tests find.
    outcomes : tuple of Outcome
        Outcome of each of their settings, in order.
    level : float
        Level of the tests of all settings of the paper.
    sentence : str
        What was found, in words.
    finding : Finding
        The test that decides.
    setting : Setting
        The setting that decides.
    comparison : Effect
        The comparison that decides: effect, interval, p-value and number of trials are its own.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    outcomes: tuple[Outcome, ...]
    level: float
    sentence: str
    finding: Finding
    setting: Setting
    comparison: Effect

    @property
    def settings(self) -> list[Setting]:
        """All settings of its tests, in order."""
        return [setting for finding in self.findings for setting in finding.settings]

    @property
    def comparisons(self) -> list[tuple[Finding, Effect]]:
        """All comparisons of its tests, in order."""
        return [(f, c) for f in self.findings for s in f.settings for c in s.comparisons]

    @property
    def counts(self) -> Counter[Outcome]:
        """Number of settings by outcome."""
        return Counter(self.outcomes)

    @property
    def strip(self) -> str:
        """One mark per setting: filled for better, hollow for worse, a bar for a tie, a dot."""
        return "".join(MARKS[outcome] for outcome in self.outcomes)


def judge(
    evaluations: Mapping[str, Sequence[Finding] | None],
    registered: Mapping[str, int] | None = None,
    rate: float = RATE,
) -> dict[str, ClaimJudgment | None]:
    """Return the verdicts on the claims of a paper, on one basis.

    Settings are tested at the level that Benjamini and Hochberg's procedure gives for all settings
    of all registered claims. Those that were not run have p = 1, so that a verdict does not change
    when another claim is run.

    Parameters
    ----------
    evaluations : mapping of str to (sequence of Finding, or None)
        The findings of the tests of each claim; None for a claim that was not run.
    registered : mapping of str to int, optional
        Number of settings that each claim has at full size.
    rate : float, default=0.05
        Expected share of false statements among the settings that are told to be better, worse or
        equal.

    Returns
    -------
    dict of str to (ClaimJudgment or None)
        The verdicts, in the same order; None for a claim that was not run.
    """
    registered = registered or {}
    p_values: list[float] = []
    for name, findings in evaluations.items():
        own = [s.tests.p_value for finding in findings or () for s in finding.settings]
        p_values += [*own, *[1.0] * (registered.get(name, 0) - len(own))]
    level = discovery_level(p_values, rate)
    return {
        name: decide(findings, level) if findings else None
        for name, findings in evaluations.items()
    }


def decide(findings: Sequence[Finding], level: float) -> ClaimJudgment:
    """Return the verdict on one evaluation at a level of the tests of its settings.

    Settings of tests about every setting are counted together, and those of tests about most; each
    test that asks for a number of settings is counted alone. The weakest of these verdicts counts.
    """
    if not findings:
        raise ValueError("an evaluation needs at least one test")
    verdicts = [(_verdict_of_part(part, level), part) for part in parts_of(findings)]
    verdict, weakest = min(verdicts, key=lambda pair: ORDER.index(pair[0]))
    finding, setting, comparison = _key(weakest, verdict, level)
    return ClaimJudgment(
        verdict=verdict,
        findings=tuple(findings),
        outcomes=tuple(s.tests.outcome(level) for f in findings for s in f.settings),
        level=level,
        sentence=_sentence(findings, weakest, finding, setting, comparison, level),
        finding=finding,
        setting=setting,
        comparison=comparison,
    )


def parts_of(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Return the tests whose settings are counted together: of all, of most, and each other one."""
    parts: dict[tuple[object, int], list[Finding]] = {}
    for index, finding in enumerate(findings):
        key = (finding.need, index if isinstance(finding.need, int) else -1)
        parts.setdefault(key, []).append(finding)
    return [*parts.values()]


def _verdict_of_part(findings: Sequence[Finding], level: float) -> Verdict:
    outcomes = [s.tests.outcome(level) for f in findings for s in f.settings]
    need = findings[0].need
    return verdict_of(outcomes, len(outcomes) // 2 + 1 if need == "most" else need)


def verdict_of(outcomes: Sequence[Outcome], need: int | None = None) -> Verdict:
    """Return the verdict from the outcomes of the settings, whatever the unclear ones are.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Outcome of each setting.
    need : int, optional
        Number of settings in which the statement must hold; without it the verdict is graded.

    Examples
    --------
    >>> B, T, W, U = Outcome.BETTER, Outcome.TIE, Outcome.WORSE, Outcome.UNCLEAR
    >>> [str(verdict_of(o)) for o in ([B, B], [B, B, W], [B, T, T], [W, U], [W, T], [B, U, U])]
    ['holds', 'holds in most', 'tie', 'holds in few', 'fails', 'open']
    >>> str(verdict_of([B, W, U], need=1)), str(verdict_of([B, W, U], need=3))
    ('holds', 'fails')
    """
    counts, m = Counter(outcomes), len(outcomes)
    better, tie, unclear = (counts[o] for o in (Outcome.BETTER, Outcome.TIE, Outcome.UNCLEAR))
    if need is not None:
        if better >= need:
            return Verdict.HOLDS
        return Verdict.FAILS if better + unclear < need else Verdict.OPEN
    if better == m:
        return Verdict.HOLDS
    if 2 * better > m:
        return Verdict.MOST
    if 2 * tie > m:
        return Verdict.TIE
    if better + unclear == 0:
        return Verdict.FAILS
    return Verdict.FEW if 2 * (better + unclear) <= m else Verdict.OPEN


def _key(
    findings: Sequence[Finding], verdict: Verdict, level: float
) -> tuple[Finding, Setting, Effect]:
    """Return the test, the setting and the comparison that decide.

    Where the statement holds, in most settings or in all, the weakest of these; else the strongest
    contrary one; without any, the strongest tie, and last the setting that is closest to a sign.
    Of equal p-values, such as those of exact values, the distance from the bound decides, and then
    the number of trials.
    """
    pairs = [(f, s) for f in findings for s in f.settings]
    by_outcome: dict[Outcome, list[tuple[Finding, Setting]]] = {}
    for finding, setting in pairs:
        by_outcome.setdefault(setting.tests.outcome(level), []).append((finding, setting))
    better = by_outcome.get(Outcome.BETTER)
    if verdict in (Verdict.HOLDS, Verdict.MOST) and better:
        finding, setting = max(better, key=lambda pair: _strength(pair[1], Outcome.BETTER))
        return finding, setting, setting.key(Outcome.BETTER)
    first = (Outcome.TIE, Outcome.WORSE) if verdict is Verdict.TIE else (Outcome.WORSE, Outcome.TIE)
    for outcome in (*first, Outcome.UNCLEAR, Outcome.BETTER):
        if members := by_outcome.get(outcome):
            finding, setting = min(members, key=lambda pair: _strength(pair[1], outcome))
            return finding, setting, setting.key(outcome)
    raise ValueError("a test has no setting")


def _strength(setting: Setting, outcome: Outcome) -> tuple[float, float, int]:
    """Return p-value of an outcome, distance from the bound, and trials; least is strongest."""
    tests = setting.tests
    p_values = {
        Outcome.BETTER: tests.p_better,
        Outcome.TIE: tests.p_tie,
        Outcome.WORSE: tests.p_worse,
        Outcome.UNCLEAR: tests.p_value,
    }
    key = setting.key(outcome)
    margin = -key.margin if outcome is Outcome.BETTER else key.margin
    return p_values[outcome], margin, -key.estimate.n


def _sentence(
    findings: Sequence[Finding],
    part: Sequence[Finding],
    deciding: Finding,
    setting: Setting,
    comparison: Effect,
    level: float,
) -> str:
    """Return one sentence for the tests that say the same; the one that decides speaks first.

    Of more than three such sentences there is the first, and a count of the settings of the others.
    Before it stands the count that decides, where several sentences share it.
    """
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in (deciding, *(f for f in findings if f is not deciding)):
        key = (finding.need, finding.words.subject, finding.words.verb)
        groups.setdefault(key, []).append(finding)
    sentences = []
    for members in groups.values():
        settings = tuple(s for f in members for s in f.settings)
        rivals = tuple(dict.fromkeys(name for f in members for name in f.words.rivals))
        words = members[0].words._replace(rivals=rivals)
        merged = replace(members[0], settings=settings, words=words)
        is_deciding = members[0] is deciding
        chosen = (setting, comparison) if is_deciding else _key_of(merged, level)
        sentences.append(say(merged, level, *chosen))
    _, *others = groups.values()
    if len(sentences) > MOST_SENTENCES:
        rest = [finding for members in others for finding in members]
        sentences[1:] = [say_count(f"the other {len(others)} tests", rest, level)]
    n_tests = sum(key[0] == deciding.need for key in groups)
    if len(part) > 1 and n_tests > 1:
        which = "both tests" if n_tests == 2 else f"all {n_tests} tests"
        sentences.insert(0, say_count(which, part, level))
    return " ".join(sentences)


def _key_of(finding: Finding, level: float) -> tuple[Setting, Effect]:
    """Return the setting and the comparison that decide a single test."""
    _, setting, comparison = _key([finding], _verdict_of_part([finding], level), level)
    return setting, comparison


def final_verdict(as_published: Verdict, equal_tuning: Verdict | None) -> Verdict:
    """Return the verdict on a claim from both of its evaluations.

    It is the verdict as published, but for a statement that holds, in all or most settings, and
    does not under equal tuning: that holds only as published. An evaluation under equal tuning that
    is open, or was not run, is told beside it.

    Parameters
    ----------
    as_published : Verdict
        The verdict as published.
    equal_tuning : Verdict or None
        The verdict under equal tuning; None where it does not apply.

    Returns
    -------
    Verdict
        The verdict.

    Examples
    --------
    >>> str(final_verdict(Verdict.HOLDS, Verdict.FAILS))
    'holds only as published'
    """
    contrary = (Verdict.TIE, Verdict.FEW, Verdict.FAILS)
    if as_published in (Verdict.HOLDS, Verdict.MOST) and equal_tuning in contrary:
        return Verdict.ONLY_AS_PUBLISHED
    return as_published
