"""Claims about which score picks the right one of several maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from nldr.claims._units import read_measure
from nldr.claims.evidence import Evidence
from nldr.claims.findings import DELTA, Effect, Finding, Setting, Statement, delta_of, need_of
from nldr.claims.words import listed, number, plural, with_interval
from nldr.statistics.location import locate
from nldr.statistics.picking import Maps


def picks(
    evidence: Evidence,
    metrics: Sequence[str],
    *,
    truth: str,
    at_most: float = 0.02,
    share: float = 0.8,
) -> Finding:
    """Decide whether a score picks a map that is nearly the best, on a share of the datasets.

    The candidates are all maps of a trial, by all methods and settings of the evidence. The regret
    is how far the truth of the map that the score rates highest falls short of the best one.

    Parameters
    ----------
    evidence : Evidence
        The cells from which the claim is decided.
    metrics : sequence of str
        The score; the mean if there are several.
    truth : str
        Metric that says which map is the best.
    at_most : float, default=0.02
        Largest regret that counts as nearly the best.
    share : float, default=0.8
        Share of the datasets on which the mean regret must be that small.

    Returns
    -------
    Finding
        One setting for each dataset with its parameters.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "roll", "data_cell": "roll", "method": ["x", "y"] * 3,
    ...     "method_cell": ["x", "y"] * 3, "trial": [0, 0, 1, 1, 2, 2], "ok": True,
    ...     "t": [0.9, 0.8] * 3, "r2": [0.5, 0.6] * 3})
    >>> from nldr.claims import Evidence, decide
    >>> facts = {"range": [0, 1], "direction": "higher"}
    >>> evidence = Evidence(
    ...     table=table, methods={"x": "X", "y": "Y"}, datasets={"roll": "Swiss roll"},
    ...     metrics={"t": {"label": "trust", **facts}, "r2": {"label": "R²", **facts}})
    >>> str(decide([picks(evidence, ["t"], truth="r2")], 0.05).verdict)
    'fails'
    """
    maps = _read_maps(evidence)
    settings = _settings(evidence, maps, maps.regrets(metrics, truth), truth, at_most, False)
    label = read_measure(evidence, truth).label
    words = Statement(
        subject=f"the map that {_score_words(evidence, metrics)} picks",
        verb=f"is within {number(at_most)} of the best map in {label}",
        negation=f"is more than {number(at_most)} below the best map in {label}",
    )
    return Finding(settings=settings, words=words, need=max(ceil(share * len(settings)), 1))


def mean_regret(
    evidence: Evidence,
    metrics: Sequence[str],
    *,
    truth: str,
    families: Mapping[str, Sequence[str]],
    at_most: float | None = None,
) -> Finding:
    """Decide whether the best pair of scores, chosen on other families, has a small mean regret.

    On each family of datasets, the pair counts that has the smallest mean regret on all others; it
    is the mean of the ranks that two scores give to the maps, or a single score.

    Parameters
    ----------
    metrics : sequence of str
        The scores to choose from.
    truth : str
        Metric that says which map is the best.
    families : mapping of str to sequence of str
        Families with the names of their datasets.
    at_most : float, optional
        Bound of the mean regret over datasets. Without it, the regret is compared with that of the
        best single method, which is chosen in the same way; its setting is the one with the
        highest mean of the first two scores.

    Returns
    -------
    Finding
        A single setting, with the interval of the mean over datasets.
    """
    maps = _read_maps(evidence)
    values, _ = maps.combined(metrics, truth, families)
    label = read_measure(evidence, truth).label
    if at_most is not None:
        bound, name = at_most, "the mean regret"
        words = Statement(
            subject=f"the mean regret in {label} of the pair of scores chosen on other families",
            verb=f"is at most {number(at_most)}",
            negation=f"is above {number(at_most)}",
        )
    else:
        rivals, _ = maps.best_method(list(metrics[:2]), truth, families)
        values, bound, name = values - rivals, 0.0, "the best single method"
        words = Statement(
            subject="the pair of scores chosen on other families",
            verb=f"has a smaller mean regret in {label} than the best single method",
            negation=f"does not have a smaller mean regret in {label} than the best single method",
            tie="practically equal",
        )
    means = maps.per_dataset(values)
    delta = DELTA if at_most is None else delta_of(at_most)
    comparison = _comparison(name, means, bound, False, delta, at_most is not None)
    datasets = plural(len(means), "dataset")
    comparison = replace(
        comparison,
        solved=datasets,
        test=f"t-test of {datasets}",
        words=with_interval(*comparison.ends, datasets),
    )
    return Finding(settings=(Setting("all datasets", (comparison,)),), words=words, need=1)


def picked(
    evidence: Evidence,
    metrics: Sequence[str],
    *,
    truth: str,
    at_least: float,
    quantifier: str = "most",
) -> Finding:
    """Decide whether a metric of the maps that a score picks is at least some value.

    Parameters
    ----------
    metrics : sequence of str
        The score; the mean if there are several.
    truth : str
        The metric. Trials in which the picked map has none are left out.
    at_least : float
        The value.
    quantifier : {"most", "every"}, default="most"
        The datasets of which it must hold.

    Returns
    -------
    Finding
        One setting for each dataset with its parameters.
    """
    maps = _read_maps(evidence)
    settings = _settings(evidence, maps, maps.picked(metrics, truth), truth, at_least, True)
    words = Statement(
        subject=f"the {read_measure(evidence, truth).label} of the map that "
        f"{_score_words(evidence, metrics)} picks",
        verb=f"is at least {number(at_least)}",
        negation=f"is below {number(at_least)}",
    )
    return Finding(settings=settings, words=words, need=need_of(quantifier))


def _read_maps(evidence: Evidence) -> Maps:
    directions = {name: str(facts["direction"]) for name, facts in evidence.metrics.items()}
    return Maps(evidence.table, directions)


def _settings(
    evidence: Evidence, maps: Maps, values: NDArray, truth: str, bound: float, above: bool
) -> tuple[Setting, ...]:
    """Return one setting for each dataset with its parameters, of one value per trial."""
    by_dataset = maps.by_dataset(values)
    if not by_dataset:
        raise ValueError(f"{truth} is not known on any dataset: correct select")
    titles = _titles(evidence, maps)
    return tuple(
        Setting(titles[cell], (_comparison(titles[cell], trials, bound, above, delta_of(bound)),))
        for cell, trials in by_dataset.items()
    )


def _comparison(
    name: str, values: NDArray, bound: float, above: bool, delta: float, or_equal: bool = True
) -> Effect:
    """Return the comparison of a mean with a bound."""
    return Effect(
        label=name,
        name=name,
        estimate=locate(values),
        bound=bound,
        above=above,
        delta=delta,
        solved=plural(len(values), "value"),
        values=np.asarray(values),
        or_equal=or_equal,
    )


def _score_words(evidence: Evidence, metrics: Sequence[str]) -> str:
    names = [read_measure(evidence, name).label for name in metrics]
    return names[0] if len(names) == 1 else f"the mean of {listed(names)}"


def _titles(evidence: Evidence, maps: Maps) -> dict[str, str]:
    """Return the title of each cell of data, with its parameters if a dataset has several."""
    table = maps.table.drop_duplicates("data_cell")
    counts = table["dataset"].value_counts()
    return {
        row["data_cell"]: evidence.datasets[row["dataset"]]
        + (f", {_parameters(row['data_cell'])}" if counts[row["dataset"]] > 1 else "")
        for row in table[["dataset", "data_cell"]].to_dict("records")
    }


def _parameters(data_cell: str) -> str:
    return data_cell.partition("@")[2].replace("@", ", ").replace("=", " = ")
