"""Variance of repeated runs, divided among the draw of the data, the method's seed, the machine."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Variances:
    """Outcome of :func:`decompose`.

    Attributes
    ----------
    data, method, machine : float
        Variances between draws of the data, between seeds of the method on the same data, and
        between repetitions with the same data and seed; the last is NaN where nothing was
        repeated, and is then part of ``method``.
    n_draws, n_seeds : int
        Number of draws, and of seeds on each.
    n_repeated : int
        Number of runs that were repeated.
    """

    data: float
    method: float
    machine: float
    n_draws: int
    n_seeds: int
    n_repeated: int

    @property
    def parts(self) -> tuple[float, float, float]:
        """The three variances, 0 for an unknown one."""
        machine = 0.0 if np.isnan(self.machine) else self.machine
        return self.data, self.method, machine

    @property
    def sd(self) -> float:
        """Standard deviation of a single run on a new draw with a new seed."""
        return sqrt(sum(self.parts))

    @property
    def shares(self) -> tuple[float, float, float]:
        """Shares of data, method and machine in the variance; 0 if nothing varies."""
        total = sum(self.parts)
        data, method, machine = (part / total if total else 0.0 for part in self.parts)
        return data, method, machine


def arrange(rows: pd.DataFrame, column: str) -> NDArray:
    """Return the values of a column by draw, seed and repetition.

    Parameters
    ----------
    rows : DataFrame
        Runs of one method on one dataset, with ``data.draw``, ``trial`` (which serves as the
        seed), ``ok`` and perhaps ``data.repeat``, which is 0 where it is missing.
    column : str
        The column of the values.

    Returns
    -------
    ndarray of shape (n_draws, n_seeds, n_repeats)
        NaN where a run failed or was not made.

    Raises
    ------
    ValueError
        If two runs have the same draw, seed and repetition.

    Examples
    --------
    >>> rows = pd.DataFrame({"data.draw": [0, 0, 1, 1], "trial": [0, 1, 0, 1], "ok": True,
    ...                      "r2": [0.1, 0.2, 0.3, 0.4]})
    >>> arrange(rows, "r2")[:, :, 0].tolist()
    [[0.1, 0.2], [0.3, 0.4]]
    """
    repeat = rows["data.repeat"] if "data.repeat" in rows else pd.Series("", rows.index)
    repeat = pd.to_numeric(repeat, errors="coerce").fillna(0)
    draw = pd.to_numeric(rows["data.draw"])
    keys = pd.DataFrame({"draw": draw, "seed": rows["trial"], "repeat": repeat})
    if keys.duplicated().any():
        remedy = "give the method one setting on each dataset"
        raise ValueError(f"two runs have the same draw, trial and repeat: {remedy}")
    codes = [pd.factorize(keys[key], sort=True) for key in keys]
    values = np.full([len(levels) for _, levels in codes], np.nan)
    values[tuple(code for code, _ in codes)] = rows[column].where(rows["ok"]).to_numpy(float)
    return values


def decompose(values: ArrayLike) -> Variances:
    """Divide the variance of runs among the draw of the data, the method's seed and the machine.

    The model is one of random effects, with draws and seeds crossed: the seeds are the same for all
    draws, value = mean + draw + seed + interaction + machine. The variance of the method is that
    between seeds within a draw, seed and interaction together. Estimates are by the method of
    moments: with the mean squares of an analysis of variance of D draws and S seeds,

        data = (MS_draw − MS_interaction) / S,    method = MS_within − machine,

    and machine the variance between repetitions. A negative estimate becomes 0. Draws with a failed
    run are left out.

    Parameters
    ----------
    values : array-like of shape (n_draws, n_seeds, n_repeats)
        NaN where a run failed or was not made; the first repetition is that of draws and seeds.

    Returns
    -------
    Variances
        The three variances.

    Raises
    ------
    ValueError
        If fewer than two draws, or two seeds, have values.

    References
    ----------
    S. R. Searle, G. Casella and C. E. McCulloch, *Variance Components*, Wiley 1992, §4.2 to 4.5.

    Examples
    --------
    >>> result = decompose([[[1.0], [1.2]], [[3.0], [3.2]], [[2.0], [2.2]]])
    >>> round(result.data, 3), round(result.method, 3), result.n_draws
    (1.0, 0.02, 3)
    """
    cube = np.asarray(values, dtype=float)
    runs = cube[np.isfinite(cube[:, :, 0]).all(axis=1), :, 0]
    n_draws, n_seeds = runs.shape
    if n_draws < 2 or n_seeds < 2:
        raise ValueError(
            f"{n_draws} complete draw(s) with {n_seeds} seed(s): a variance needs two of each"
        )
    # Repetitions of a run differ by the machine only
    n_repeats = np.isfinite(cube).sum(axis=2)
    repeated = cube[n_repeats > 1]
    machine = np.nan
    if len(repeated):
        freedom = n_repeats[n_repeats > 1] - 1
        machine = float((np.nanvar(repeated, axis=1, ddof=1) * freedom).sum() / freedom.sum())
    # Mean squares of draws, of seeds within draws, and of their interaction
    by_draw, by_seed = runs.mean(axis=1), runs.mean(axis=0)
    ms_draw = n_seeds * by_draw.var(ddof=1)
    ms_within = runs.var(axis=1, ddof=1).mean()
    residuals = runs - by_draw[:, np.newaxis] - by_seed + runs.mean()
    ms_interaction = np.square(residuals).sum() / ((n_draws - 1) * (n_seeds - 1))
    return Variances(
        data=max(0.0, float(ms_draw - ms_interaction) / n_seeds),
        method=max(0.0, float(ms_within) - (0.0 if np.isnan(machine) else machine)),
        machine=machine,
        n_draws=n_draws,
        n_seeds=n_seeds,
        n_repeated=len(repeated),
    )


def variance_table(
    rows: pd.DataFrame, columns: Sequence[str], logarithms: Collection[str] = ()
) -> pd.DataFrame:
    """Return the variances of each method on each dataset.

    Parameters
    ----------
    rows : DataFrame
        One row per run, as for :func:`arrange`, with ``dataset`` and ``method``.
    columns : sequence of str
        Columns to decompose.
    logarithms : collection of str
        Those of them of which the natural logarithm is taken, so that 0.1 is a change by a tenth.

    Returns
    -------
    DataFrame
        One row per dataset, method and column, in the order of ``rows``: ``dataset``, ``method``,
        ``column``, ``mean`` (of the first repetitions; the geometric one of logarithms), ``sd`` of
        a single run, the shares ``data``, ``method_seed`` and ``machine``, and ``n_draws``,
        ``n_seeds`` and ``n_repeated``. Methods without two complete draws are left out.

    Examples
    --------
    >>> rows = pd.DataFrame({
    ...     "dataset": "roll", "method": "tsne", "data.draw": [0, 0, 1, 1], "trial": [0, 1, 0, 1],
    ...     "ok": True, "r2": [0.1, 0.2, 0.3, 0.4]})
    >>> variance_table(rows, ["r2"])[["data", "method_seed", "machine"]].round(2).values.tolist()
    [[0.8, 0.2, 0.0]]
    """
    records = []
    for (dataset, method), runs in rows.groupby(["dataset", "method"], sort=False):
        for column in columns:
            values = arrange(runs, column)
            values = np.log(values) if column in logarithms else values
            try:
                variances = decompose(values)
            except ValueError:
                continue
            mean = float(np.nanmean(values[:, :, 0]))
            mean = float(np.exp(mean)) if column in logarithms else mean
            counts = {key: getattr(variances, key) for key in ("n_draws", "n_seeds", "n_repeated")}
            shares = dict(zip(("data", "method_seed", "machine"), variances.shares, strict=True))
            names = {"dataset": dataset, "method": method, "column": column}
            records.append(names | {"mean": mean, "sd": variances.sd} | shares | counts)
    return pd.DataFrame(records)
