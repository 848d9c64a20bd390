"""Checks of a metric: a scorer that the catalog names, with all its metrics."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.engine.code.imports import import_object
from nldr.engine.planning.catalog import Catalog
from nldr.testing.findings import FAILED, NOTE, Broken, Check, CheckOutcome, failed, judge, note, ok
from nldr.testing.samples import growth, sample

N_ROWS = 200
ROUNDING = 1e-6  # relative change of a score that counts as none

Change = Callable[[NDArray], NDArray]
# Changes of an embedding that leave all relations of its points as they are.
SAME: dict[str, Change] = {
    "rotation": lambda Z: Z @ np.array([[0.6, -0.8], [0.8, 0.6]]),
    "reflection": lambda Z: Z * [1, -1],
    "translation": lambda Z: Z + 3.0,
    "scaling": lambda Z: 7.0 * Z,
}


class MetricTrial:
    """The checks of a scorer of the catalog, which scores embeddings of a dataset."""

    def __init__(self, catalog: Catalog, name: str, dataset: str = "swiss_roll") -> None:
        self.catalog, self.entry, self.dataset = catalog, catalog.scorers[name], dataset
        self.file = catalog.files["metrics", name]
        self.metrics = {m: e for m, (scorer, e) in catalog.metrics.items() if scorer == name}

    def checks(self) -> list[Check]:
        """Return all checks, the most basic ones first."""
        return [
            Check("it returns the metrics of the catalog", self.names),
            Check("values are in range", self.ranges),
            Check("a good embedding scores better than a random one", self.direction),
            Check("the same embedding has the same score", self.deterministic),
            Check("the order of the points does not matter", self.permutation),
            Check("rotation and scale of the embedding do not matter", self.invariances),
            Check("degenerate embeddings have a score, NaN or a ValueError", self.degenerate),
            Check("it stays within its limits", self.limits),
        ]

    @functools.cached_property
    def data(self) -> Dataset:
        """The data of the embeddings."""
        return sample(self.catalog, self.dataset, N_ROWS)

    @functools.cached_property
    def embeddings(self) -> dict[str, NDArray]:
        """A good embedding, a linear one and a random one, two-dimensional."""
        # The true latent, the first principal components, and noise
        rng = np.random.default_rng(0)
        X = self.data.X - self.data.X.mean(axis=0)
        linear = X @ np.linalg.svd(X, full_matrices=False)[2][:2].T
        good = linear if self.data.Z is None else self.data.Z[:, :2]
        return {"good": good, "linear": linear, "random": rng.normal(size=good.shape)}

    def score(self, data: Dataset, embedding: NDArray) -> dict[str, float]:
        """Return the metrics of an embedding."""
        scores = import_object(self.entry.function)(data, embedding, **self.entry.params)
        if not isinstance(scores, dict):
            raise Broken(
                f"the function returns {type(scores).__name__}",
                "return a dict of metric name to number",
            )
        # Numbers, or NaN where there is none
        for name, value in scores.items():
            try:
                scores[name] = float("nan") if value is None else float(value)
            except (TypeError, ValueError):
                raise Broken(
                    f"'{name}' is not a number but {value!r}"[:120],
                    "return a float for each metric, NaN where there is none",
                ) from None
        return scores

    @functools.cached_property
    def scores(self) -> dict[str, dict[str, float]]:
        """The metrics of all embeddings."""
        return {title: self.score(self.data, Z) for title, Z in self.embeddings.items()}

    def names(self) -> CheckOutcome:
        """Check that the metrics are those of the catalog."""
        returned, promised = self.scores["good"].keys(), self.metrics.keys()
        if missing := [name for name in promised if name not in returned]:
            listed = ", ".join(returned) or "none"
            return failed(
                f"it does not return the metric '{missing[0]}' of the catalog",
                f"it returned {listed}: correct the function, or the names in {self.file}",
            )
        if more := [name for name in returned if name not in promised]:
            return note(
                f"it returns a metric that the catalog lacks: {more[0]}",
                f"add it to {self.file}, or it is dropped",
            )
        return ok(f"it returns {', '.join(promised)}")

    def ranges(self) -> CheckOutcome:
        """Check that values are in the declared range."""
        for title, scores in self.scores.items():
            for name, entry in self.metrics.items():
                low, high = entry.range
                value = scores[name]
                if (low is not None and value < low - 1e-9) or (
                    high is not None and value > high + 1e-9
                ):
                    return failed(
                        f"{name} of a {title} embedding is {value:.4g}, "
                        f"outside the range {entry.range}",
                        f"correct the formula, or the range in {self.file}: null where "
                        "there is no bound",
                    )
        return ok("values are in the range of the catalog")

    def direction(self) -> CheckOutcome:
        """Check that a good embedding beats a random one."""
        # Compare as the catalog says
        undefined = []
        for name, entry in self.metrics.items():
            good, random = (self.scores[title][name] for title in ("good", "random"))
            if np.isnan(good) or np.isnan(random):
                undefined.append(name)
            elif (good <= random) if entry.direction == "higher" else (good >= random):
                return failed(
                    f"{entry.direction} is better: {name} is {good:.3g} for a "
                    f"good embedding of {self.dataset}, {random:.3g} for a random one",
                    f"correct the formula, or direction in {self.file}",
                )
        if undefined:
            return note(
                f"{', '.join(undefined)}: NaN on {self.dataset}",
                "name a dataset that has what the metric needs: --data turntable",
            )
        return ok("a good embedding scores better than a random one")

    def _differing(self, other: dict[str, float]) -> str:
        """Return the first metric whose score differs from that of the linear embedding."""
        for name in self.metrics:
            before, after = self.scores["linear"][name], other[name]
            if not np.isclose(before, after, rtol=ROUNDING, atol=ROUNDING, equal_nan=True):
                return f"{name} is {before:.4g}, then {after:.4g}"
        return ""

    def deterministic(self) -> CheckOutcome:
        """Check that scores repeat, and that data and embedding are left as they were."""
        Z = self.embeddings["linear"].copy()
        X = self.data.X.copy()
        wrong = self._differing(self.score(self.data, Z))
        if not (np.array_equal(Z, self.embeddings["linear"]) and np.array_equal(X, self.data.X)):
            wrong = "the function changes the arrays"
        return judge(
            not wrong,
            "the same embedding has the same score",
            wrong,
            "use np.random.default_rng(0) where random numbers are needed, and copies of "
            "the arrays",
        )

    def permutation(self) -> CheckOutcome:
        """Check that the order of the points does not matter."""
        # The same points and coordinates, in another order
        rows = np.random.default_rng(1).permutation(self.data.n_samples)
        wrong = self._differing(self.score(self.data.rows(rows), self.embeddings["linear"][rows]))
        return judge(
            not wrong,
            "the order of the points does not matter",
            wrong,
            "do not use row numbers; break ties and assign folds by the values",
            NOTE if self.entry.needs == "labels" else FAILED,
        )

    def invariances(self) -> CheckOutcome:
        """Check that rotation, reflection, translation and scale do not matter."""
        Z = self.embeddings["linear"]
        for title, change in SAME.items():
            if wrong := self._differing(self.score(self.data, change(Z))):
                return note(
                    f"a {title} of the embedding changes the score: {wrong}",
                    "it is arbitrary in many methods: normalize the embedding first, or say "
                    "so in the docstring",
                )
        return ok(f"{', '.join(SAME)} do not matter")

    def degenerate(self) -> CheckOutcome:
        """Check few points and equal coordinates."""
        few = self.data.rows(np.arange(4))
        cases = {
            "all points in one place": (self.data, np.zeros((self.data.n_samples, 2))),
            "4 points": (few, self.embeddings["linear"][:4]),
        }
        for title, (data, Z) in cases.items():
            try:
                self.score(data, Z)
            except ValueError:
                continue  # which says what is wrong
            except Exception as error:
                return note(
                    f"{title}: raises {error!r}"[:160],
                    "return NaN, or raise a ValueError that says why",
                )
        return ok("points in one place, and few points, have a score, NaN or a ValueError")

    def limits(self) -> CheckOutcome:
        """Check how long it takes, and that several threads can be asked for."""
        parameters = self.catalog.signatures[self.entry.function].parameters
        if self.entry.threads > 1 and "n_jobs" not in parameters:
            return failed(
                f"threads: {self.entry.threads} needs a parameter n_jobs",
                f"add it to the function, or drop threads in {self.file}",
            )
        # Two sizes, from which larger ones follow
        took = []
        for n_rows in (N_ROWS, 2 * N_ROWS):
            data = sample(self.catalog, self.dataset, n_rows)
            Z = np.random.default_rng(0).normal(size=(data.n_samples, 2))
            begin = time.process_time()
            self.score(data, Z)
            took.append(time.process_time() - begin)
        text = f"{2 * N_ROWS} points take {took[1]:.2g} CPU s" + growth(
            took[0], took[1], 2 * N_ROWS
        )
        return judge(
            took[1] <= self.entry.seconds,
            text,
            f"the limit is {self.entry.seconds:g} s",
            f"raise seconds in {self.file}",
        )
