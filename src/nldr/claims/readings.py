"""Claims about what published numbers are: of which method, and of which metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nldr.claims._units import read_bound
from nldr.claims.equivalence import Sample, compare_with_published
from nldr.claims.evidence import Evidence
from nldr.claims.findings import Finding, Setting, Statement
from nldr.claims.published.verdicts import CANNOT_TELL, NO_RESULT, NOT_RUN
from nldr.claims.shares import UNDECIDED, select_numbers, share_of_numbers

if TYPE_CHECKING:
    from pandas import DataFrame, Series


def reading(
    evidence: Evidence,
    *,
    of: str,
    unlike: str,
    at_least: float | None = None,
    at_most: float | None = None,
    where: Mapping[str, Any] | None = None,
) -> Finding:
    """Decide whether published numbers are those of one method and not of another.

    Only numbers on which the two methods differ count: their means differ by more than the margin
    of the number, or only one of the two has a result. Of these a share must be reproduced by the
    first method, on each dataset; the numbers are a finite population as in
    :func:`nldr.claims.reproduced`.

    Parameters
    ----------
    of, unlike : str
        Names of the two methods.
    at_least, at_most : float
        The share; give one of them.
    where : mapping of str to value or list, optional
        Columns of the published numbers and the values that count.

    Returns
    -------
    Finding
        One setting for each dataset.

    Raises
    ------
    ValueError
        If the methods differ on no number that was run.

    Examples
    --------
    >>> import pandas as pd
    >>> facts = {"number": ["1", "1"], "cell": ["roll/hlle", "roll/lle"], "ours": [0.9, 0.5],
    ...          "margin": [0.01, 0.01], "verdict": ["reproduced", "worse"]}
    >>> from nldr.claims import Evidence, decide
    >>> evidence = Evidence(table=pd.DataFrame(), methods={}, datasets={"roll": "Swiss roll"},
    ...                     metrics={}, published=pd.DataFrame(facts))
    >>> print(decide([reading(evidence, of="hlle", unlike="lle", at_least=0.5)], 0.05).verdict)
    holds
    """
    bound, above = read_bound(at_least, at_most)
    numbers = select_numbers(evidence, where or {})
    numbers = numbers[~numbers["verdict"].isin((NOT_RUN, CANNOT_TELL)) & numbers["cell"].notna()]
    cells = [cell.split("/") for cell in numbers["cell"]]
    numbers = numbers.assign(
        dataset_name=[data.partition("@")[0] for data, _ in cells],
        method_name=[method.partition("@")[0] for _, method in cells],
    )
    # The same number by both methods
    one, other = (numbers[numbers["method_name"] == name] for name in (of, unlike))
    pairs = one.merge(other[["number", "ours", "verdict"]], on="number", suffixes=("", "_other"))
    pairs = pairs[[_differ(row) for _, row in pairs.iterrows()]]
    if not len(pairs):
        raise ValueError(f"{of} and {unlike} differ on no published number that was run")
    settings = []
    for name, group in pairs.groupby("dataset_name", sort=False):
        title = evidence.datasets[str(name)]
        share = share_of_numbers(group, bound, above)
        settings.append(Setting(title, (replace(share, label=title, name=title),)))
    limit = f"at {'least' if above else 'most'} {100 * bound:.0f} %"
    titles = [evidence.methods.get(name, name) for name in (of, unlike)]
    words = Statement(
        subject=titles[0],
        verb=f"reproduces {limit}",
        negation=f"does not reproduce {limit}",
        than=f"of the numbers on which it differs from {titles[1]}",
    )
    return Finding(settings=tuple(settings), words=words, unit="of numbers")


def _differ(row: Series) -> bool:
    """Return whether two methods give different numbers, or one of them none."""
    missing = [row[column] == NO_RESULT for column in ("verdict", "verdict_other")]
    if any(missing):
        return not all(missing)
    margin = row["margin"]
    return bool(abs(row["ours"] - row["ours_other"]) > (0.0 if margin is None else margin))


def scored_by(
    evidence: Evidence,
    *,
    metric: str,
    at_least: float | None = None,
    at_most: float | None = None,
    where: Mapping[str, Any] | None = None,
) -> Finding:
    """Decide whether our values of some metric reproduce a share of published numbers.

    It tells which of several definitions a published metric has: the numbers are compared with our
    means of ``metric``, whatever the study compares them with, and with the same margins.

    Parameters
    ----------
    metric : str
        Column of the table.
    at_least, at_most : float
        The share; give one of them.
    where : mapping of str to value or list, optional
        Columns of the published numbers and the values that count.

    Returns
    -------
    Finding
        The share as a single setting, as in :func:`nldr.claims.reproduced`.

    Raises
    ------
    ValueError
        If no published number was run.
    """
    bound, above = read_bound(at_least, at_most)
    numbers = select_numbers(evidence, where or {})
    numbers = numbers[~numbers["verdict"].isin((NOT_RUN, CANNOT_TELL))]
    if not len(numbers):
        raise ValueError("no published number was run at this scale")
    numbers = numbers.assign(
        verdict=[_agreement(evidence.table, row, metric) for _, row in numbers.iterrows()]
    )
    label = evidence.metrics.get(metric, {}).get("label", metric)
    words = Statement(
        subject=f"the share of published numbers that {label} reproduces",
        verb=f"is at {'least' if above else 'most'} {100 * bound:.0f} %",
        negation=f"is {'below' if above else 'above'} {100 * bound:.0f} %",
    )
    setting = Setting("", (share_of_numbers(numbers, bound, above),))
    return Finding(settings=(setting,), words=words, need=1, unit="of numbers")


def _agreement(table: DataFrame, row: Series, metric: str) -> str:
    """Return the agreement of our values of a metric with a published number."""
    data, method = row["cell"].split("/")
    cell = (table["data_cell"] == data) & (table["method_cell"] == method) & table["ok"]
    values = table.loc[cell, metric].to_numpy(dtype=float)
    values = values[np.isfinite(values)]
    if not len(values):
        return NO_RESULT
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    ours = Sample(float(values.mean()), sd, len(values))
    published = Sample(float(row["published"]), None, 1)
    if sd is None or row["margin"] is None:
        return UNDECIDED
    agreement = compare_with_published(ours, published, float(row["margin"])).agreement
    return agreement.value
