"""Claims that a method has a rank in a number of entries of a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nldr.claims._differences import Difference, read_contestants
from nldr.claims._entries import decide
from nldr.claims._units import ContestantSpec, Missing, read_measure, read_units, shared_trials
from nldr.claims._words import plural
from nldr.claims.evidence import Comparison, Evidence, Finding
from nldr.statistics.conjunction import count_true
from nldr.statistics.location import SMALLEST_T
from nldr.statistics.pairs import resample_means

ORDINALS = {1: "best", 2: "best or second best", 3: "among the best three"}


def count(
    evidence: Evidence,
    first: ContestantSpec,
    *,
    metrics: Sequence[str],
    rank: int = 1,
    at_least: int = 8,
    missing: Missing = "penalize",
) -> Finding:
    """Decide whether a method has some rank, or a better one, in a number of entries.

    An entry is a metric in a setting. The method has a rank of r or better if it is better than all
    but r − 1 of the other methods; each of them is compared with it as in
    :func:`nldr.claims.compare`. The p-values of these comparisons make the p-value of the entry,
    and those of the entries the one of their number (Benjamini and Heller's partial conjunction).
    The number of entries in bootstrap samples of the trials is a second opinion.

    Parameters
    ----------
    evidence : Evidence
        The cells from which the claim is decided; all of their methods take part.
    first : str or mapping
        The method, as in :func:`nldr.claims.compare`.
    metrics : sequence of str
        Metrics or costs.
    rank : int, default=1
        Largest rank that counts.
    at_least : int, default=8
        Smallest number of entries with which the statement holds.
    missing : {"penalize", "intersect"}, default="penalize"
        As in :func:`nldr.claims.compare`.

    Returns
    -------
    Finding
        The effect is the number of entries; each comparison is the rank in one entry.

    Raises
    ------
    ValueError
        If there are fewer entries than ``at_least``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": ["a"] * 6 + ["b"] * 6, "data_cell": ["a"] * 6 + ["b"] * 6,
    ...     "method": (["x"] * 3 + ["y"] * 3) * 2, "method_cell": (["x"] * 3 + ["y"] * 3) * 2,
    ...     "trial": [0, 1, 2] * 4, "ok": True, "status": "ok",
    ...     "r2": [0.9, 0.91, 0.89, 0.5, 0.52, 0.5, 0.8, 0.82, 0.81, 0.4, 0.43, 0.41]})
    >>> evidence = Evidence(
    ...     table=table, methods={"x": "X", "y": "Y"}, datasets={"a": "A", "b": "B"},
    ...     metrics={"r2": {"label": "R²", "range": [0, 1], "direction": "higher"}})
    >>> print(count(evidence, "x", metrics=["r2"], at_least=2).sentence)
    X is best of 2 methods in 2 of 2 entries (95 % interval 2 to 2).
    """
    contestant, *rivals = read_contestants(evidence, first, None)
    if rank < 1 or not rivals:
        remedy = "give a rank from 1 on, and select other methods"
        raise ValueError(f"rank = {rank} among {len(rivals)} rivals: {remedy}")
    ranks: list[_Rank] = []
    for metric in metrics:
        measure = read_measure(evidence, metric)
        settings: dict[str, list[Difference]] = {}
        for rival in rivals:
            for unit in read_units(evidence, measure, [contestant, rival]):
                difference = Difference(contestant, rival, unit, measure, missing, False)
                settings.setdefault(unit.title, []).append(difference)
        ranks += [
            _Rank(f"{measure.title}, {title}", differences, rank)
            for title, differences in settings.items()
        ]
    if len(ranks) < at_least:
        raise ValueError(f"there are {len(ranks)} entries, fewer than at_least = {at_least}")
    interval = count_true([r.p_true for r in ranks], [r.p_false for r in ranks], at_least)
    n = sum(entry.holds for entry in ranks)
    supports = n >= at_least
    p_value = interval.p_holds if supports else interval.p_fails
    n_methods = len({d.rival for entry in ranks for d in entry.differences}) + 1
    place = ORDINALS.get(rank, f"among the best {rank}")
    return Finding(
        decision=decide(supports, p_value),
        p_value=p_value,
        supports=supports,
        effect=n,
        low=interval.low,
        high=interval.high,
        threshold=at_least,
        unit=f"of {len(ranks)} entries",
        test=f"paired tests with each of {plural(n_methods - 1, 'rival')}, {len(ranks)} entries, "
        f"of which {at_least} must hold (partial conjunction){_bootstrap(ranks, rank)}",
        n=max(entry.n for entry in ranks),
        sentence=f"{contestant.title} is {place} of {n_methods} methods in {n} of {len(ranks)} "
        f"entries (95 % interval {interval.low} to {interval.high}).",
        comparisons=tuple(entry.comparison() for entry in ranks),
    )


def _bootstrap(ranks: Sequence[_Rank], rank: int) -> str:
    """Return the bootstrap interval of the number of entries, as text."""
    runs = [d.runs for entry in ranks for d in entry.differences]
    trials = shared_trials(runs)
    if len(trials) < SMALLEST_T or not all(len(run.values) for run in runs):
        return ""
    columns = np.array([run.at(trials) for run in runs])
    if not np.isfinite(columns).all():
        return ""
    # Number of better rivals in each entry, sample by sample
    rival_is_better = resample_means(columns.T, np.random.default_rng(0)) <= 0
    starts = np.cumsum([0, *(len(entry.differences) for entry in ranks[:-1])])
    counts = (np.add.reduceat(rival_is_better, starts, axis=1) < rank).sum(axis=1)
    low, high = np.percentile(counts, (2.5, 97.5), method="inverted_cdf").astype(int)
    return f"; bootstrap over {len(trials)} trials: {low} to {high} entries"


class _Rank:
    """Rank of a method in one entry, from its comparisons with each rival."""

    def __init__(self, label: str, differences: Sequence[Difference], required: int) -> None:
        self.label, self.differences, self.required = label, differences, required
        entries = [difference.entry(0.0) for difference in differences]
        self.n = max(entry.location.n for entry in entries)
        self.solved = entries[0].solved.partition(";")[0]
        # Rivals that must be beaten, and those that are
        need = max(len(entries) + 1 - required, 1)
        interval = count_true([e.p_true for e in entries], [e.p_false for e in entries], need)
        beaten = sum(entry.margin > 0 for entry in entries)
        self.rank, self.low, self.high = (
            len(entries) + 1 - number for number in (beaten, interval.high, interval.low)
        )
        self.p_true, self.p_false = interval.p_holds / 2, interval.p_fails / 2
        self.holds = self.rank <= required

    def comparison(self) -> Comparison:
        """Return the row of the forest plot."""
        p_value = 2 * (self.p_true if self.holds else self.p_false)
        decision, threshold = decide(self.holds, p_value), self.required + 0.5
        effect = (self.rank, self.low, self.high, self.n)
        return Comparison(self.label, *effect, decision, self.solved, "rank", threshold, False)
