"""The ranking of methods: mean scores, paired differences from the best, and their outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nldr.claims.findings import Effect
from nldr.comparison.draws import Draws, Fit
from nldr.comparison.stability import stability
from nldr.statistics.location import Location, locate
from nldr.statistics.outcomes import RATE, Outcome, ThreeSided, discovery_level

if TYPE_CHECKING:
    import pandas as pd

MARGIN = 0.01  # difference of two scores that is negligible
SCORES = ("neighborhoods", "trustworthiness", "continuity", "distances", "labels", "new_points")
RANDOM = "random coordinates"


def differences(fits: list[Fit], others: list[Fit], name: str) -> Location:
    """Return the mean difference of a score between two methods on the same draws."""
    return locate([a.scores[name] - b.scores[name] for a, b in zip(fits, others, strict=True)])


def rank(draws: Draws, n_points: int) -> tuple[pd.DataFrame, dict[str, NDArray]]:
    """Return the table of a comparison, and how stable the place of each point is.

    The table has one row per method, best first, then one for random coordinates: key, setting,
    mean scores, stability, seconds of a fit, difference from the best with a 95 % interval, and
    outcome (best, tie, slightly worse, worse, unclear). Stability, of shape (n_points,), is by key
    of the method.
    """
    import pandas as pd

    rows, of_points = {}, {}
    titles = {method.key: method.title for method in draws.methods} | {"random": RANDOM}
    words = {m.key: m.words(draws.settings[m.key]) for m in draws.methods} | {"random": ""}
    for key in titles:
        fits = draws.scored[key]
        means = {
            name: _mean([result.scores[name] for result in fits])
            for name in SCORES
            if name in fits[0].scores
        }
        stable, of_points[key] = stability(
            [(r.rows, r.Z) for r in fits if r.Z is not None], n_points
        )
        seconds = float(np.mean([result.seconds for result in fits]))
        rows[titles[key]] = {
            "key": key,
            "setting": words[key],
            **means,
            "stability": stable,
            "seconds": seconds,
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")
    real = table[table["key"] != "random"].sort_values("neighborhoods", ascending=False)
    table = pd.concat([real, table[table["key"] == "random"]])
    return _with_outcomes(table, draws), of_points


def _mean(scores: list[float]) -> float:
    """Return the mean over the draws on which a score is defined.

    Labels are compared where a draw has more than one class.

    Examples
    --------
    >>> _mean([0.25, float("nan"), 0.75]), _mean([float("nan")])
    (0.5, nan)
    """
    defined = [value for value in scores if np.isfinite(value)]
    return float(np.mean(defined)) if defined else float("nan")


def _with_outcomes(table: pd.DataFrame, draws: Draws) -> pd.DataFrame:
    """Return the table with differences from the best method and their outcomes."""
    best = table["key"].iloc[0]
    gaps, tests = [], []
    for key in table["key"]:
        gap = differences(draws.scored[key], draws.scored[best], "neighborhoods")
        gaps.append(gap)
        tests.append(Effect("", key, gap, bound=0.0, above=True, delta=MARGIN).tests)
    # Random coordinates, which are surely worse, would raise the level for the others, and have
    # one of their own
    references = best, "random"
    others = [t.p_value for k, t in zip(table["key"], tests, strict=True) if k not in references]
    level = discovery_level(others)
    outcomes = [
        "best" if key == best else _word(test, RATE if key == "random" else level)
        for key, test in zip(table["key"], tests, strict=True)
    ]
    return table.assign(
        behind=[0.0 - gap.center for gap in gaps],
        behind_low=[0.0 - gap.high for gap in gaps],
        behind_high=[0.0 - gap.low for gap in gaps],
        outcome=outcomes,
    )


def _word(test: ThreeSided, level: float) -> str:
    """Return an outcome; a difference that is there but negligible is told from others."""
    outcome = test.outcome(level)
    slight = outcome is Outcome.WORSE and test.is_small(level)
    return "slightly worse" if slight else outcome.value
