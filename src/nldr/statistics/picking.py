"""Picks among maps: how far the one that a score rates highest falls short of the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pandas import DataFrame, MultiIndex

Score = str | Sequence[str]  # a metric, or several of which the mean counts
T = TypeVar("T")


@dataclass(frozen=True)
class Maps:
    """Maps of several datasets by several methods and settings, with their metrics.

    Attributes
    ----------
    table : DataFrame
        One row per map: ``dataset``, ``data_cell``, ``trial``, ``method``, ``method_cell``, ``ok``
        and metrics.
    directions : mapping of str to str
        Metric to ``"higher"`` or ``"lower"``, whichever is better.

    Examples
    --------
    Two maps of one dataset; the one with the higher score is the worse one:

    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "a", "data_cell": "a", "trial": 0, "method": ["x", "y"],
    ...     "method_cell": ["x", "y"], "ok": True, "score": [0.9, 0.8], "truth": [0.5, 0.6]})
    >>> maps = Maps(table, {"score": "higher", "truth": "higher"})
    >>> maps.regrets("score", "truth").round(3).tolist()
    [0.1]
    """

    table: DataFrame
    directions: Mapping[str, str]

    @cached_property
    def _ok(self) -> DataFrame:
        return self.table[self.table["ok"].astype(bool)]

    @cached_property
    def units(self) -> MultiIndex:
        """Dataset, its cell and trial of each unit, in which one map is picked."""
        return self._wide("ok").index

    @cached_property
    def methods(self) -> NDArray:
        """Method of each map, in the order of columns."""
        names = self._ok.drop_duplicates("method_cell").set_index("method_cell")["method"]
        return names[self._wide("ok").columns].to_numpy()

    @cached_property
    def _tables(self) -> dict[str, DataFrame]:
        return {}

    def _wide(self, column: str) -> DataFrame:
        """Return one row per unit and one column per map."""
        if column not in self._tables:
            keys = ["dataset", "data_cell", "trial"]
            wide = self._ok.pivot(index=keys, columns="method_cell", values=column)
            self._tables[column] = wide
        return self._tables[column]

    def values(self, score: Score) -> NDArray:
        """Return a metric of each unit and map, or the mean of several; higher is better.

        Infinite and missing values are NaN: such a map is never picked.
        """
        names = [score] if isinstance(score, str) else score
        signs = [1.0 if self.directions[name] == "higher" else -1.0 for name in names]
        arrays = [
            sign * self._wide(name).to_numpy(float) for sign, name in zip(signs, names, strict=True)
        ]
        mean = np.mean(arrays, axis=0)
        return np.where(np.isfinite(mean), mean, np.nan)

    def ranks(self, score: Score) -> NDArray:
        """Return the rank of each map among those of its unit, from 0 to 1; higher is better."""
        import pandas as pd

        return pd.DataFrame(self.values(score)).rank(axis=1, pct=True).to_numpy()

    def regrets(self, score: Score, truth: str) -> NDArray:
        """Return for each unit how far the map that a score picks falls short of the best."""
        return self.regrets_of(self.values(score), truth)

    def regrets_of(self, scores: NDArray, truth: str) -> NDArray:
        """Return the regret of each unit for scores of its maps; NaN if there is none.

        Of maps with the same score, the mean counts. A map without a truth is no candidate.
        """
        truths = self.values(truth)
        scores = np.where(np.isnan(truths), np.nan, scores)
        return _largest(truths) - _mean_where(truths, _is_largest(scores))

    def picked(self, score: Score, metric: str) -> NDArray:
        """Return a metric of the map that a score picks in each unit."""
        sign = 1.0 if self.directions[metric] == "higher" else -1.0
        return sign * _mean_where(self.values(metric), _is_largest(self.values(score)))

    def regrets_of_method(self, method: str, score: Score, truth: str) -> NDArray:
        """Return the regrets of always taking one method, whose setting a score picks."""
        scores = np.where(self.methods == method, self.values(score), np.nan)
        return self.regrets_of(scores, truth)

    def mean_regrets(self, truth: str) -> NDArray:
        """Return the regret that a map picked at random has on average, in each unit."""
        truths = self.values(truth)
        return _largest(truths) - _mean_where(truths, np.isfinite(truths))

    def families(self, families: Mapping[str, Sequence[str]]) -> NDArray:
        """Return the family of each unit, by the name of its dataset.

        Raises
        ------
        ValueError
            If a dataset has no family.
        """
        family = {name: title for title, names in families.items() for name in names}
        datasets = self.units.get_level_values("dataset")
        for name in datasets:
            if name not in family:
                raise ValueError(f"dataset '{name}' has no family: add it to families")
        return np.array([family[name] for name in datasets])

    def combined(
        self, scores: Sequence[Score], truth: str, families: Mapping[str, Sequence[str]]
    ) -> tuple[NDArray, dict[str, tuple[Score, ...]]]:
        """Return the regrets of the best pair of scores, chosen without the family of a unit.

        A pair is the mean of the ranks that both give to the maps of a unit; a single score may
        be chosen as well.

        Returns
        -------
        ndarray of shape (n_units,)
            Regrets.
        dict of str to tuple
            The scores that were chosen without each family.
        """
        names = [score if isinstance(score, str) else tuple(score) for score in scores]
        arrays = {name: self.ranks(name) for name in names}
        choices = [(name,) for name in names] + [*combinations(names, 2)]
        regrets = [
            self.regrets_of(np.add.reduce([arrays[n] for n in choice]), truth) for choice in choices
        ]
        return self._without_family(regrets, choices, families)

    def best_method(
        self, score: Score, truth: str, families: Mapping[str, Sequence[str]]
    ) -> tuple[NDArray, dict[str, str]]:
        """Return the regrets of always the best method, chosen without the family of a unit."""
        names = [*dict.fromkeys(self.methods)]
        regrets = [self.regrets_of_method(name, score, truth) for name in names]
        # A method that failed on a unit has the regret of a random map there
        random = self.mean_regrets(truth)
        regrets = [np.where(np.isnan(values), random, values) for values in regrets]
        return self._without_family(regrets, names, families)

    def _without_family(
        self,
        regrets: Sequence[NDArray],
        choices: Sequence[T],
        families: Mapping[str, Sequence[str]],
    ) -> tuple[NDArray, dict[str, T]]:
        """Return the regrets, in each family, of the choice that is best in all others."""
        result, chosen = np.full(len(self.units), np.nan), {}
        family = self.families(families)
        # Mean over the trials of each dataset, shape (n_choices, n_datasets)
        cells = self.units.get_level_values("data_cell").to_numpy()
        _, first, member = np.unique(cells, return_index=True, return_inverse=True)
        of_cell = member[:, None] == np.arange(len(first))
        is_finite = np.isfinite(regrets)
        counts = is_finite.astype(float) @ of_cell
        totals = np.where(is_finite, regrets, 0.0) @ of_cell
        means = np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)
        for name in dict.fromkeys(family):
            others = family[first] != name
            # With a single family, it chooses for itself
            choosing = others if others.any() else ~others
            best = int(np.argmin(np.nanmean(means[:, choosing], axis=1)))
            result[family == name] = regrets[best][family == name]
            chosen[name] = choices[best]
        return result, chosen

    def per_dataset(self, values: NDArray) -> NDArray:
        """Return the mean over the trials of each dataset that has any."""
        return np.array([trials.mean() for trials in self.by_dataset(values).values()])

    def by_dataset(self, values: NDArray) -> dict[str, NDArray]:
        """Return the known values of each dataset, by the name of its cell."""
        cells = self.units.get_level_values("data_cell")
        groups = {cell: values[cells == cell] for cell in dict.fromkeys(cells)}
        finite = {cell: trials[np.isfinite(trials)] for cell, trials in groups.items()}
        return {cell: trials for cell, trials in finite.items() if len(trials)}


def _largest(values: NDArray) -> NDArray:
    """Return the largest value of each row; NaN if it has none."""
    filled = np.where(np.isnan(values), -np.inf, values).max(axis=1)
    return np.where(np.isfinite(filled), filled, np.nan)


def _is_largest(values: NDArray) -> NDArray:
    """Return which values of each row are the largest."""
    return values == _largest(values)[:, None]


def _mean_where(values: NDArray, chosen: NDArray) -> NDArray:
    """Return the mean of the chosen values of each row that are known; NaN if there is none."""
    counted = chosen & np.isfinite(values)
    totals, counts = np.where(counted, values, 0.0).sum(axis=1), counted.sum(axis=1)
    return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)
