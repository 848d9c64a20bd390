"""Checks of a method: an estimator that the catalog names."""

from __future__ import annotations

import functools
import resource
import textwrap
import time
import warnings
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.engine.code.imports import import_object
from nldr.engine.planning.catalog import Catalog
from nldr.metrics.evaluation import evaluate
from nldr.testing.findings import (
    FAILED,
    NOTE,
    Broken,
    Check,
    CheckOutcome,
    failed,
    judge,
    note,
    ok,
)
from nldr.testing.samples import growth, sample

N_ROWS = 150
SKLEARN_SECONDS = 6.0  # after which no further check of scikit-learn's begins
QUALITY = ("trustworthiness_k7", "continuity_k7", "distance_spearman")
TOLERANCE = 0.03  # of these, between two orders of the rows; more where seeds differ more


class MethodTrial:
    """The checks of a method of the catalog, tried on a dataset."""

    def __init__(self, catalog: Catalog, name: str, dataset: str = "swiss_roll") -> None:
        self.catalog, self.entry = catalog, catalog.methods[name]
        self.dataset = dataset
        self.file = catalog.files["methods", name]
        self.seeded = "random_state" in catalog.signatures[self.entry.class_].parameters

    def checks(self) -> list[Check]:
        """Return all checks, the most basic ones first."""
        return [
            Check("it embeds a small set", self.embeds),
            Check("n_components sets the number of dimensions", self.three_dimensions),
            Check("fit leaves data and parameters unchanged", self.input_unchanged),
            Check("the same seed gives the same embedding", self.deterministic),
            Check("the order of the rows does not matter", self.shuffled),
            Check("new points can be embedded", self.transforms),
            Check("attributes of the catalog exist", self.attributes),
            Check("it stays within its limits", self.limits),
            Check("difficult data are embedded or refused", self.difficult),
            Check("scikit-learn's checks hold", self.sklearn_checks),
        ]

    # --- fits ---------------------------------------------------------------------------------

    @functools.cached_property
    def data(self) -> Dataset:
        """The small set."""
        return sample(self.catalog, self.dataset, N_ROWS)

    def make(self, n_components: int = 2, seed: int = 0) -> Any:
        """Return a new estimator with the catalog's parameters."""
        params = {**self.entry.params, "n_components": n_components}
        if self.seeded:
            params.setdefault("random_state", seed)
        return import_object(self.entry.class_)(**params)

    def arguments(self, data: Dataset) -> tuple[NDArray, ...]:
        """Return a copy of the points, and the target that the method needs."""
        target = {None: None, "latent": data.Z, "labels": data.y}[self.entry.needs]
        return (data.X.copy(),) if target is None else (data.X.copy(), target)

    def fit(self, data: Dataset, estimator: Any = None) -> NDArray:
        """Return an embedding, checked as the engine checks it."""
        estimator = estimator or self.make()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            embedding = np.asarray(estimator.fit_transform(*self.arguments(data)))
        shape = (len(data.X), estimator.get_params()["n_components"])
        if embedding.shape != shape:
            raise Broken(
                f"fit_transform returned shape {embedding.shape}, not {shape}",
                "return one row per point and n_components columns",
            )
        if embedding.dtype.kind not in "fiub":
            raise Broken(
                f"fit_transform returned numbers of type {embedding.dtype}", "return real numbers"
            )
        if bad := int((~np.isfinite(embedding.astype(float))).any(axis=1).sum()):
            raise Broken(
                f"fit_transform returned NaN or infinity in {bad} of {shape[0]} rows",
                "find where they arise: np.seterr(all='raise') stops there",
            )
        return embedding.astype(float)

    @functools.cached_property
    def embedding(self) -> NDArray:
        """The embedding of the small set."""
        return self.fit(self.data)

    # --- checks -------------------------------------------------------------------------------

    def embeds(self) -> CheckOutcome:
        """Check shape, type and values of an embedding, and that the method converges."""
        text = f"it embeds {self.dataset} ({N_ROWS} points) in two dimensions"
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.make().fit_transform(*self.arguments(self.data))
        unconverged = [w for w in caught if w.category.__name__ == "ConvergenceWarning"]
        shape, spread = self.embedding.shape, self.embedding.std(axis=0)
        if unconverged:
            return note(
                f"{text}, but does not converge: {unconverged[0].message}",
                "trials will have the status not_converged",
            )
        return judge(
            bool((spread > 0).all()),
            text,
            f"one of the {shape[1]} axes is constant",
            "scale the axes, or check the eigenvalues behind them",
            NOTE,
        )

    def three_dimensions(self) -> CheckOutcome:
        """Check that the parameter n_components is obeyed."""
        self.fit(self.data, self.make(n_components=3))
        return ok("n_components sets the number of dimensions")

    def input_unchanged(self) -> CheckOutcome:
        """Check that fitting leaves the data and the parameters as they were."""
        estimator, (X, *target) = self.make(), self.arguments(self.data)
        before = {k: repr(v) for k, v in estimator.get_params().items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimator.fit_transform(X, *target)
        changed = [k for k, v in estimator.get_params().items() if before[k] != repr(v)]
        if changed:
            advice = "store what fit finds in attributes that end in an underscore"
            return failed(f"fit changes the parameter {changed[0]}", advice)
        advice = "work on a copy: X = X - X.mean(axis=0), not X -= …"
        same = np.array_equal(X, self.data.X)
        return judge(same, "fit leaves the data unchanged", "it changes X", advice)

    def deterministic(self) -> CheckOutcome:
        """Check that nothing but random_state decides."""
        state = np.random.get_state(legacy=False)["state"]["key"].copy()  # noqa: NPY002 - what other code may use
        first, second = self.fit(self.data), self.fit(self.data)
        text = (
            "the same random_state gives the same embedding"
            if self.seeded
            else "two fits give the same embedding"
        )
        advice = (
            "draw all random numbers from sklearn.utils.check_random_state(self.random_state)"
            if self.seeded
            else "give the class a parameter random_state, from which all randomness comes; "
            "without it, a method runs once per dataset"
        )
        # Rounding may differ between runs of several threads; anything more is randomness.
        difference = float(np.abs(first - second).max())
        if difference > 0:
            mark = FAILED if difference > 1e-6 * np.abs(first).max() else NOTE
            return CheckOutcome(
                mark, f"{text}: coordinates differ by up to {difference:.2g}", advice
            )
        if not np.array_equal(state, np.random.get_state(legacy=False)["state"]["key"]):  # noqa: NPY002
            return note(f"{text}, but it draws from numpy's global generator", advice)
        if self.seeded and np.array_equal(first, self.fit(self.data, self.make(seed=1))):
            return ok(f"{text}, and so does another random_state")
        return ok(text)

    def _quality(self, data: Dataset, embedding: NDArray) -> NDArray:
        return np.array([*evaluate(data.X, embedding, metrics=QUALITY).values()])

    def shuffled(self) -> CheckOutcome:
        """Check that an embedding of shuffled rows is as good as one of sorted rows."""
        # Sorted by the latent, a row's number tells its place; in random order it tells nothing.
        data = self.data
        key = data.X[:, 0] if data.Z is None else data.Z[:, 0]
        ordered = data.rows(np.argsort(key))
        mixed = data.rows(np.random.default_rng(0).permutation(data.n_samples))
        # Quality in both orders, for several seeds
        seeds = range(3 if self.seeded else 1)
        plain = np.array(
            [self._quality(ordered, self.fit(ordered, self.make(seed=s))) for s in seeds]
        )
        other = np.array([self._quality(mixed, self.fit(mixed, self.make(seed=s))) for s in seeds])
        # Changes beyond those between seeds
        change = np.abs(other.mean(axis=0) - plain.mean(axis=0))
        allowed = TOLERANCE + 2 * plain.std(axis=0)
        worst = int(np.argmax(change - allowed))
        wrong = (
            f"{QUALITY[worst]} is {plain.mean(axis=0)[worst]:.3f} with sorted rows, "
            f"{other.mean(axis=0)[worst]:.3f} with shuffled ones"
        )
        return judge(
            bool((change <= allowed).all()),
            "the order of the rows does not matter",
            wrong,
            "the method may use neither row numbers nor previous rows",
        )

    def transforms(self) -> CheckOutcome:
        """Check the embedding of new points, if there is one."""
        estimator = self.make()
        if not hasattr(estimator, "transform"):
            return ok("it has no transform: if data are split, it is fitted on all points")
        # The training rows once more, together and a few alone
        fitted = self.fit(self.data, estimator)
        again = np.asarray(estimator.transform(self.data.X.copy()))
        few = np.asarray(estimator.transform(self.data.X[:10].copy()))
        scale = max(float(fitted.std()), 1e-12)
        if again.shape != fitted.shape or not np.isfinite(again).all():
            return failed(
                f"transform returns NaN, or an array of shape {again.shape}",
                f"return an array of shape {fitted.shape} without NaN",
            )
        if np.abs(few - again[:10]).max() > 1e-3 * scale:
            return note(
                "transform gives a point other coordinates if other rows are passed with it",
                "say so in the docstring",
            )
        moved = float(np.abs(again - fitted).max()) / scale
        advice = (
            "correct transform: otherwise scores of training and test points are not comparable"
        )
        return judge(
            moved <= 0.1,
            "transform returns the embedding for the training rows",
            f"coordinates differ by up to {moved:.2g} s.d.",
            advice,
            NOTE,
        )

    def attributes(self) -> CheckOutcome:
        """Check the attributes that the entry lists."""
        names = [*self.entry.attributes, *self.entry.histories]
        estimator = self.make()
        self.fit(self.data, estimator)
        missing = [name for name in names if not hasattr(estimator, name)]
        if missing:
            return failed(
                f"fit does not set the attribute {missing[0]} of the catalog",
                f"set it in fit, or correct the entry in {self.file}",
            )
        # Numbers are columns of tables, lists are training curves.
        for name in names:
            size = np.asarray(getattr(estimator, name), dtype=float).ndim
            if size != (0 if name in self.entry.attributes else 1):
                kind = "a number" if name in self.entry.attributes else "a list of numbers"
                return failed(
                    f"the attribute {name} of the catalog is not {kind}",
                    f"correct fit, or the entry in {self.file}",
                )
        return ok(
            f"attributes of the catalog exist: {', '.join(names)}"
            if names
            else "the catalog lists no attributes"
        )

    def limits(self) -> CheckOutcome:
        """Check time and memory on the small set, and how time grows."""
        # Three sizes, of which the first one warms up
        took = []
        for n_rows in (N_ROWS // 2, N_ROWS, 2 * N_ROWS):
            data = sample(self.catalog, self.dataset, n_rows)
            # CPU time, which other processes do not change
            begin = time.process_time()
            self.fit(data)
            took.append(time.process_time() - begin)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        text = f"{2 * N_ROWS} points take {took[2]:.2g} CPU s and {peak:.0f} MB"
        text += growth(took[1], took[2], 2 * N_ROWS)
        if took[2] > self.entry.seconds or peak > self.entry.memory_mb:
            limits = f"{self.entry.seconds:g} s, {self.entry.memory_mb} MB"
            return failed(
                f"{text}: more than the limits of {limits}",
                f"raise seconds or memory_mb in {self.file}",
            )
        return ok(text)

    def difficult(self) -> CheckOutcome:
        """Check that data which may be unsuitable are embedded, or refused with a ValueError."""
        roll = self.data
        far = np.vstack([roll.X[:40], roll.X[40:80] + 100 * np.ptp(roll.X)])
        cases = {
            "4 points": roll.rows(np.arange(4)),
            "equal points": roll.rows(np.repeat(np.arange(30), 3)),
            "two groups far apart": Dataset(
                X=far,
                Z=roll.Z[:80] if roll.Z is not None else None,
                y=roll.y[:80] if roll.y is not None else None,
            ),
        }
        refused = []
        for title, data in cases.items():
            try:
                self.fit(data)
            except ValueError as error:
                refused.append(f"{title} ({str(error).splitlines()[0][:80]})")
            except Exception as error:
                what = error.args[0] if isinstance(error, Broken) else f"raises {error!r}"[:120]
                return note(
                    f"difficult data are embedded or refused: {title}: {what}",
                    "raise a ValueError that says which parameter helps",
                )
        return ok(
            "difficult data are embedded"
            + (f" or refused: {'; '.join(refused)}" if refused else "")
        )

    def sklearn_checks(self) -> CheckOutcome:
        """Run scikit-learn's checks of estimators, as many as there is time for."""
        from sklearn.base import BaseEstimator
        from sklearn.utils.estimator_checks import check_estimator

        if not isinstance(estimator := self.make(), BaseEstimator):
            return note(
                "scikit-learn's checks cannot run: it is not a BaseEstimator",
                "derive from sklearn.base.BaseEstimator",
            )
        # Slow methods are checked until the time is over.
        deadline = time.monotonic() + SKLEARN_SECONDS
        results: list[dict[str, Any]] = []

        def keep(**result: Any) -> None:
            results.append(result)
            if time.monotonic() > deadline:
                raise TimeoutError

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with suppress(TimeoutError):
                check_estimator(estimator, on_fail=None, on_skip=None, callback=keep)
        failures = [r for r in results if r["status"] == "failed"]
        text = f"{len(results) - len(failures)} of {len(results)} scikit-learn checks hold"
        if not failures:
            return ok(text)
        names = ", ".join(r["check_name"].removeprefix("check_") for r in failures[:6])
        first = textwrap.shorten(str(failures[0]["exception"]), 160, placeholder=" …")
        return note(
            f"{text}; these fail: {names}{', …' if len(failures) > 6 else ''}",
            "the benchmark does not need them, but Pipeline may; validate_data(self, X) at the "
            f"start of fit corrects most of them. The first failure: {first}",
        )
