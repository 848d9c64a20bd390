"""Evidence from which a claim is decided, and the finding of a test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import nan
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


class Decision(StrEnum):
    """Decision on a statement by the numbers."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    NOT_RUN = "not run"


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The cells of a study from which a claim is decided.

    Parameters
    ----------
    table : DataFrame
        One row per trial: ``dataset``, ``data_cell``, ``method``, ``method_cell``, ``trial``,
        ``ok`` (bool), ``random`` (bool; without random numbers, the one trial of a cell is enough),
        ``status`` and ``message`` (text), parameters as ``data.<name>`` and
        ``method.<name>``, one column per metric and per recorded number ``fit.<name>``, NaN where
        there is none, and the costs of :data:`nldr.costs.COLUMNS`, such as ``seconds`` (wall time
        of the fit), ``cpu_seconds`` and ``peak_mb``. A tuned method has the rows of its best
        setting only.
    methods, datasets : mapping of str to str
        Names to display titles, in the study's order.
    metrics : mapping of str to mapping
        Metric name to its ``label``, ``title``, ``range`` and ``direction``.
    published : DataFrame or None
        One row per published number of the study with its verdict, and the other columns of its
        file; None where the study declares no published numbers.
    """

    table: pd.DataFrame
    methods: Mapping[str, str]
    datasets: Mapping[str, str]
    metrics: Mapping[str, Mapping[str, Any]]
    published: pd.DataFrame | None = None


@dataclass(frozen=True)
class Comparison:
    """One of the comparisons that decide a claim: a row of its forest plot.

    Attributes
    ----------
    label : str
        Description, such as ``"IKD − Isomap, GP, 100 features"``.
    effect, low, high : float
        Effect with its 95 % interval, in the unit of the finding; NaN where there is none.
    n : int
        Number of trials or datasets that it rests on.
    decision : Decision
        Whether it supports the claim, before correction for the number of comparisons.
    solved : str
        Number of successful runs of all, ``"10 of 10"``, for each side.
    unit : str
        Unit of the effect.
    threshold : float
        Smallest effect that supports the claim; NaN if there is none.
    above : bool
        Whether effects above the threshold support the claim, or those below.
    """

    label: str
    effect: float
    low: float
    high: float
    n: int
    decision: Decision
    solved: str = ""
    unit: str = ""
    threshold: float = nan
    above: bool = True


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Finding of a test.

    Attributes
    ----------
    decision : Decision
        The decision at the level of 5 %, before correction for the number of claims.
    p_value : float
        Two-sided p-value of the decision that the data speak for; 0 where the numbers have no
        randomness, NaN where no test could be made.
    supports : bool
        Whether the data speak for the statement, significantly or not.
    effect, low, high : float
        Size of the effect that decides, with its 95 % interval.
    threshold : float
        Smallest effect with which the statement holds.
    unit : str
        Unit of the effect, such as ``"R²"``, ``"×"`` or ``"of 15 entries"``.
    test : str
        The test in words, with the number of trials, datasets or cells.
    n : int
        Number of independent units: trials, or cells where these are compared.
    sentence : str
        One sentence for readers, made from the numbers.
    comparisons : tuple of Comparison
        The comparisons behind it.
    above : bool
        Whether effects above the threshold support the claim, or those below.
    """

    decision: Decision
    p_value: float
    supports: bool
    effect: float
    low: float
    high: float
    threshold: float
    unit: str
    test: str
    n: int
    sentence: str
    comparisons: tuple[Comparison, ...] = field(default=())
    above: bool = True
