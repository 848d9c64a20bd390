"""Evidence from which a claim is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Of ``status``: there are no coordinates
FAILURES = ("timeout", "error", "invalid_input", "out_of_memory")


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
    is_exact : bool, default=False
        Whether values are compared as they stand, times too, as printed numbers are.
    """

    table: pd.DataFrame
    methods: Mapping[str, str]
    datasets: Mapping[str, str]
    metrics: Mapping[str, Mapping[str, Any]]
    published: pd.DataFrame | None = None
    is_exact: bool = False
