"""Claims that one method is better than others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from nldr.claims._differences import compare_in, read_contestants, settings_of
from nldr.claims._sentences import comparative
from nldr.claims._units import Better, ContestantSpec, read_measure, read_units
from nldr.claims.evidence import Evidence
from nldr.claims.findings import Effect, Finding, Quantifier, need_of


def compare(
    evidence: Evidence,
    first: ContestantSpec,
    second: ContestantSpec | Sequence[ContestantSpec] | None = None,
    *,
    metric: str,
    by: float | None = None,
    scale: Literal["difference", "ratio"] = "difference",
    quantifier: Quantifier = "every",
    better: Better | None = None,
) -> Finding:
    """Decide whether one contestant is better than others.

    Contestants are compared in each setting that they share: the same dataset with the same
    parameters, and the same number of components. Their trials are paired, since they have the same
    data, and the means of the differences are tested by Student's t; trials that one of the two did
    not solve are left out. A setting without any randomness is decided by its values; with
    a single random pair it is unclear, but the ratio of two single running times is tested with a
    standard deviation of 0.4 of each logarithm.

    Parameters
    ----------
    first : str or mapping
        A method's name, or ``{"methods": [names], "where": {column: value or list}, "datasets":
        [names]}``, of which one row per setting and trial must remain. What ``where`` or
        ``datasets`` fix does not define settings: "with noise" is compared with "without".
    second : str, mapping, sequence of these, or None, default=None
        The rivals; by default all other methods. A rival given by its name is taken under the
        conditions on the data of ``first``.
    metric : str
        A metric, a recorded number ``fit.<name>``, or a cost such as ``seconds``, of which less is
        better.
    by : float, optional
        Smallest difference, or ratio, with which the statement holds; 0 or 1 by default. A negative
        difference says "at least as good, up to this".
    scale : {"difference", "ratio"}, default="difference"
        Whether to compare by difference or by ratio: ``by=3`` for ``seconds`` says "more than 3
        times as fast".
    quantifier : {"every", "most"}, default="every"
        Whether the statement is about every setting, or about more than half of them.
    better : {"higher", "lower"}, optional
        Better direction; by default the metric's.

    Returns
    -------
    Finding
        One setting for each dataset and parameters, with a comparison for each rival.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "roll", "data_cell": "roll", "method": ["pca"] * 4 + ["isomap"] * 4,
    ...     "method_cell": ["pca"] * 4 + ["isomap"] * 4, "trial": [0, 1, 2, 3] * 2, "ok": True,
    ...     "status": "ok", "r2": [0.61, 0.6, 0.65, 0.62, 0.9, 0.91, 0.94, 0.93]})
    >>> from nldr.claims import Evidence, decide
    >>> evidence = Evidence(
    ...     table=table, methods={"pca": "PCA", "isomap": "Isomap"},
    ...     datasets={"roll": "Swiss roll"},
    ...     metrics={"r2": {"label": "R²", "range": [0, 1], "direction": "higher"}})
    >>> finding = compare(evidence, "isomap", "pca", metric="r2")
    >>> print(decide([finding], level=0.05).sentence)  # doctest: +ELLIPSIS
    Isomap has a higher R² than PCA on Swiss roll: 0.300 (95 % interval 0.282 to 0.318, 4 paired ...
    """
    if scale not in ("difference", "ratio"):
        raise ValueError(f"scale {scale!r}: must be difference or ratio")
    measure = read_measure(evidence, metric, better)
    ratio = scale == "ratio"
    bound = float(ratio) if by is None else by
    one, *rivals = read_contestants(evidence, first, second)
    comparisons: list[tuple[str, Effect]] = []
    for rival in rivals:
        units = read_units(evidence, measure, [one, rival])
        if not units and second is not None:
            raise ValueError(
                f"{one.title} and {rival.title} share no setting in which "
                f"{metric} is known: correct where or select"
            )
        comparisons += [
            (unit.title, compare_in(unit, one, rival, measure, bound, ratio)) for unit in units
        ]
    if not comparisons:
        raise ValueError(f"{one.title} shares no setting with any other method: correct select")
    names = list(dict.fromkeys(comparison.name for _, comparison in comparisons))
    return Finding(
        settings=settings_of(comparisons),
        words=comparative(one.title, measure, bound, ratio, names),
        need=need_of(quantifier),
        unit="×" if ratio else measure.unit,
        is_paired=True,
    )
