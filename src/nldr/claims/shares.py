"""Claims about the share of runs, or of published numbers, that are as stated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from nldr.claims._entries import Entry, combine_entries, decide, make_finding, read_bound
from nldr.claims._units import ContestantSpec, matches, read_methods
from nldr.claims._words import listed, number, plural
from nldr.claims.evidence import Comparison, Evidence, Finding
from nldr.statistics.location import Location

if TYPE_CHECKING:
    from pandas import DataFrame, Series

FAILURES = ("timeout", "error", "invalid_input", "out_of_memory")
DECIDED = ("reproduced", "better", "worse")


def fails(
    evidence: Evidence,
    methods: Sequence[ContestantSpec] | None = None,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Finding:
    """Decide whether a share of the runs of some methods fails.

    A run fails with status ``timeout``, ``error``, ``invalid_input`` or ``out_of_memory``; one that
    did not converge has a result. The interval is Clopper and Pearson's. Runs in which neither data
    nor method are random are exact.

    Parameters
    ----------
    methods : sequence of (str or mapping), optional
        Contestants, as in :func:`nldr.claims.compare`; by default all methods of the evidence. All
        of their cells count.
    at_least, at_most : float, optional
        The share; give one of them.

    Returns
    -------
    Finding
        The effect is the share of failed runs.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "rolls", "data_cell": "rolls", "method": "lle", "method_cell": "lle",
    ...     "trial": range(8), "ok": False, "status": "invalid_input"})
    >>> evidence = Evidence(
    ...     table=table, methods={"lle": "LLE"}, datasets={"rolls": "Two rolls"}, metrics={})
    >>> finding = fails(evidence, ["lle"], at_least=0.5)
    >>> print(finding.decision, finding.sentence, sep=": ")
    holds: 8 of 8 runs of LLE fail: 100 % (95 % interval 63 to 100 %).
    """
    bound, above = read_bound(at_least, at_most)
    contestants = read_methods(evidence, methods)
    comparisons, n_failed, n_runs, is_exact = [], 0, 0, True
    for contestant in contestants:
        rows = contestant.rows(evidence.table)
        failed = rows["status"].isin(FAILURES)
        for cell, runs in failed.groupby([rows["dataset"], rows["data_cell"], rows["method_cell"]]):
            random = rows.loc[runs.index, "random"].any() if "random" in rows else len(runs) > 1
            is_exact &= not random
            share = _share(int(runs.sum()), len(runs), bound, above, not random)
            label = f"{contestant.title}, {evidence.datasets[cell[0]]} ({cell[1]}/{cell[2]})"
            comparisons.append(_comparison(label, share, f"{(~runs).sum()} of {len(runs)}"))
        n_failed, n_runs = n_failed + int(failed.sum()), n_runs + len(failed)
    if not n_runs:
        raise ValueError(f"{methods} have no runs in the evidence: correct select or where")
    total = _share(n_failed, n_runs, bound, above, is_exact)
    names = listed([contestant.title for contestant in contestants])
    text = f"{n_failed} of {plural(n_runs, 'run')} of {names} fail"
    return _finding(total, text, "of runs", comparisons)


def reproduced(
    evidence: Evidence,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    quantifier: Literal["share", "every"] = "share",
    where: Mapping[str, Any] | None = None,
) -> Finding:
    """Decide whether a share of the published numbers, or every one, is reproduced.

    A share is that of the verdict ``reproduced`` among the numbers that are decided, with Clopper
    and Pearson's interval. It needs many numbers: all of six reproduced ones have p = .03 against
    a share of one half, which is too much as soon as the paper has a second claim.

    Every number is reproduced if each passes its own test of equivalence, see
    :func:`nldr.claims.compare_with_published`; the largest p-value counts.

    Parameters
    ----------
    at_least, at_most : float, optional
        The share; 0.9 or more by default. Not used for every number.
    quantifier : {"share", "every"}, default="share"
        Whether a share of the numbers is tested, or each of them.
    where : mapping of str to value or list, optional
        Columns of the published numbers and the values that count.

    Returns
    -------
    Finding
        The effect is the share of reproduced numbers; for every number, the distance from the
        published number that decides.

    Raises
    ------
    ValueError
        If ``where`` matches none of the numbers, or a share is given for every number.

    Examples
    --------
    >>> import pandas as pd
    >>> verdicts = pd.DataFrame({"method": "gplvm", "verdict": ["reproduced"] * 7 + ["undecided"]})
    >>> evidence = Evidence(
    ...     table=pd.DataFrame(), methods={}, datasets={}, metrics={}, published=verdicts)
    >>> print(reproduced(evidence, at_least=0.5).sentence)
    7 of 7 decided published numbers are reproduced: 100 % (95 % interval 59 to 100 %).
    """
    numbers = _select_numbers(evidence, where or {})
    if quantifier == "every":
        if at_least is not None or at_most is not None:
            raise ValueError("quantifier: every has no share: leave at_least and at_most out")
        return _every_number(numbers)
    if quantifier != "share":
        raise ValueError(f"quantifier {quantifier!r}: must be share or every")
    bound, above = read_bound(0.9 if at_most is None and at_least is None else at_least, at_most)
    verdicts = numbers["verdict"].value_counts()
    n_decided = int(verdicts.reindex(DECIDED).fillna(0).sum())
    n = int(verdicts.get("reproduced", 0))
    text = f"{n} of {plural(n_decided, 'decided published number')} are reproduced"
    return _finding(_share(n, n_decided, bound, above, False), text, "of numbers", [])


def _select_numbers(evidence: Evidence, where: Mapping[str, Any]) -> DataFrame:
    """Return the published numbers whose columns have the values of ``where``."""
    numbers = evidence.published
    if numbers is None:
        raise ValueError("the study has no published numbers: name one that declares published")
    if not len(numbers):
        raise ValueError("no cell of this scale has a published number")
    for column, values in where.items():
        if column not in numbers:
            columns = [*numbers.columns]
            raise ValueError(f"published numbers have no column {column!r}: they have {columns}")
        accepted = values if isinstance(values, list | tuple) else [values]
        numbers = numbers[matches(numbers[column], accepted)]
    if not len(numbers):
        raise ValueError(f"no published number is one of {where}: correct where")
    return numbers


def _every_number(numbers: DataFrame) -> Finding:
    """Return the finding of the tests of equivalence of all numbers that were run."""
    run = numbers[numbers["verdict"] != "not run"]
    if not len(run):
        raise ValueError("no published number was run at this scale")
    conjunction = combine_entries([_equivalence(row) for _, row in run.iterrows()])
    key, total = conjunction.key, plural(len(conjunction.entries), "published number")
    sentence = (
        f"{conjunction.true} of {total} lie within their margins; the one that decides is that of "
        f"{key.label}, {key.text('trial')} away where {number(key.bound)} counts as none."
    )
    finding = make_finding(conjunction, "every", "", sentence)
    test = f"two one-sided t-tests; all {len(run)} must hold (intersection–union)"
    return replace(finding, test=test)


def _equivalence(row: Series) -> Entry:
    """Return the comparison of the distance from a published number with its margin."""
    from scipy.special import stdtr, stdtrit

    n, margin, distance = int(row["trials"]), float(row["margin"]), abs(float(row["difference"]))
    half = float(row["high"] - row["low"]) / 2
    if half == 0:  # no randomness
        p_below = float(distance > margin)
    elif n < 2 or not isfinite(half):
        p_below = nan
    else:
        # One-sided test whose two-sided p-value is .05 where the interval ends at the margin
        p_below = float(stdtr(n - 1, (distance - margin) / half * stdtrit(n - 1, 0.975)))
    low, high = max(0.0, distance - half), distance + half
    location = Location(distance, low, high, 1 - p_below, p_below, n)
    setting = row["setting"]
    return Entry(setting, setting, location, margin, False, plural(n, "trial"), setting)


class _Share(NamedTuple):
    """A share with its interval and the two-sided p-value of being on its side of a bound."""

    center: float
    low: float
    high: float
    n: int
    supports: bool
    p_value: float
    exact: bool
    bound: float
    above: bool


def _share(count: int, n: int, bound: float, above: bool, exact: bool) -> _Share:
    """Return a share of ``n`` with Clopper and Pearson's interval and the binomial test."""
    from scipy.special import bdtr, bdtrc, betaincinv

    if not n:
        return _Share(nan, 0.0, 1.0, 0, False, nan, False, bound, above)
    center = count / n
    supports = center >= bound if above else center <= bound
    if exact:
        return _Share(center, center, center, n, supports, 0.0, True, bound, above)
    low = float(betaincinv(count, n - count + 1, 0.025)) if count else 0.0
    high = float(betaincinv(count + 1, n - count, 0.975)) if count < n else 1.0
    # Probability of a share at least as extreme, if the true one were the bound
    p = bdtrc(count - 1, n, bound) if supports == above else bdtr(count, n, bound)
    return _Share(center, low, high, n, supports, min(1.0, 2 * float(p)), False, bound, above)


def _comparison(label: str, share: _Share, solved: str) -> Comparison:
    """Return the share of one cell as a row of the forest plot."""
    decision = decide(share.supports, share.p_value)
    effect = (share.center, share.low, share.high, share.n)
    return Comparison(label, *effect, decision, solved, threshold=share.bound, above=share.above)


def _finding(total: _Share, text: str, unit: str, comparisons: Sequence[Comparison]) -> Finding:
    """Return the finding of a share."""
    interval = f"95 % interval {100 * total.low:.0f} to {100 * total.high:.0f} %"
    interval = "no randomness" if total.exact else interval
    share = f"{100 * total.center:.0f} % ({interval})" if total.n else "none is decided"
    return Finding(
        decision=decide(total.supports, total.p_value),
        p_value=total.p_value,
        supports=total.supports,
        effect=total.center,
        low=total.low,
        high=total.high,
        threshold=total.bound,
        above=total.above,
        unit=unit,
        test="exact values" if total.exact else f"binomial test of {total.n} {unit[3:]}",
        n=total.n,
        sentence=f"{text}: {share}.",
        comparisons=tuple(replace(c, unit=unit) for c in comparisons),
    )
