"""Summary of a study's clocks: medians, ratios to PCA, published seconds, and the machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from nldr.engine.files.status import Status

BASELINE = "pca"  # the method to whose time others are compared
CLOCK_COLUMNS = ("seconds", "cpu_seconds")
SUMMARY_COLUMNS = (
    "data_cell",
    "method",
    "method_cell",
    "n_ok",
    *CLOCK_COLUMNS,
    *(f"{clock}_ratio" for clock in CLOCK_COLUMNS),
    "published_seconds",
    "exclusive",
    "cores",
    "machine",
)
Row = Mapping[str, Any]


def summarize_costs(
    cells: Sequence[Sequence[Row]], published: Sequence[float | None]
) -> Iterator[dict[str, Any]]:
    """Yield one row per cell with the medians of its clocks, the columns :data:`SUMMARY_COLUMNS`.

    ``seconds`` is the wall time of a fit and ``cpu_seconds`` its CPU time; the ratios are those to
    PCA on the same dataset in as many dimensions, None where the study has none. Wall times of runs
    that were not ``exclusive`` were measured beside other jobs: there, CPU times are the ones to
    compare.
    """
    medians = [{clock: _median(trials, clock) for clock in CLOCK_COLUMNS} for trials in cells]
    # The clocks of the baseline, by dataset and number of dimensions
    baselines = {
        _setting(trials): clocks
        for trials, clocks in zip(cells, medians, strict=True)
        if trials[0]["method"] == BASELINE
    }
    for trials, clocks, seconds in zip(cells, medians, published, strict=True):
        first, baseline = trials[0], baselines.get(_setting(trials), {})
        ratios = {f"{c}_ratio": _ratio(clocks[c], baseline.get(c)) for c in CLOCK_COLUMNS}
        yield {
            **{name: first.get(name) for name in SUMMARY_COLUMNS},
            "n_ok": sum(Status(row["status"]).is_ok for row in trials),
            **clocks,
            **ratios,
            "published_seconds": seconds,
            "machine": first.get("cpu"),
        }


def _setting(trials: Sequence[Row]) -> tuple[Any, Any]:
    return trials[0]["data_cell"], trials[0].get("method.n_components")


def _median(trials: Sequence[Row], clock: str) -> float | None:
    values = [row[clock] for row in trials if Status(row["status"]).is_ok and row[clock]]
    return median(values) if values else None


def _ratio(ours: float | None, baseline: float | None) -> float | None:
    return ours / baseline if ours and baseline else None
