"""Claims that a method has a rank in a number of settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from nldr.claims._differences import compare_in, read_contestants, settings_of
from nldr.claims._units import ContestantSpec, read_measure, read_units
from nldr.claims.evidence import Evidence
from nldr.claims.findings import Effect, Finding, Statement

ORDINALS = {1: "the best", 2: "the best or second best", 3: "among the best three"}


def count(
    evidence: Evidence,
    first: ContestantSpec,
    *,
    metrics: Sequence[str],
    rank: int = 1,
    at_least: int | Literal["most"] = 8,
) -> Finding:
    """Decide whether a method has some rank, or a better one, in a number of settings.

    A setting is a metric on a dataset with its parameters. The method has a rank of r or better if
    it is better than all but r − 1 of the other methods; each of them is compared with it as in
    :func:`nldr.claims.compare`.

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
    at_least : int or "most", default=8
        Smallest number of settings with which the statement holds; ``most`` is more than half.

    Returns
    -------
    Finding
        One setting for each metric, dataset and parameters.

    Raises
    ------
    ValueError
        If there are fewer settings than ``at_least``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": ["a"] * 6 + ["b"] * 6, "data_cell": ["a"] * 6 + ["b"] * 6,
    ...     "method": (["x"] * 3 + ["y"] * 3) * 2, "method_cell": (["x"] * 3 + ["y"] * 3) * 2,
    ...     "trial": [0, 1, 2] * 4, "ok": True, "status": "ok",
    ...     "r2": [0.9, 0.91, 0.89, 0.5, 0.52, 0.5, 0.8, 0.82, 0.81, 0.4, 0.43, 0.41]})
    >>> from nldr.claims import Evidence, decide
    >>> evidence = Evidence(
    ...     table=table, methods={"x": "X", "y": "Y"}, datasets={"a": "A", "b": "B"},
    ...     metrics={"r2": {"label": "R²", "range": [0, 1], "direction": "higher"}})
    >>> finding = count(evidence, "x", metrics=["r2"], at_least=2)
    >>> print(decide([finding], level=0.05).sentence)  # doctest: +ELLIPSIS
    X is the best of 2 methods in both settings. Least certain case (vs. Y, R², A): 0.393 better ...
    """
    contestant, *rivals = read_contestants(evidence, first, None)
    if rank < 1 or not rivals:
        remedy = "give a rank from 1 on, and select other methods"
        raise ValueError(f"rank = {rank} among {len(rivals)} rivals: {remedy}")
    comparisons: list[tuple[str, Effect]] = []
    for metric in metrics:
        measure = read_measure(evidence, metric)
        for rival in rivals:
            for unit in read_units(evidence, measure, [contestant, rival]):
                comparison = compare_in(unit, contestant, rival, measure, 0.0, False)
                title = f"{measure.title}, {unit.title}"
                name = f"vs. {rival.title}, {title}"
                comparisons.append((title, replace(comparison, name=name)))
    settings = settings_of(comparisons, rank - 1)
    need = len(settings) // 2 + 1 if at_least == "most" else at_least
    if len(settings) < need:
        raise ValueError(f"there are {len(settings)} settings, fewer than at_least = {need}")
    place = ORDINALS.get(rank, f"among the best {rank}")
    n_rivals = max(len(setting.comparisons) for setting in settings)
    words = Statement(
        subject=contestant.title,
        verb=f"is {place}",
        negation=f"is not {place}",
        than=f"of {n_rivals + 1} methods",
        signs=("better", "worse"),
        tie="practically equal",
    )
    return Finding(settings=settings, words=words, need=need, is_paired=True)
