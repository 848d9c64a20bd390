"""Expand the choices of a study to cells: grids of parameters, checked against the catalog."""

from __future__ import annotations

import itertools
import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from nldr.datasets.transforms import RANDOM, TRANSFORMS
from nldr.engine.files.layout import cell_name
from nldr.engine.planning.catalog import Catalog
from nldr.engine.reading.entries import SIZES, DatasetEntry, MethodEntry
from nldr.engine.reading.parsing import PlanError, require
from nldr.engine.reading.specs import Selection, Study
from nldr.engine.reading.values import Choice, is_components

MAX_GRID = 10_000  # settings of one method or dataset
COUNTS = ("subset", "n_train", "n_test")
# Types, largest value and description of the other transforms
VALUES: dict[str, tuple[tuple[type, ...], float, str]] = {
    "gaussian_noise": ((int, float), sys.float_info.max, "a number ≥ 0"),
    "dropout": ((int, float), 1, "a number from 0 to 1"),
    "missing": ((int, float), 1, "a number from 0 to 1"),
    "standardize": ((bool,), True, "true or false"),
    "shuffle_rows": ((bool,), True, "true or false"),
}


class DataCell(NamedTuple):
    """A dataset with its parameters."""

    cell: str
    name: str  # name in the catalog
    params: dict[str, object]  # all parameters, those of transforms included
    transforms: dict[str, object]  # parameters of transforms
    entry: DatasetEntry
    seeded: bool  # whether trials differ

    def size(self, what: str) -> int | None:
        """Return ``n_samples``, ``n_features`` or ``n_latent`` before the data exist."""
        size = self.entry.size(what, self.params)
        if what == "n_samples":
            size = cast(int, self.transforms.get("subset", size))
            if "n_test" in self.transforms:
                size = min(size, sum(cast(int, self.transforms[k]) for k in ("n_train", "n_test")))
        return size

    @property
    def split(self) -> bool:
        """True where methods are fitted on training points only."""
        return "n_train" in self.transforms

    def has(self, needs: str | None) -> bool:
        """Return whether the dataset has the latent or the labels that a method or metric needs."""
        has_latent = self.entry.n_latent is not None
        return {None: True, "labels": self.entry.labels, "latent": has_latent}[needs]

    def suits(self, method: MethodCell) -> bool:
        """Return whether a method can run: it may need labels, or a latent of enough dimensions."""
        needs = method.entry.needs
        enough = (self.size("n_latent") or 0) >= cast(int, method.params["n_components"])
        return self.has(needs) and (needs != "latent" or enough)


class MethodCell(NamedTuple):
    """An estimator with its parameters."""

    cell: str
    name: str  # name in the catalog
    params: dict[str, object]  # all parameters
    entry: MethodEntry
    seeded: bool  # whether it has a ``random_state`` that is not fixed


class Pair(NamedTuple):
    """A method cell on a dataset cell, with its number of trials, which count from 0.

    Means are over the trials from ``first`` to ``scored - 1``. Later ones, up to ``trials - 1``,
    serve only to select the setting of a tuned method.
    """

    data: str
    method: str
    trials: int
    scored: int
    first: int

    @property
    def cell(self) -> tuple[str, str]:
        """Names of both cells."""
        return self.data, self.method


def keeps(selection: Selection, data: DataCell, method: MethodCell, group: str | None) -> bool:
    """Return whether a selection keeps a cell; ``group`` is the ``best_of`` name of the method."""
    if selection.datasets is not None and data.name not in selection.datasets:
        return False
    if selection.methods is not None and not {method.name, group} & {*selection.methods}:
        return False
    params = {f"data.{k}": v for k, v in data.params.items()}
    params |= {f"method.{k}": v for k, v in method.params.items()}
    return all(
        params[key] in (value if isinstance(value, list) else [value])
        for key, value in selection.where.items()
        if key in params
    )


def data_cells(choice: Choice, catalog: Catalog, where: str) -> Iterator[DataCell]:
    """Yield the cells of a dataset that a study chooses; ``where`` names the study in mistakes."""
    require(choice.name, catalog.datasets, f"{where}: datasets: unknown dataset '{choice.name}'")
    entry, key = catalog.datasets[choice.name], f"{where}: datasets.{choice.name}"
    catalog.check_params(key, entry.function, choice.params, also=TRANSFORMS)
    arguments = catalog.signatures[entry.function].parameters
    for params in _grid({**entry.params, **choice.params}, choice.params, key):
        # Sizes are needed before the data exist.
        for name in (*itertools.chain(*map(entry.named, SIZES)), *COUNTS):
            size = params.get(name, 1)
            if not (type(size) is int and size > 0):
                raise PlanError(f"{key}.{name} = {size!r}: must be a positive whole number")
        _check_rows(entry, params, key)
        cell = cell_name(choice.name, params, entry.params)
        transforms = {k: v for k, v in params.items() if k in TRANSFORMS and k not in arguments}
        _check_values(transforms, key)
        # All points that there are leave nothing to choose at random.
        chooses = "rng" in arguments and entry.size("n_samples", params) != entry.max_samples
        seeded = chooses or any(transforms.get(k, False) is not False for k in RANDOM)
        yield DataCell(cell, choice.name, params, transforms, entry, seeded)


