"""Claims about the share of runs, or of published numbers, that are as stated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Literal

from nldr.claims._units import ContestantSpec, matches, read_bound, read_methods
from nldr.claims.equivalence import Agreement
from nldr.claims.evidence import FAILURES, Evidence
from nldr.claims.findings import DELTA, Effect, Finding, Setting, Statement
from nldr.claims.published.verdicts import CANNOT_TELL, NOT_RUN
from nldr.claims.words import listed, plural
from nldr.statistics.location import Location

if TYPE_CHECKING:
    from pandas import DataFrame, Series

UNDECIDED = Agreement.UNDECIDED.value


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
        The share of failed runs, as a single setting.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "rolls", "data_cell": "rolls", "method": "lle", "method_cell": "lle",
    ...     "trial": range(8), "ok": False, "status": "invalid_input"})
    >>> from nldr.claims import Evidence, decide
    >>> evidence = Evidence(
    ...     table=table, methods={"lle": "LLE"}, datasets={"rolls": "Two rolls"}, metrics={})
    >>> finding = fails(evidence, ["lle"], at_least=0.5)
    >>> print(decide([finding], level=0.05).sentence)
    LLE fails in at least 50 % of the runs: 8 of 8 runs failed, 100 % (95 % interval 63 to 100 %).
    """
    import pandas as pd

    bound, above = read_bound(at_least, at_most)
    contestants = read_methods(evidence, methods)
    rows = pd.concat([contestant.rows(evidence.table) for contestant in contestants])
    if not len(rows):
        raise ValueError(f"{methods} have no runs in the evidence: correct select or where")
    n_failed = int(rows["status"].isin(FAILURES).sum())
    is_random = rows["random"].any() if "random" in rows else len(rows) > 1
    share = Share(n_failed, len(rows), not is_random)
    interval = f"95 % interval {100 * share.low:.0f} to {100 * share.high:.0f} %"
    interval = "no randomness" if share.is_exact else interval
    comparison = Effect(
        label=f"failed runs of {listed([c.title for c in contestants])}",
        name="failed runs",
        estimate=share,
        bound=bound,
        above=above,
        delta=DELTA,
        solved=f"{len(rows) - n_failed} of {len(rows)}",
        test="exact values" if share.is_exact else f"binomial test of {len(rows)} runs",
        words=f"{n_failed} of {plural(len(rows), 'run')} failed, "
        f"{100 * share.center:.0f} % ({interval})",
    )
    limit = f"at {'least' if above else 'most'} {100 * bound:.0f} %"
    beyond = f"{'less' if above else 'more'} than {100 * bound:.0f} %"
    fail = "fails" if len(contestants) == 1 else "fail"
    words = Statement(
        subject=listed([contestant.title for contestant in contestants]),
        verb=f"{fail} in {limit} of the runs",
        negation=f"{fail} in {beyond} of the runs",
    )
    return Finding(settings=(Setting("", (comparison,)),), words=words, need=1, unit="of runs")


def reproduced(
    evidence: Evidence,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    quantifier: Literal["share", "every"] = "share",
    where: Mapping[str, Any] | None = None,
) -> Finding:
    """Decide whether a share of the published numbers, or every one, is reproduced.

    The numbers are a finite population. Their share is that of the verdict ``reproduced`` among
    all numbers that were run. Those that are undecided or cannot tell may change it, and nothing
    else is uncertain. A number for which the method has no result counts against it.

    Every number is reproduced if each that can tell passes its own test of equivalence, see
    :func:`nldr.claims.compare_with_published`; each number is a setting.

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
        The share of reproduced numbers as a single setting; for every number, its distance from
        the published one.

    Raises
    ------
    ValueError
        If ``where`` matches none of the numbers, or a share is given for every number.

    Examples
    --------
    >>> import pandas as pd
    >>> verdicts = pd.DataFrame({"method": "gplvm", "verdict": ["reproduced"] * 7 + ["undecided"]})
    >>> from nldr.claims import Evidence, decide
    >>> evidence = Evidence(
    ...     table=pd.DataFrame(), methods={}, datasets={}, metrics={}, published=verdicts)
    >>> print(decide([reproduced(evidence, at_least=0.5)], 0.05).sentence)  # doctest: +ELLIPSIS
    The share of published numbers that are reproduced is at least 50 %: 7 of 8 (1 undecided), ...
    """
    numbers = select_numbers(evidence, where or {})
    run = numbers[numbers["verdict"] != NOT_RUN]
    if not len(run):
        raise ValueError("no published number was run at this scale")
    if quantifier == "every":
        if at_least is not None or at_most is not None:
            raise ValueError("quantifier: every has no share: leave at_least and at_most out")
        return _every_number(run[run["verdict"] != CANNOT_TELL])
    if quantifier != "share":
        raise ValueError(f"quantifier {quantifier!r}: must be share or every")
    bound, above = read_bound(0.9 if at_most is None and at_least is None else at_least, at_most)
    comparison = share_of_numbers(run, bound, above)
    words = Statement(
        subject="the share of published numbers that are reproduced",
        verb=f"is at {'least' if above else 'most'} {100 * bound:.0f} %",
        negation=f"is {'below' if above else 'above'} {100 * bound:.0f} %",
    )
    return Finding(settings=(Setting("", (comparison,)),), words=words, need=1, unit="of numbers")


