"""Claims that a parameter changes a metric little."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

from nldr.claims._differences import settings_of
from nldr.claims._units import ContestantSpec, plain, read_contestant, read_measure
from nldr.claims.comparisons import compare
from nldr.claims.evidence import Evidence
from nldr.claims.findings import Finding, Statement
from nldr.claims.words import name_of, number, plural


def spread(
    evidence: Evidence, method: ContestantSpec, *, metric: str, x: str, at_most: float
) -> Finding:
    """Decide whether a metric changes little with a parameter.

    Any two values of the parameter are compared in each setting, as in
    :func:`nldr.claims.compare`: neither may be better by more than ``at_most`` (equivalence by two
    one-sided tests).

    Parameters
    ----------
    method : str or mapping
        A contestant, as in :func:`nldr.claims.compare`.
    metric : str
        A metric, ``fit.<name>``, or a cost.
    x : str
        Column of the parameter, ``data.<name>`` or ``method.<name>``.
    at_most : float
        Largest difference that counts as little, at least 0.

    Returns
    -------
    Finding
        The effect is the difference, positive where the first of two values is better, that comes
        closest to ``-at_most`` or exceeds it.

    Raises
    ------
    ValueError
        If there is only one value of ``x``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "roll", "data_cell": "roll", "method": "net",
    ...     "method.width": [8] * 3 + [9] * 3, "method_cell": ["a"] * 3 + ["b"] * 3,
    ...     "trial": [0, 1, 2] * 2, "ok": True, "status": "ok",
    ...     "mu": [0.80, 0.82, 0.81, 0.81, 0.82, 0.82]})
    >>> from nldr.claims import Evidence, decide
    >>> evidence = Evidence(
    ...     table=table, methods={"net": "network"}, datasets={"roll": "Swiss roll"},
    ...     metrics={"mu": {"label": "µ", "range": [0, 1], "direction": "higher"}})
    >>> finding = spread(evidence, "net", metric="mu", x="method.width", at_most=0.05)
    >>> print(decide([finding], level=0.05).verdict)
    holds
    """
    if at_most < 0:
        raise ValueError(f"at_most = {at_most}: must be at least 0")
    contestant = read_contestant(evidence, method)
    rows = contestant.rows(evidence.table)
    if x not in rows:
        raise ValueError(f"x = {x!r} is not a column: give data.<name> or method.<name>")
    values = [value for value in dict.fromkeys(rows[x].map(plain)) if value is not None]
    if len(values) < 2:
        raise ValueError(
            f"{contestant.title} was run at {plural(len(values), 'value')} of {x}: "
            "select two or more"
        )
    base: dict[str, Any] = {"methods": [method]} if isinstance(method, str) else dict(method)
    variants = [{**base, "where": {**base.get("where", {}), x: value}} for value in values]
    # Neither of two values is better by more than the bound
    pairs = permutations(zip(values, variants, strict=True), 2)
    findings = {
        f"{name_of(x)} {one} against {other}": compare(
            evidence, first, second, metric=metric, by=-at_most
        )
        for (one, first), (other, second) in pairs
    }
    comparisons = [
        (setting.title, replace(comparison, name=name, or_equal=True))
        for name, finding in findings.items()
        for setting in finding.settings
        for comparison in setting.comparisons
    ]
    words = Statement(
        subject=f"the {read_measure(evidence, metric).label} of {contestant.title}",
        verb=f"differs by at most {number(at_most)}",
        negation=f"differs by more than {number(at_most)}",
        than=f"between any two of {plural(len(values), 'value')} of {name_of(x)}",
    )
    (finding, *_) = findings.values()
    return replace(finding, settings=settings_of(comparisons), words=words)
