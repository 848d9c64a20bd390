"""Claims that a metric reaches a value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nldr.claims._units import (
    Contestant,
    ContestantSpec,
    Measure,
    Unit,
    read_bound,
    read_measure,
    read_methods,
    read_units,
    solved_of,
)
from nldr.claims.evidence import Evidence
from nldr.claims.findings import (
    Effect,
    Finding,
    Quantifier,
    Setting,
    Statement,
    delta_of,
    need_of,
)
from nldr.claims.words import listed, number
from nldr.statistics.location import locate


def level(
    evidence: Evidence,
    methods: Sequence[ContestantSpec] | None = None,
    *,
    metric: str,
    at_least: float | None = None,
    at_most: float | None = None,
    quantifier: Quantifier = "every",
    per: Sequence[str] = (),
) -> Finding:
    """Decide whether a metric is at least, or at most, some value.

    The mean of each method in each setting is compared with the bound, by Student's t; runs that
    failed are left out.

    Parameters
    ----------
    methods : sequence of (str or mapping), optional
        Contestants, as in :func:`nldr.claims.compare`; by default all methods of the evidence.
    metric : str
        A metric, ``fit.<name>``, or a cost.
    at_least, at_most : float, optional
        The bound; give one of them.
    quantifier : {"every", "most"}, default="every"
        Whether the statement is about every method in every setting, or about more than half.
    per : sequence of str, optional
        Parameters of the method of which each value is a separate setting, such as
        ``method.n_neighbors``.

    Returns
    -------
    Finding
        One setting for each method, dataset and parameters.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "roll", "data_cell": "roll", "method": "pca", "method_cell": "pca",
    ...     "trial": [0, 1, 2, 3], "ok": True, "status": "ok", "r2": [0.61, 0.6, 0.65, 0.62]})
    >>> from nldr.claims import Evidence, decide
    >>> evidence = Evidence(
    ...     table=table, methods={"pca": "PCA"}, datasets={"roll": "Swiss roll"},
    ...     metrics={"r2": {"label": "R²", "range": [0, 1], "direction": "higher"}})
    >>> finding = level(evidence, ["pca"], metric="r2", at_most=0.7)
    >>> print(decide([finding], level=0.05).sentence)
    The R² of PCA is at most 0.7 on Swiss roll: 0.620 (95 % interval 0.586 to 0.654, 4 trials).
    """
    bound, above = read_bound(at_least, at_most)
    measure = read_measure(evidence, metric, default="higher" if above else "lower")
    contestants = read_methods(evidence, methods)
    settings = [
        _setting(unit, contestant, measure, bound, above)
        for contestant in contestants
        for unit in read_units(evidence, measure, [contestant], per=per)
    ]
    if not settings:
        raise ValueError(f"{metric} is not known in any setting of {methods}: correct select")
    unit = measure.unit if measure.is_cost else ""
    limit = f"{number(bound)} {unit}".rstrip()
    words = Statement(
        subject=f"the {measure.label} of {listed([c.title for c in contestants])}",
        verb=f"is at {'least' if above else 'most'} {limit}",
        negation=f"is {'below' if above else 'above'} {limit}",
        unit=unit,
    )
    return Finding(
        settings=tuple(settings), words=words, need=need_of(quantifier), unit=measure.unit
    )


def _setting(
    unit: Unit, contestant: Contestant, measure: Measure, bound: float, above: bool
) -> Setting:
    """Return the setting in which one method's values are compared with the bound."""
    (runs,) = unit.runs
    values = runs.values[np.isfinite(runs.values)]
    comparison = Effect(
        label=f"{contestant.title}, {unit.title}",
        name=f"{contestant.title} on {unit.title}",
        estimate=locate(values, runs.exact),
        bound=bound,
        above=above,
        delta=delta_of(bound),
        solved=solved_of([runs]),
        values=values,
        or_equal=True,
    )
    return Setting(unit.title, (comparison,))
