"""Gather the cards of the report: what the catalog says of an entry, and what the results say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from nldr.engine.jobs.card_specs import CardJob, EntryFacts
from nldr.engine.stages.verdicts import read_rows
from nldr.report.content import Card, Failure, Look
from nldr.report.data.contests import Setting, drop_repeated, read_settings
from nldr.report.data.docstrings import describe_source
from nldr.report.data.report_tables import text_rows
from nldr.report.data.standings import Titles, dataset_standing, method_standing

Row = Mapping[str, str]


def make_cards(
    job: CardJob, looks: Mapping[str, Look], tables: Mapping[str, str], failures: Mapping[str, str]
) -> list[Card]:
    """Return a card for each entry of the catalog.

    Parameters
    ----------
    job : CardJob
        What the catalog says of the entries, and which studies use them.
    looks : mapping of str to Look
        Looks of the methods.
    tables, failures : mapping of str to str
        Files of those studies that are built, by the names of the studies: the table with one row
        per trial, and what failed.

    Returns
    -------
    list of Card
        In the order of the entries.
    """
    competing = [entry.name for entry in job.entries if entry.competes]
    settings = drop_repeated(
        setting
        for name, file in tables.items()
        for setting in read_settings(name, job.studies[name], read_rows(Path(file)), competing)
    )
    order = {name: position for position, name in enumerate(job.studies)}
    settings.sort(key=lambda setting: order[setting.study])
    titles = Titles(
        methods={entry.name: entry.title for entry in job.entries if entry.kind == "method"},
        datasets={entry.name: entry.title for entry in job.entries if entry.kind == "dataset"},
        studies=job.studies,
    )
    failed = _read_failures(job, failures)
    return [
        _card(
            job, entry, settings, titles,
            looks[entry.name] if entry.kind == "method" else None,
            failed.get((entry.kind, entry.name), []),
        )
        for entry in job.entries
    ]  # fmt: skip


def _card(
    job: CardJob, entry: EntryFacts, settings: list[Setting], titles: Titles, look: Look | None,
    failures: list[Failure],
) -> Card:  # fmt: skip
    described = describe_source(entry.path)
    wins: list[str] = []
    losses: list[str] = []
    if entry.kind == "method" and entry.competes:
        wins, losses = method_standing(entry.name, settings, titles)
    elif entry.kind == "dataset":
        wins, losses = dataset_standing(entry.name, settings, titles)
    place = f" ({described.place})" if described.place else ""
    return Card(
        kind=entry.kind,
        name=entry.name,
        title=entry.title,
        summary=described.summary,
        source=entry.source,
        doi=entry.doi,
        code=entry.path + place,
        # What the catalog sets goes before the defaults of the class or function.
        params={**entry.params, **{k: v for k, v in described.defaults.items()
                                   if k not in entry.params}},
        facts=entry.facts,
        look=look,
        studies=[name for name, study in job.studies.items()
                 if entry.name in getattr(study, f"{entry.kind}s")],
        wins=wins,
        losses=losses,
        failures=failures,
        family=entry.family,
        preset=list(entry.params),
    )  # fmt: skip


# --- failures -----------------------------------------------------------------------------------


def _read_failures(job: CardJob, files: Mapping[str, str]) -> dict[tuple[str, str], list[Failure]]:
    """Return what failed, by kind and name of the entry; trials that failed alike are together."""
    trials: dict[tuple[str, str], dict[tuple[str, str, str, str], set[int]]] = {}
    for study, file in files.items():
        for row in text_rows(file):
            cell = "/".join(filter(None, (row["data_cell"], row["method_cell"])))
            key = (row["stage"], cell, row["status"], row["message"])
            # Cells that several studies share count once.
            for owner in _owners(job, study, row):
                found = trials.setdefault(owner, {}).setdefault(key, set())
                found.add(int(row["trial"] or 0))
    return {
        owner: [Failure(*key, trials=sorted(numbers)) for key, numbers in found.items()]
        for owner, found in trials.items()
    }


def _owners(job: CardJob, study: str, row: Row) -> Iterable[tuple[str, str]]:
    """Yield the entries that a failure belongs to."""
    dataset, method = (row[cell].partition("@")[0] for cell in ("data_cell", "method_cell"))
    yield "dataset", dataset
    if row["stage"] == "embed":
        yield "method", method
    for metric in job.studies[study].scorings.get(row["scorer"], []):
        yield "metric", metric