def method_cells(
    choice: Choice, study: Study, data: DataCell, catalog: Catalog, where: str
) -> Iterator[MethodCell]:
    """Yield the cells of a method that a study chooses for one dataset."""
    entry = catalog.methods[choice.name]
    signature = catalog.signatures[entry.class_]
    key = f"{where}: methods.{choice.name}"
    # Parameters: catalog defaults, then the study's, then those for this dataset.
    here = study.per_dataset.get(data.name, {}).get(choice.name, {})
    if here is False:
        return
    chosen = {"n_components": study.n_components, **choice.params, **here}
    catalog.check_params(key, entry.class_, chosen)
    for params in _grid({**entry.params, **chosen}, chosen, key):
        params |= {k: _of_data(v, data, f"{key}.{k}") for k, v in params.items()}
        # The number of components may follow the latent.
        if params["n_components"] == "latent":
            params["n_components"] = data.size("n_latent")
            if params["n_components"] is None:
                problem = f"dataset '{data.name}' has no known latent: give a number"
                raise PlanError(f"{where}: n_components = latent: {problem}")
        number = cast(int, params["n_components"])
        if not is_components(number):
            raise PlanError(f"{key}.n_components = {number!r}: write a whole number ≥ 1 or latent")
        sizes = ("n_samples",) if entry.wide else ("n_samples", "n_features")
        most = min(data.size(size) or 1 for size in sizes)
        if number > most:
            problem = f"{data.cell} allows 1 to {most}: lower it or drop the dataset"
            raise PlanError(f"{key}.n_components = {number}: {problem}")
        _check_neighbors(params, data, signature.transforms, key)
        cell = cell_name(choice.name, params, entry.params)
        seeded = "random_state" in signature.parameters and params.get("random_state") is None
        yield MethodCell(cell, choice.name, params, entry, seeded)


def _check_neighbors(params: dict[str, object], data: DataCell, transforms: bool, key: str) -> None:
    """Raise if each point is to have more neighbors than there are other points to fit on."""
    number, size = params.get("n_neighbors"), data.size("n_samples") or 0
    if data.split and transforms:
        size = cast(int, data.transforms["n_train"])
    if type(number) is int and number >= size:
        problem = f"{data.cell} has {size} points to fit on, each with {size - 1} others: lower it"
        raise PlanError(f"{key}.n_neighbors = {number}: {problem}")


def _of_data(value: object, data: DataCell, key: str) -> object:
    """Return a value; ``data.<parameter>`` is replaced by the dataset's parameter."""
    if not isinstance(value, str) or not value.startswith("data."):
        return value
    name = value.removeprefix("data.")
    problem = f"{key} = {value}: dataset '{data.name}' has no parameter '{name}'"
    require(name, data.params, problem)
    return data.params[name]


def _check_rows(entry: DatasetEntry, params: dict[str, object], key: str) -> None:
    """Raise if there are too few points, for the dataset itself, a subset or a split of it."""
    size = cast(int, entry.size("n_samples", params))  # every dataset has points
    megabytes = size * cast(int, entry.size("n_features", params)) * 8 // 2**20
    if megabytes > entry.memory_mb:
        limit = f"the limit of {entry.memory_mb} MB in the catalog: lower their number"
        raise PlanError(f"{key}: {size} points take {megabytes} MB, more than {limit}")
    if entry.max_samples is not None and size > entry.max_samples:
        named = ", ".join(entry.named("n_samples"))
        problem = f"asks for {size} points, but there are only {entry.max_samples}: lower it"
        raise PlanError(f"{key}.{named}: {problem}")
    subset = cast(int, params.get("subset", size))
    if subset > size:
        raise PlanError(f"{key}.subset = {subset}: there are only {size} points: lower it")
    if "n_test" in params and "n_train" not in params:
        raise PlanError(f"{key}.n_test: set n_train too, the number of points to fit on")
    n_train = cast(int, params.get("n_train", 0))
    if n_train >= subset:
        problem = f"leaves no point of {subset} to test on"
        raise PlanError(f"{key}.n_train = {n_train}: {problem}: lower it")


def _check_values(params: dict[str, object], key: str) -> None:
    """Raise if a transform has a value that it does not take."""
    for name, (types, most, description) in VALUES.items():
        value = params.get(name, most)
        if type(value) not in types or not 0 <= cast(float, value) <= most:
            raise PlanError(f"{key}.{name} = {value!r}: must be {description}")


def _grid(
    params: dict[str, object], chosen: Mapping[str, object], where: str
) -> Iterator[dict[str, object]]:
    """Yield one dict of parameters per point of the grid that the lists in ``chosen`` span."""
    axes = {key: value for key, value in chosen.items() if isinstance(value, list)}
    for key, values in axes.items():
        if not values:
            raise PlanError(f"{where}.{key} = []: an empty grid: give at least one value")
        # Cells are named by the text of a value, so 0 and 0.0 would be two.
        numbers = [value for value in values if type(value) in (int, float)]
        for number, times in Counter(numbers).items():
            if times > 1:
                same = " and ".join(str(value) for value in numbers if value == number)
                raise PlanError(f"{where}.{key}: {same} are the same number: give it once")
    if (points := math.prod(map(len, axes.values()))) > MAX_GRID:
        raise PlanError(f"{where}: {points} settings, more than {MAX_GRID}: ask for fewer")
    for point in itertools.product(*axes.values()):
        yield {**params, **dict(zip(axes, point, strict=True))}
