"""Score one embedding with several scorers of ours in one process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nldr.engine.stages.score import score


def score_all(calls: Sequence[tuple[Any, ...]], begin: Callable[[], None]) -> list[dict[str, Any]]:
    """Score one after the other: return what ``score`` returns for the arguments of each call.

    The clock of the limit starts again with each scorer.
    """
    return [score(job, data, points, scores, begin) for job, data, points, scores in calls]
