"""Claims that one method is better than others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from nldr.claims._differences import Difference, mean_entry, read_contestants
from nldr.claims._entries import combine_entries, make_finding
from nldr.claims._sentences import say_comparison, statement
from nldr.claims._units import Better, ContestantSpec, Missing, read_measure, read_units
from nldr.claims.evidence import Evidence, Finding


def compare(
    evidence: Evidence,
    first: ContestantSpec,
    second: ContestantSpec | Sequence[ContestantSpec] | None = None,
    *,
    metric: str,
    by: float | None = None,
    scale: Literal["difference", "ratio"] = "difference",
    quantifier: Literal["every", "most", "mean"] = "every",
    missing: Missing = "penalize",
    better: Better | None = None,
) -> Finding:
    """Decide whether one contestant is better than others.

    Contestants are compared in each setting that they share: the same dataset with the same
    parameters, and the same number of components. Their trials are paired, since they have the same
    data. The differences of the pairs are positive where the first contestant is better, and are
    tested by a paired t-test for 3 to 11 pairs and Wilcoxon's signed rank test from 12 pairs on. A
    setting without any randomness is decided by its values; with fewer than 3 random pairs it is
    undecided, but the ratio of two single running times is tested with a standard deviation of 0.4
    of each logarithm. The Bayesian signed rank test is the second opinion about the comparison that
    decides.

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
    quantifier : {"every", "most", "mean"}, default="every"
        Whether the first must be better in every comparison, in more than half of them, or than
        every rival in the mean over the settings.
    missing : {"penalize", "intersect"}, default="penalize"
        Whether a failed run has the worst value of the metric's range (where there is none, the
        worst in its setting), or only trials that both solved are compared.
    better : {"higher", "lower"}, optional
        Better direction; by default the metric's.

    Returns
    -------
    Finding
        The effect is that of the comparison that decides, or for ``most`` the share of comparisons
        won.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "roll", "data_cell": "roll", "method": ["pca"] * 4 + ["isomap"] * 4,
    ...     "method_cell": ["pca"] * 4 + ["isomap"] * 4, "trial": [0, 1, 2, 3] * 2, "ok": True,
    ...     "status": "ok", "r2": [0.61, 0.6, 0.65, 0.62, 0.9, 0.91, 0.94, 0.93]})
    >>> evidence = Evidence(
    ...     table=table, methods={"pca": "PCA", "isomap": "Isomap"},
    ...     datasets={"roll": "Swiss roll"},
    ...     metrics={"r2": {"label": "R²", "range": [0, 1], "direction": "higher"}})
    >>> print(compare(evidence, "isomap", "pca", metric="r2").sentence)  # doctest: +ELLIPSIS
    Swiss roll: Isomap has a higher R² than PCA: 0.300 (95 % interval 0.282 to 0.318, 4 paired ...
    """
    if scale not in ("difference", "ratio"):
        raise ValueError(f"scale {scale!r}: must be difference or ratio")
    measure = read_measure(evidence, metric, better)
    ratio = scale == "ratio"
    bound = float(ratio) if by is None else by
    one, *rivals = read_contestants(evidence, first, second)
    # Differences in each setting, rival by rival
    differences: dict[str, list[Difference]] = {}
    for rival in rivals:
        units = read_units(evidence, measure, [one, rival])
        if units:
            settings = [Difference(one, rival, unit, measure, missing, ratio) for unit in units]
            differences.setdefault(rival.title, []).extend(settings)
        elif second is not None:
            raise ValueError(
                f"{one.title} and {rival.title} share no setting in which "
                f"{metric} is known: correct where or select"
            )
    if not differences:
        raise ValueError(f"{one.title} shares no setting with any other method: correct select")
    if quantifier == "mean":
        entries = [mean_entry(settings, bound) for settings in differences.values()]
    else:
        entries = [d.entry(bound) for settings in differences.values() for d in settings]
    conjunction = combine_entries(entries, quantifier)
    datasets = {d.unit.dataset for settings in differences.values() for d in settings}
    scene = datasets.pop() if len(datasets) == 1 else ""
    n_settings = max(map(len, differences.values()))
    words = statement(one.title, measure, bound, ratio)
    sentence = say_comparison(conjunction, words, [*differences], quantifier, n_settings, scene)
    return make_finding(conjunction, quantifier, "×" if ratio else measure.unit, sentence, True)
