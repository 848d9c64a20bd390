"""Checks of a dataset: a function that the catalog names."""

from __future__ import annotations

import functools
import resource
import time
from typing import Any

import numpy as np

from nldr.dataset import Dataset
from nldr.engine.code.imports import import_object
from nldr.engine.planning.catalog import Catalog
from nldr.engine.reading.entries import SIZES
from nldr.metrics.evaluation import evaluate
from nldr.testing.findings import NOTE, Broken, Check, CheckOutcome, failed, judge, note, ok
from nldr.testing.samples import small_params

N_ROWS = 300
FEWEST = 5  # points of a class, which the five folds of a classifier need


class DatasetTrial:
    """The checks of a dataset of the catalog."""

    def __init__(self, catalog: Catalog, name: str) -> None:
        self.entry = catalog.datasets[name]
        self.file = catalog.files["datasets", name]
        self.seeded = "rng" in catalog.signatures[self.entry.function].parameters
        self.small = small_params(catalog, name, N_ROWS)

    def checks(self) -> list[Check]:
        """Return all checks, the most basic ones first."""
        return [
            Check("it returns a Dataset", self.makes),
            Check("its sizes are those of the catalog", self.sizes),
            Check("its labels are those of the catalog", self.labels),
            Check("points differ", self.points_differ),
            Check("only the seed determines the data", self.seeds),
            Check("rows are not sorted by label or latent", self.order),
            Check("the rows of the latent belong to those of X", self.latent),
            Check("full size is within the limits", self.limits),
        ]

    def make(self, params: dict[str, Any] | None = None, seed: int = 0) -> Dataset:
        """Return a sample with these parameters, a small one by default."""
        random = {"rng": np.random.default_rng(seed)} if self.seeded else {}
        try:
            data = import_object(self.entry.function)(**(params or self.small), **random)
        except TypeError as error:
            if "argument" not in str(error):
                raise
            raise Broken(str(error), "give each parameter a value in the entry's params") from None
        except ValueError as error:
            if "contains NaN" not in str(error):
                raise
            raise Broken(str(error), "find where NaN arises, or leave such rows out") from None
        if not isinstance(data, Dataset):
            raise Broken(
                f"the function returns {type(data).__name__}", "return nldr.Dataset(X=…, Z=…, y=…)"
            )
        return data

    @functools.cached_property
    def data(self) -> Dataset:
        """A small sample."""
        return self.make()

    def makes(self) -> CheckOutcome:
        """Check that the function returns a dataset, with finite numbers."""
        data = self.data
        parts = [k for k in ("Z", "y", "clean", "image_shape") if getattr(data, k) is not None]
        shape = " × ".join(map(str, data.X.shape))
        text = f"it returns {shape} finite numbers" + (f" with {', '.join(parts)}" if parts else "")
        return judge(
            data.X.dtype.kind in "fiu",
            text,
            f"X has type {data.X.dtype}",
            "convert it: X.astype(float)",
        )

    def _differences(self, data: Dataset, params: dict[str, Any]) -> list[str]:
        # What there is, against what the catalog promises for these parameters
        actual = {
            "n_samples": data.n_samples,
            "n_features": data.n_features,
            "n_latent": None if data.Z is None else data.Z.shape[1],
        }
        promised = {size: self.entry.size(size, params) for size in SIZES}
        return [
            f"{size} is {actual[size]}, not {promised[size]}"
            for size in SIZES
            if actual[size] != promised[size]
        ]

    def sizes(self) -> CheckOutcome:
        """Check the numbers of points, features and latent coordinates."""
        wrong = "; ".join(self._differences(self.data, self.small))
        return judge(
            not wrong,
            "its sizes are those of the catalog",
            wrong,
            f"correct the function, or n_samples, n_features, n_latent in {self.file}: a "
            "number, a parameter, or a product such as 3 * height * width",
        )

    def labels(self) -> CheckOutcome:
        """Check that labels are there if the catalog says so, and that classes are large enough."""
        y = self.data.y
        if (y is not None) != self.entry.labels:
            have, say = ("has", "has none") if y is not None else ("has no", "has some")
            return failed(
                f"the dataset {have} labels, the catalog says it {say}",
                f"write labels: {str(y is not None).lower()} in {self.file}",
            )
        if y is None:
            return ok("it has no labels, as the catalog says")
        # Class labels are numbers, and each class has points in all folds.
        if y.dtype.kind not in "iub":
            return failed(
                f"labels are whole numbers: they have type {y.dtype}",
                "np.unique(y, return_inverse=True)[1] numbers them",
            )
        counts = np.unique(y, return_counts=True)[1]
        return judge(
            len(counts) > 1 and counts.min() >= FEWEST,
            f"labels: {len(counts)} classes of {counts.min()} to {counts.max()} points",
            f"metrics of classes need 2 classes of {FEWEST} points",
            "join small classes, or sample more points",
            NOTE,
        )

    def points_differ(self) -> CheckOutcome:
        """Check that points and features are not constant or repeated."""
        X = self.data.X
        # Copies of points, then features without information
        copies = len(X) - len(np.unique(X, axis=0))
        if copies:
            return note(
                f"{copies} of {len(X)} points are copies",
                "the neighbors of equal points are arbitrary; drop the copies if you can",
            )
        constant = int((np.ptp(X, axis=0) == 0).sum())
        return judge(
            constant < X.shape[1] / 2,
            "points differ, and features vary",
            f"{constant} of {X.shape[1]} features are constant",
            "drop these features",
            NOTE,
        )

    def seeds(self) -> CheckOutcome:
        """Check that rng decides, and nothing else."""
        state = np.random.get_state(legacy=False)["state"]["key"].copy()  # noqa: NPY002 - what other code may use
        # Two calls with equal generators
        first, second = self.make(), self.make()
        same = np.array_equal(first.X, second.X)
        if not self.seeded:
            return judge(
                same,
                "without a parameter rng, each call returns the same data",
                "two calls differ",
                "give the function a parameter rng, and draw all "
                "random numbers from it; otherwise they must not change",
            )
        advice = "draw all random numbers from rng: rng.normal(…), not np.random.normal(…)"
        if not same:
            return failed("the same rng gives the same data: two calls differ", advice)
        if not np.array_equal(state, np.random.get_state(legacy=False)["state"]["key"]):  # noqa: NPY002
            return note("it draws from numpy's global generator", advice)
        # Another generator
        other = self.make(seed=1)
        return judge(
            not np.array_equal(first.X, other.X),
            "the same rng gives the same data, another rng gives other data",
            "another rng gives the same data",
            "drop the parameter rng: then all trials share the data",
            NOTE,
        )

    def order(self) -> CheckOutcome:
        """Check that rows are not sorted by their label or latent."""
        # What rows could be sorted by
        keys = {}
        if self.data.y is not None:
            keys["label"] = self.data.y
        if self.data.Z is not None:
            keys["latent"] = self.data.Z[:, 0]
        for title, key in keys.items():
            if (np.diff(key) >= 0).all() or (np.diff(key) <= 0).all():
                return note(
                    f"rows are sorted by their {title}",
                    "methods that use the order would gain from it: shuffle the rows, or set "
                    "shuffle_rows: true in studies",
                )
        return ok("rows are not sorted by label or latent")

    def latent(self) -> CheckOutcome:
        """Check that near points are near in the latent space, more often than by chance."""
        data = self.data
        if data.Z is None:
            return ok("no latent is known, so metrics of recovery are left out")
        name = "trustworthiness_k5"
        score = evaluate(data.reference, data.Z, metrics=name)[name]
        return judge(
            score > 0.55,
            f"points near in the latent space are near in the data (T = {score:.2f})",
            "by chance it is 0.5",
            "check that Z and X have their rows in the same order",
            NOTE,
        )

    def limits(self) -> CheckOutcome:
        """Check sizes, time and memory with the catalog's parameters."""
        begin = time.perf_counter()
        data = self.make(self.entry.params)
        took = time.perf_counter() - begin
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        text = f"full size, {data.n_samples} points, takes {took:.2g} s and {peak:.0f} MB"
        if wrong := "; ".join(self._differences(data, self.entry.params)):
            return failed(
                f"full size is that of the catalog: {wrong}", f"correct the entry in {self.file}"
            )
        return judge(
            took <= self.entry.seconds and peak <= self.entry.memory_mb,
            text,
            f"the limits are {self.entry.seconds:g} s, {self.entry.memory_mb} MB",
            f"raise seconds or memory_mb in {self.file}",
        )
