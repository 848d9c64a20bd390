"""Claims that a metric reaches a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from nldr.claims._entries import ROPE, Entry, locate_values, make_finding, take_together
from nldr.claims._sentences import Statement, say_entries
from nldr.claims._units import (
    Contestant,
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

Given = str | Mapping[str, Any]


def level(
    evidence: Evidence,
    methods: Sequence[Given] | None = None,
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
    evidence : Evidence
        The cells from which the claim is decided.
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
        Parameters of the method of which each value is a setting of its own, such as
        ``method.n_neighbors``.

    Returns
    -------
    Finding
        The effect is the mean that decides.

    Raises
    ------
    ValueError
        If the evidence does not fit the parameters.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "roll", "data_cell": "roll", "method": "pca", "method_cell": "pca",
    ...     "trial": [0, 1, 2, 3], "ok": True, "status": "ok", "r2": [0.61, 0.6, 0.65, 0.62]})
    >>> evidence = Evidence(
    ...     table=table, methods={"pca": "PCA"}, datasets={"roll": "Swiss roll"},
    ...     metrics={"r2": {"label": "R²", "range": [0, 1], "direction": "higher"}})
    >>> found = level(evidence, ["pca"], metric="r2", at_most=0.7)
    >>> print(found.sentence)
    The R² of PCA is at most 0.7 on Swiss roll: 0.620 (95 % interval 0.586 to 0.654, 4 trials).
    """
    if at_least is not None and at_most is None:
        bound, above = at_least, True
    elif at_most is not None and at_least is None:
        bound, above = at_most, False
    else:
        raise ValueError("give either at_least or at_most")
    measure = read_measure(evidence, metric, default="higher" if above else "lower")
    contestants = read_methods(evidence, methods)
    entries = [
        _entry(unit, contestant, measure, missing, bound, above)
        for contestant in contestants
        for unit in read_units(evidence, measure, [contestant], per=per)
    ]
    if not entries:
        raise ValueError(f"{metric} is not known in any setting of {methods}: correct select")
    found = take_together(entries, quantifier)
    words = Statement(
        subject=f"the {measure.label} of {listed([c.title for c in contestants])}",
        verb=f"is at {'least' if above else 'most'} {number(bound)}",
        negation=f"is {'below' if above else 'above'} {number(bound)}",
        than="",
        unit=measure.unit if measure.is_cost else "",
    )
    sentence = say_entries(found, words, "lowest" if above else "highest")
    return make_finding(found, quantifier, measure.unit, sentence)


def _entry(
    unit: Unit, contestant: Contestant, measure: Measure, missing: str, bound: float, above: bool
) -> Entry:
    """Return the comparison of one method's values in a setting with the bound."""
    (runs,) = unit.runs
    values = runs.values
    if missing == "penalize":
        values = np.where(np.isfinite(values), values, unit.worst)
    found, opinion = locate_values(values[np.isfinite(values)], bound, runs.known, rope=ROPE)
    # An interval by Student's t may leave the range of the metric.
    ends = np.fmin(measure.worst, measure.best), np.fmax(measure.worst, measure.best)
    if found.n:
        low, high = (
            float(np.fmin(np.fmax(end, ends[0]), ends[1])) for end in (found.low, found.high)
        )
        found = replace(found, low=low, high=high)
    return Entry(
        f"{contestant.title}, {unit.title}",
        f"{contestant.title} on {unit.title}",
        found,
        bound,
        above,
        solved_of([runs]),
        unit.title,
        opinion,
    )
