"""Cards of the entries of the catalog, as far as these say what they show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from nldr.engine.planning.catalog import Catalog
from nldr.engine.planning.studies import StudyPlan
from nldr.engine.reading.entries import (
    DatasetEntry,
    FamilyEntry,
    MethodEntry,
    MetricEntry,
    ScorerEntry,
)
from nldr.report.content import Card
from nldr.report.data.jobs import CardSample
from nldr.report.templating import number
from nldr.report.thumbnails import MOST

OURS, DOWNLOAD = "nldr.datasets.", "nldr.datasets.download"
MOST_VALUES = 1_000_000  # of a dataset that is made for its card
LATENT = {"latent": "the true latent", "labels": "labels"}
SIZES = {"n_samples": "Points", "n_features": "Features", "n_latent": "Latent dimensions"}


def plan_cards(catalog: Catalog, studies: Iterable[StudyPlan]) -> list[Card]:
    """Return the cards of methods and datasets, and of metrics in use, before results."""
    measured = {metric for study in studies for metric in study.metrics}
    return [
        *(_method(catalog, name, entry) for name, entry in catalog.methods.items()),
        *(_dataset(catalog, name, entry) for name, entry in catalog.datasets.items()),
        *(
            _metric(name, entry, catalog.scorers[scorer])
            for name, (scorer, entry) in catalog.metrics.items()
            if name in measured
        ),
    ]


def _card(
    kind: str,
    name: str,
    entry: MethodEntry | DatasetEntry | MetricEntry,
    family: str,
    path: str,
    params: dict[str, object],
    facts: Mapping[str, str],
) -> Card:
    """Return the card of an entry with those of its facts that say something."""
    texts = {key: text for key, text in facts.items() if text}
    source, doi = entry.source or "", entry.doi or ""
    return Card(kind, name, entry.title, family, path, source, doi, params, texts)


# --- methods ------------------------------------------------------------------------------------


def _method(catalog: Catalog, name: str, entry: MethodEntry) -> Card:
    family = catalog.families[entry.family]
    source, doi = cited(entry, family)
    signature = catalog.signatures[entry.class_]
    seeded = "random_state" in signature.parameters
    facts = {
        "Complexity": entry.complexity or family.complexity or "",
        "Randomness": _randomness(seeded, entry.params.get("random_state")),
        "New points": "embedded by transform" if signature.transforms else "no transform",
        "Missing values": "left out of the fit"
        if signature.missing
        else "not allowed: impute first",
        "Needs": LATENT[entry.needs] if entry.needs else "the points only",
        "Dimensions": "may exceed those of the data" if entry.wide else "",
        "Role": "control: only a reference" if entry.role == "control" else "",
        "Limits": _limits(entry.seconds, entry.memory_mb),
        "Threads": str(entry.threads) if entry.threads > 1 else "",
        "Recorded": ", ".join(key.rstrip("_") for key in [*entry.attributes, *entry.histories]),
    }
    competes = entry.role == "method" and entry.needs is None
    card = _card("method", name, entry, family.title, entry.class_, entry.params, facts)
    return replace(card, source=source, doi=doi, competes=competes)


def cited(entry: MethodEntry, family: FamilyEntry) -> tuple[str, str]:
    """Return source and DOI of a method; those of its family where it names no source."""
    # The DOI of one work must not stand beside the name of another.
    chosen = entry if entry.source else family
    return chosen.source or "", entry.doi or chosen.doi or ""


def _randomness(seeded: bool, fixed: int | None) -> str:
    if not seeded:
        return "none: equal input gives an equal embedding"
    if fixed is not None:
        return f"none: the seed is always {fixed}"
    return "takes a seed: each trial has its own"


def _limits(seconds: float, memory_mb: int) -> str:
    """Return limits in units that suit them.

    Examples
    --------
    >>> _limits(600, 4096), _limits(7200, 12000), _limits(30, 512)
    ('10 min and 4 GB', '2 h and 12 GB', '30 s and 0.5 GB')
    """
    unit, size = next((u, s) for u, s in (("h", 3600), ("min", 60), ("s", 1)) if seconds >= s)
    gigabytes = round(memory_mb / 1024, 1 if memory_mb < 10_240 else None)
    return f"{seconds / size:g} {unit} and {gigabytes:g} GB"


# --- datasets -----------------------------------------------------------------------------------


def _dataset(catalog: Catalog, name: str, entry: DatasetEntry) -> Card:
    random = "rng" in catalog.signatures[entry.function].parameters
    facts = {title: _size(entry, size) for size, title in SIZES.items()}
    facts["Latent dimensions"] = facts["Latent dimensions"] or "not known"
    if entry.max_samples is not None:
        facts["Points available"] = number(entry.max_samples)
    facts |= {
        "Labels": "yes" if entry.labels else "none",
        "Randomness": "each trial is a separate draw" if random else "none: the data are fixed",
        "Limits": _limits(entry.seconds, entry.memory_mb),
    }
    if entry.n_latent is not None:
        family = "Known latent"
    else:
        family = "Labels only" if entry.labels else "Points only"
    return _card("dataset", name, entry, family, entry.function, entry.params, facts)


def _size(entry: DatasetEntry, size: str) -> str:
    """Return a size with the parameters that set it."""
    value = entry.size(size, entry.params)
    if value is None:
        return ""
    named = ", ".join(entry.named(size))
    return number(value) + (f" ({named})" if named else "")


def plan_samples(catalog: Catalog) -> list[CardSample]:
    """Return the datasets that are small, with few points, and are made without a download."""
    samples = []
    for name, entry in catalog.datasets.items():
        number = str(entry.n_samples)
        params = dict(entry.params)
        if isinstance(params.get(number), int):
            params[number] = min(params[number], MOST)
        sizes = [entry.size(size, params) or MOST_VALUES for size in ("n_samples", "n_features")]
        code = catalog.closure("", entry.function)
        is_ours = entry.function.startswith(OURS) and DOWNLOAD not in code.sources
        if is_ours and math.prod(sizes) <= MOST_VALUES:
            seeded = "rng" in catalog.signatures[entry.function].parameters
            samples.append(CardSample(name, entry.function, params, seeded, code.fingerprint))
    return samples


# --- metrics ------------------------------------------------------------------------------------


def _metric(name: str, entry: MetricEntry, scorer: ScorerEntry) -> Card:
    facts = {
        "Definition": entry.formula or "",
        "Direction": f"{entry.direction} is better",
        "Range": _range(*entry.range),
        "Needs": LATENT[scorer.needs] if scorer.needs else "the observations only",
        "Limits": _limits(scorer.seconds, scorer.memory_mb),
    }
    family = f"Agreement with {LATENT.get(scorer.needs or '', 'the observations')}"
    return _card("metric", name, entry, family, scorer.function, scorer.params, facts)


def _range(low: float | None, high: float | None) -> str:
    """Return a range in words.

    Examples
    --------
    >>> _range(-1, 1), _range(0, None)
    ('−1 to 1', 'from 0')
    """
    if low is None:
        return f"up to {number(high)}"
    return f"from {number(low)}" if high is None else f"{number(low)} to {number(high)}"
