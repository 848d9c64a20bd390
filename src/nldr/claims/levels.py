"""Claims that a metric reaches a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from nldr.claims._entries import (
    ROPE,
    Entry,
    combine_entries,
    locate_values,
    make_finding,
    read_bound,
)
from nldr.claims._sentences import Statement, say_entries
from nldr.claims._units import (
    Contestant,
    ContestantSpec,
    Measure,
    Missing,
    Unit,
    read_measure,
    read_methods,
    read_units,
    solved_of,
)
from nldr.claims._words import listed, number
from nldr.claims.evidence import Evidence, Finding


def level(
    evidence: Evidence,
    methods: Sequence[ContestantSpec] | None = None,
    *,
    metric: str,
    at_least: float | None = None,
    at_most: float | None = None,
    quantifier: Literal["every", "most"] = "every",
    missing: Missing = "penalize",
    per: Sequence[str] = (),
) -> Finding:
    """Decide whether a metric is at least, or at most, some value.

    The mean of each method in each setting is compared with the bound, by the same tests as in
    :func:`nldr.claims.compare`.

    Parameters
    ----------
    methods : sequence of (str or mapping), optional
        Contestants, as in :func:`nldr.claims.compare`; by default all methods of the evidence.
    metric : str
        A metric, ``fit.<name>``, or a cost.
    at_least, at_most : float, optional
        The bound; give one of them.
    quantifier : {"every", "most"}, default="every"
        Whether the bound must be kept by every method in every setting, or by more than half.
    missing : {"penalize", "intersect"}, default="penalize"
        Whether a failed run has the worst value of the metric's range (where there is none, the
        worst in its setting), or is left out.
    per : sequence of str, optional
        Parameters of the method of which each value is a separate setting, such as
        ``method.n_neighbors``.

    Returns
    -------
    Finding
        The effect is the mean that decides.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "roll", "data_cell": "roll", "method": "pca", "method_cell": "pca",
    ...     "trial": [0, 1, 2, 3], "ok": True, "status": "ok", "r2": [0.61, 0.6, 0.65, 0.62]})
    >>> evidence = Evidence(
    ...     table=table, methods={"pca": "PCA"}, datasets={"roll": "Swiss roll"},
    ...     metrics={"r2": {"label": "R²", "range": [0, 1], "direction": "higher"}})
    >>> finding = level(evidence, ["pca"], metric="r2", at_most=0.7)
    >>> print(finding.sentence)
    The R² of PCA is at most 0.7 on Swiss roll: 0.620 (95 % interval 0.586 to 0.654, 4 trials).
    """
    bound, above = read_bound(at_least, at_most)
    measure = read_measure(evidence, metric, default="higher" if above else "lower")
    contestants = read_methods(evidence, methods)
    entries = [
        _entry(unit, contestant, measure, missing, bound, above)
        for contestant in contestants
        for unit in read_units(evidence, measure, [contestant], per=per)
    ]
    if not entries:
        raise ValueError(f"{metric} is not known in any setting of {methods}: correct select")
    conjunction = combine_entries(entries, quantifier)
    words = Statement(
        subject=f"the {measure.label} of {listed([c.title for c in contestants])}",
        verb=f"is at {'least' if above else 'most'} {number(bound)}",
        negation=f"is {'below' if above else 'above'} {number(bound)}",
        than="",
        unit=measure.unit if measure.is_cost else "",
    )
    sentence = say_entries(conjunction, words, "lowest" if above else "highest")
    return make_finding(conjunction, quantifier, measure.unit, sentence)


def _entry(
    unit: Unit, contestant: Contestant, measure: Measure, missing: str, bound: float, above: bool
) -> Entry:
    """Return the comparison of one method's values in a setting with the bound."""
    (runs,) = unit.runs
    values = runs.values
    if missing == "penalize":
        values = np.where(np.isfinite(values), values, unit.worst)
    location, opinion = locate_values(values[np.isfinite(values)], bound, runs.exact, rope=ROPE)
    # An interval by Student's t may leave the range of the metric.
    ends = np.fmin(measure.worst, measure.best), np.fmax(measure.worst, measure.best)
    if location.n:
        interval = (location.low, location.high)
        low, high = (float(np.fmin(np.fmax(end, ends[0]), ends[1])) for end in interval)
        location = replace(location, low=low, high=high)
    label, short = (f"{contestant.title}{word}{unit.title}" for word in (", ", " on "))
    return Entry(label, short, location, bound, above, solved_of([runs]), unit.title, opinion)
