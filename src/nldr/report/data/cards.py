"""Complete the cards of the report by what code and results say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from nldr.engine.stages.verdicts import read_rows
from nldr.report.content import Card, Failure, Look, StudyContent
from nldr.report.data.contests import Race, drop_repeated, read_races, set_level
from nldr.report.data.docstrings import describe_source
from nldr.report.data.standings import Titles, dataset_standing, method_standing
from nldr.report.thumbnails import Thumbnail
from nldr.tables import read_csv

Row = Mapping[str, str]


def complete_cards(
    cards: Sequence[Card],
    studies: Mapping[str, StudyContent],
    looks: Mapping[str, Look],
    thumbnails: Mapping[tuple[str, str], Thumbnail],
    tables: Mapping[str, str],
    failures: Mapping[str, str],
) -> list[Card]:
    """Return the cards with what code and results say.

    ``cards`` have what the catalog says, ``studies`` are those before results, and ``thumbnails``
    the small maps by kind and name of the card. ``tables`` and ``failures`` are files of those
    studies that are built, by their names: the table with one row per trial, and what failed.
    """
    competing = [card.name for card in cards if card.competes]
    races = drop_repeated(
        race
        for name, file in tables.items()
        for race in read_races(studies[name], read_rows(Path(file)), competing)
    )
    races = set_level(races)
    order = {name: position for position, name in enumerate(studies)}
    races.sort(key=lambda race: order[race.study])
    titles = Titles(
        methods={card.name: card.title for card in cards if card.kind == "method"},
        datasets={card.name: card.title for card in cards if card.kind == "dataset"},
        studies=studies,
    )
    failed = _read_failures(studies, failures)
    return [
        replace(
            _complete(card, races, titles),
            look=looks[card.name] if card.kind == "method" else None,
            thumbnail=thumbnails.get((card.kind, card.name)),
            failures=failed.get((card.kind, card.name), []),
        )
        for card in cards
    ]


def _complete(card: Card, races: list[Race], titles: Titles) -> Card:
    """Return a card with its description, its studies and where it is the best and the worst."""
    wins: list[str] = []
    losses: list[str] = []
    if card.kind == "method" and card.competes:
        wins, losses = method_standing(card.name, races, titles)
    elif card.kind == "dataset":
        wins, losses = dataset_standing(card.name, races, titles)
    described = describe_source(card.path)
    return replace(
        card,
        summary=described.summary,
        place=described.place,
        defaults={k: v for k, v in described.defaults.items() if k not in card.params},
        studies=[
            name
            for name, study in titles.studies.items()
            if card.name in getattr(study, f"{card.kind}s")
        ],
        wins=wins,
        losses=losses,
    )


# --- failures -----------------------------------------------------------------------------------


def _read_failures(
    studies: Mapping[str, StudyContent], files: Mapping[str, str]
) -> dict[tuple[str, str], list[Failure]]:
    """Return what failed, by kind and name of the entry; trials that failed alike are together."""
    trials: dict[tuple[str, str], dict[tuple[str, str, str, str], set[int]]] = {}
    for name, file in files.items():
        for row in read_csv(file):
            cell = "/".join(filter(None, (row["data_cell"], row["method_cell"])))
            key = (row["stage"], cell, row["status"], row["message"])
            # Cells that several studies share count once.
            for owner in _owners(studies[name], row):
                numbers = trials.setdefault(owner, {}).setdefault(key, set())
                numbers.add(int(row["trial"] or 0))
    return {
        owner: [Failure(*key, trials=sorted(numbers)) for key, numbers in failures.items()]
        for owner, failures in trials.items()
    }


def _owners(study: StudyContent, row: Row) -> Iterable[tuple[str, str]]:
    """Yield the entries that a failure belongs to."""
    dataset, method = (row[cell].partition("@")[0] for cell in ("data_cell", "method_cell"))
    yield "dataset", dataset
    if row["stage"] == "embed":
        yield "method", method
    for metric in study.scorings.get(row["scorer"], []):
        yield "metric", metric