def share_of_numbers(numbers: DataFrame, bound: float, above: bool) -> Effect:
    """Return the comparison of the share of numbers that are reproduced with a bound."""
    n_of = numbers["verdict"].value_counts()
    n_reproduced = int(n_of.get("reproduced", 0))
    unclear = {
        verdict: int(n_of[verdict]) for verdict in (UNDECIDED, CANNOT_TELL) if verdict in n_of
    }
    share = FiniteShare(n_reproduced, sum(unclear.values()), len(numbers))
    unknown = ", ".join(f"{n} {verdict}" for verdict, n in unclear.items())
    return Effect(
        label="reproduced numbers",
        name="reproduced numbers",
        estimate=share,
        bound=bound,
        above=above,
        delta=DELTA,
        solved=plural(len(numbers), "number"),
        test=f"count of {plural(len(numbers), 'number')}",
        words=f"{n_reproduced} of {len(numbers)}{unknown and f' ({unknown})'}, {share.text(bound)}",
    )


def select_numbers(evidence: Evidence, where: Mapping[str, Any]) -> DataFrame:
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
    words = Statement(
        subject="the published number",
        verb="is reproduced within its margin",
        negation="is not reproduced within its margin",
    )
    settings = tuple(_equivalence(row) for _, row in numbers.iterrows())
    return Finding(settings=settings, words=words)


def _equivalence(row: Series) -> Setting:
    """Return the comparison of the distance from a published number with its margin."""
    from scipy.special import stdtrit

    title, n = row["setting"].replace("=", " = "), int(row["trials"])
    low, high = row["low"], row["high"]
    # A number without an interval has too few trials
    error, half = inf, inf if low is None else float(high - low) / 2
    if half == 0:
        error = 0.0
    elif n > 1 and isfinite(half):
        error = half / float(stdtrit(n - 1, 0.975))
    comparison = Effect(
        label=title,
        name=title,
        estimate=Location(abs(float(row["difference"])), error, max(n - 1, 1), n),
        bound=float(row["margin"] or 0.0),
        above=False,
        delta=0.0,
        solved=plural(n, "trial"),
        or_equal=True,
    )
    return Setting(title, (comparison,))


@dataclass(frozen=True)
class Share:
    """Share of runs, with Clopper and Pearson's interval and the binomial test."""

    count: int  # runs that count
    n: int  # all runs
    is_exact: bool = False  # whether nothing is random

    @property
    def center(self) -> float:
        """The share."""
        return self.count / self.n

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        from scipy.special import betaincinv

        if self.is_exact:
            return self.center
        return float(betaincinv(self.count, self.n - self.count + 1, 0.025)) if self.count else 0.0

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        from scipy.special import betaincinv

        if self.is_exact:
            return self.center
        rest = self.n - self.count
        return float(betaincinv(self.count + 1, rest, 0.975)) if rest else 1.0

    def p_above(self, bound: float) -> float:
        """Return the p-value of the share being at least a bound."""
        from scipy.special import bdtrc

        if self.is_exact:
            return float(self.center < bound)
        return float(bdtrc(self.count - 1, self.n, min(max(bound, 0.0), 1.0)))

    def p_below(self, bound: float) -> float:
        """Return the p-value of the share being at most a bound."""
        from scipy.special import bdtr

        if self.is_exact:
            return float(self.center > bound)
        return float(bdtr(self.count, self.n, min(max(bound, 0.0), 1.0)))


@dataclass(frozen=True)
class FiniteShare:
    """Share of the numbers of a finite population: only those that are open are uncertain."""

    count: int  # numbers that are reproduced
    n_open: int
    n: int  # all numbers
    is_exact: bool = True

    @property
    def center(self) -> float:
        """The share that is certain."""
        return self.count / self.n

    @property
    def low(self) -> float:
        """The share, if no open number is reproduced."""
        return self.center

    @property
    def high(self) -> float:
        """The share, if all open numbers are reproduced."""
        return (self.count + self.n_open) / self.n

    def p_above(self, bound: float) -> float:
        """Return 0 if the share is at least a bound whatever the open numbers are, else 1."""
        return float(self.low < bound)

    def p_below(self, bound: float) -> float:
        """Return 0 if the share is at most a bound whatever the open numbers are, else 1."""
        return float(self.high > bound)

    def text(self, bound: float) -> str:
        """Return the share in percent, with the digits that tell it from a bound.

        Examples
        --------
        >>> FiniteShare(64, 15, 100).text(0.8), FiniteShare(631, 153, 986).text(0.8)
        ('64 to 79 %', '64.0 to 79.5 %')
        >>> FiniteShare(799999, 0, 10**6).text(0.8)  # three digits at most
        '80.000 %'
        """
        ends, mark = (100 * self.low, 100 * self.high), 100 * bound
        digits = 0
        while digits < 3 and any((round(end, digits) == mark) != (end == mark) for end in ends):
            digits += 1
        low, high = (f"{end:.{digits}f}" for end in ends)
        return f"{low} %" if low == high else f"{low} to {high} %"
