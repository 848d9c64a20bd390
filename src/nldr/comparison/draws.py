"""Fit methods on draws of the rows, within a time limit."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from nldr.comparison.methods import Method
from nldr.comparison.scores import score, score_neighborhoods, score_new

SHARE = 0.8  # of the rows in a draw
MOST_ROWS = 1000  # in a draw
MOST_SHOWN = 2000  # rows that all methods map at last, to be shown beside each other
MOST_FITTED = 5000  # rows of the recommended map; others are placed among them
DRAWS = 4  # that score, after the one that chooses settings
PILOT_ROWS = 300  # of a first fit that tells how long others will take
COMPILING = 15.0  # seconds of a first fit with numba
LAST = ("pca", "tsne", "umap")  # methods that are left out after all others
RESERVE = 0.85  # of the time limit that fits may take; the rest is for scores and the page
LEAST = 0.05  # of the time limit that fast methods may take even if the time is up


@dataclass
class Fit:
    """A method fitted to a draw."""

    method: str  # key of the method, or ``random``
    setting: int  # number of the setting
    draw: int  # 0 chose the setting
    rows: NDArray  # of the draw
    Z: NDArray | None = None  # the map in two dimensions; None if the fit failed
    seconds: float = float("nan")  # CPU time of the fit
    waited: float = 0.0  # time that passed
    scores: dict[str, float] = field(default_factory=dict)  # of the map
    message: str = ""  # why it failed


@dataclass
class Draws:
    """All fits of a comparison."""

    methods: list[Method]  # those that were compared to the end
    # The setting of each that the first draw chose, by key of the method
    settings: dict[str, int] = field(default_factory=dict)
    # Fits of the chosen setting on the other draws, and random coordinates called ``random``
    scored: dict[str, list[Fit]] = field(default_factory=dict)
    final: dict[str, Fit] = field(default_factory=dict)  # fits on all rows, at most 2000
    tried: list[Fit] = field(default_factory=list)  # fits of all settings on the first draw
    failures: list[tuple[str, str]] = field(default_factory=list)  # titles, and messages
    # A line for each method that was left out for lack of time
    dropped: list[str] = field(default_factory=list)


def sample(n_rows: int, size: int) -> NDArray:
    """Return all rows, or a random part of them in order.

    Examples
    --------
    >>> sample(3, 5), len(sample(9, 5))
    (array([0, 1, 2]), 5)
    """
    if n_rows <= size:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).permutation(n_rows)[:size])


def draw_size(n_rows: int) -> int:
    """Return the number of rows in a draw."""
    return min(int(SHARE * n_rows), MOST_ROWS)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep warnings of methods from the terminal, which would hide the result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def fit(method: Method, setting: int, points: NDArray, rows: NDArray, draw: int) -> Fit:
    """Fit a method to some rows; an error is part of the result."""
    result = Fit(method.key, setting, draw, rows)
    start, clock = time.process_time(), time.monotonic()
    try:
        # Threads of BLAS wait for each other on a busy machine, and draws are small
        with quiet(), threadpool_limits(1):
            Z = np.asarray(method.build(setting, draw).fit_transform(points[rows]), float)
    except Exception as error:  # whatever a method raises, the others go on
        result.message = f"{type(error).__name__}: {error}"
        return result
    result.seconds = time.process_time() - start
    result.waited = time.monotonic() - clock
    if Z.shape != (len(rows), 2) or not np.isfinite(Z).all():
        result.message = "the coordinates are not finite"
        return result
    result.Z = Z
    return result


class Runner:
    """Fits and scores methods on draws of prepared rows, ``points``.

    ``codes`` are their classes, ``minutes`` is the time limit, ``tell`` takes a line of progress.
    """

    def __init__(
        self,
        points: NDArray,
        codes: NDArray | None,
        methods: list[Method],
        minutes: float,
        tell: Callable[[str], None],
    ) -> None:
        self.points, self.codes, self.tell = points, codes, tell
        self.size = draw_size(len(points))
        self.shown = sample(len(points), MOST_SHOWN)
        self.start, self.seconds = time.monotonic(), 60.0 * minutes
        self.timed: list[Fit] = []  # fits that tell how long others will take
        self.draws = Draws(methods)

    def run(self) -> Draws:
        """Return all fits."""
        if self.size > 2 * PILOT_ROWS:
            self._forecast_from_pilots()
        self._choose_settings()
        self._score()
        self._fit_all()
        return self.draws

    def rows_of(self, draw: int) -> tuple[NDArray, NDArray]:
        """Return the rows of a draw, in random order, and the others."""
        order = np.random.default_rng([20, draw]).permutation(len(self.points))
        return order[: self.size], order[self.size :]

    # --- time ---------------------------------------------------------------------------------

    def _forecast_from_pilots(self) -> None:
        """Say how long methods would take, by fits on small draws, and drop what will not fit."""
        rows = self.rows_of(0)[0][:PILOT_ROWS]
        costs: dict[str, float] = {}
        for method in self._compiled_last():
            if self._lacks_time(method, 1 / 3 if method.package else 1.0):
                self._leave_out(method, self._expected(method))
                continue
            # The first fit of UMAP compiles code
            repeats = 2 if method.package else 1
            pilot = [fit(method, 0, self.points, rows, 0) for _ in range(repeats)][-1]
            if pilot.Z is None:
                self._fail(method, pilot.message)
                continue
            self.timed.append(pilot)
            # Overhead is a large part of a small fit, so that time grows no faster than by squares
            per_draw = pilot.waited * (self.size / PILOT_ROWS) ** min(method.power, 2.0)
            costs[method.key] = per_draw * (len(method.settings) + DRAWS)
        titles = {method.key: method.title for method in self.draws.methods}
        shown = ", ".join(f"{titles[key]} {cost:.0f} s" for key, cost in costs.items())
        self.tell(f"forecast {sum(costs.values()):.0f} s, limit {self.seconds:.0f} s: {shown}")
        self._drop(costs)

    def _forecast_from_fits(self, methods: list[Method]) -> None:
        """Say how long all methods would take if it is too long, by fits of the faster ones."""
        n_fits = sum(len(method.settings) + DRAWS + 1 for method in methods)
        seconds = (time.monotonic() - self.start) * n_fits / len(self.draws.tried)
        if seconds > self.seconds:
            self.tell(
                f"forecast {seconds:.0f} s by the fits so far, limit {self.seconds:.0f} s: methods "
                "that take too long will be left out"
            )

    def _forecast_the_rest(self, n_draws: int) -> None:
        """Drop methods whose fits on the first draw say that the rest would take too long."""
        costs = {}
        for method in self.draws.methods:
            chosen = self.draws.settings[method.key]
            waited = next(
                fit.waited
                for fit in self.draws.tried
                if fit.method == method.key and fit.setting == chosen
            )
            costs[method.key] = waited * (n_draws + self._final_weight(method))
        self._drop(costs)

    def _final_weight(self, method: Method) -> float:
        """Return the time of the fit on all rows in units of a draw."""
        return (len(self.shown) / self.size) ** method.power

    @property
    def remaining(self) -> float:
        """Seconds that fits may still take."""
        return RESERVE * self.seconds - (time.monotonic() - self.start)

    def _compiled_last(self) -> list[Method]:
        """Return the methods, those that are compiled after the others."""
        return sorted(self.draws.methods, key=lambda method: bool(method.package))

    def _expected(self, method: Method) -> float:
        """Return the seconds of the next fit of a method: as its last one, or as those of others.

        The first fit of a method of another package compiles code.
        """
        before = [fit.waited for fit in self.timed if fit.method == method.key]
        if before:
            return before[-1]
        waited = sum(fit.waited for fit in self.timed)
        if not method.package:
            return waited / max(len(self.timed), 1)
        # Other programs may use the processor, too; fits of milliseconds say little about that
        seconds = sum(fit.seconds for fit in self.timed)
        return COMPILING * max((waited + 1.0) / (seconds + 1.0), 1.0)

    def _lacks_time(self, method: Method, share: float = 1.0) -> bool:
        """Return whether the next fit takes more than a share of the time that remains.

        PCA is always fitted, so that there is a result.
        """
        return method.key != "pca" and self._expected(method) > share * self.remaining

    def _drop(self, costs: dict[str, float]) -> None:
        """Drop the most expensive methods until the others fit into the time that is left."""
        limit = max(self.remaining, LEAST * self.seconds)
        while sum(costs.values()) > limit and len(costs) > 1:
            # Those that are most often the best go last, unless they alone take too long
            last = {key for key in costs if key in LAST}
            too_long = sum(costs[key] for key in last) > limit
            expendable = last - {"pca"} if too_long else costs.keys() - last
            if not expendable:
                return
            key = max(sorted(expendable), key=costs.__getitem__)
            method = next(m for m in self.draws.methods if m.key == key)
            self._leave_out(method, costs.pop(key))

    def _leave_out(self, method: Method, cost: float) -> None:
        self.draws.methods.remove(method)
        line = (
            f"{method.title} is left out for lack of time: it would take about "
            f"{max(cost, 1):.0f} s, and all methods together have {max(self.remaining, 0):.0f} of "
            f"{self.seconds:.0f} s left; raise --minutes (minutes=)"
        )
        self.draws.dropped.append(line)
        self.tell(line)

    def _fail(self, method: Method, message: str) -> None:
        self.draws.methods.remove(method)
        self.draws.failures.append((method.title, message))
        self.tell(f"{method.title} failed: {message}")

    # --- fits ---------------------------------------------------------------------------------

    def _choose_settings(self) -> None:
        """Try all settings on the first draw; the best by neighborhoods is chosen."""
        methods = self._compiled_last()
        for number, method in enumerate(methods):
            # Few rows have no pilots; the faster methods come first
            if 0 < number == len(methods) // 2 and self.size <= 2 * PILOT_ROWS:
                self._forecast_from_fits(methods)
            fits = self._try_settings(method)
            if len(fits) < len(method.settings):
                self._leave_out(method, self._expected(method))
                continue
            worked = [result for result in fits if result.Z is not None]
            self.draws.tried += fits
            if not worked:
                self._fail(method, fits[-1].message)
                continue
            best = max(worked, key=lambda result: result.scores["neighborhoods"])
            self.draws.settings[method.key] = best.setting
            words = method.words(best.setting)
            self.tell(
                f"{method.title}: {words or 'no parameters to tune'} ({best.seconds:.1f} s per fit)"
            )

    def _try_settings(self, method: Method) -> list[Fit]:
        """Return fits of all settings on the first draw, or of as many as the time allows."""
        rows, _ = self.rows_of(0)
        fits: list[Fit] = []
        for setting in range(len(method.settings)):
            if self._lacks_time(method):
                break
            result = fit(method, setting, self.points, rows, 0)
            if result.Z is not None:
                result.scores = score_neighborhoods(self.points[rows], result.Z)
                self.timed.append(result)
            fits.append(result)
        return fits

    def _score(self) -> None:
        """Fit the chosen settings on the other draws, and score them beside random coordinates."""
        for draw in range(1, DRAWS + 1):
            self._forecast_the_rest(DRAWS + 1 - draw)
            rows, others = self.rows_of(draw)
            random = Fit("random", 0, draw, rows)
            random.Z = np.random.default_rng(draw).standard_normal((len(rows), 2))
            results = [random]
            for method in self.draws.methods:
                setting = self.draws.settings[method.key]
                results.append(fit(method, setting, self.points, rows, draw))
            codes = None if self.codes is None else self.codes[rows]
            for result in results:
                if result.Z is not None:
                    result.scores = score(self.points[rows], result.Z, codes)
                    new = self.points[others]
                    result.scores["new_points"] = score_new(self.points[rows], result.Z, new)
                self.draws.scored.setdefault(result.method, []).append(result)
            self.tell(f"scored draw {draw} of {DRAWS}")
        for method in list(self.draws.methods):
            broken = [result for result in self.draws.scored[method.key] if result.Z is None]
            if broken:
                self._fail(method, f"on {len(broken)} of {DRAWS} draws: {broken[0].message}")

    def _fit_all(self) -> None:
        """Fit the chosen settings on all rows, or on as many as are shown."""
        self._forecast_the_rest(0)
        for method in list(self.draws.methods):
            setting = self.draws.settings[method.key]
            result = fit(method, setting, self.points, self.shown, 0)
            if result.Z is None:
                self._fail(method, f"on all rows: {result.message}")
                continue
            self.draws.final[method.key] = result

    def fit_best(self, key: str) -> Fit:
        """Return the recommended method, fitted to as many rows as the time allows, at most 5000.

        If there is no time, this is the fit on those that are shown.
        """
        shown = self.draws.final[key]
        method = next(method for method in self.draws.methods if method.key == key)
        # Rows that can be fitted in the time that is left
        growth = max(self.remaining / max(2 * shown.waited, 1e-3), 1.0) ** (1 / method.power)
        size = int(min(MOST_FITTED, len(self.points), growth * len(shown.rows)))
        if size < 1.2 * len(shown.rows):
            return shown
        rows = sample(len(self.points), size)
        larger = fit(method, self.draws.settings[key], self.points, rows, 0)
        return shown if larger.Z is None else larger
