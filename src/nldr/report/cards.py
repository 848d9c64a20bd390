"""Pages about methods, datasets and metrics: lists, and one card for each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from nldr.report.failures import group_failures
from nldr.report.guide import ranks_of
from nldr.report.swatch import draw_swatch
from nldr.report.templating import href, route
from nldr.report.thumbnails import draw_thumbnail

if TYPE_CHECKING:
    from jinja2 import Environment

    from nldr.report.clouds import Cloud
    from nldr.report.content import Card, Report

SURE = ("Best ", "First ", "Worst ", "Last ", "Failed ")  # beginnings of sentences
MOST_EXPLORED = 8  # links to the explorer
MOST_PRESET = 3  # parameters in a list
MOST_SIBLINGS = 16  # other cards of a family that a card links to


@dataclass(frozen=True)
class CardKind:
    """Words about a kind of card."""

    about: str  # description of the list
    best: str = ""  # heading of the best results
    worst: str = ""  # heading of the worst results
    siblings: str = "Others"  # heading of other cards of the family


KINDS = {
    "method": CardKind(
        "All methods of the catalog by family. Each card shows source, complexity and parameters, "
        "where the method wins and loses, and how it fails.",
        "Where it wins",
        "Where it loses",
        "Same family",
    ),
    "dataset": CardKind(
        "All datasets of the catalog. Each card shows source, sizes, and the methods that do best "
        "and worst on it.",
        "Methods that do best",
        "Methods that do worst",
    ),
    "metric": CardKind(
        "The metrics that studies use. Each card shows definition, source, range and direction."
    ),
}


def pages(report: Report, environment: Environment) -> Iterator[tuple[str, str]]:
    """Yield route and content of the lists of methods, datasets and metrics, and of all cards."""
    studies = {study.name: study.title for study in report.studies}
    environment.filters |= {"lead": lead, "preset": preset}
    list_page = environment.get_template("cards.html")
    card_page = environment.get_template("card.html")
    for name, kind in KINDS.items():
        cards = [card for card in report.cards if card.kind == name]
        families: dict[str, list[Card]] = {}
        for card in cards:
            families.setdefault(card.family, []).append(card)
        looks = {card.name: draw_swatch(card.look) if card.look else "" for card in cards}
        maps = {card.name: draw_thumbnail(card.thumbnail) for card in cards if card.thumbnail}
        n_failed = {card.name: sum(len(f.trials) for f in card.failures) for card in cards}
        n_used = sum(bool(card.studies) for card in cards)
        path = f"{name}s"
        common = {"kind": kind, "path": path, "title": path.capitalize(), "scale": report.scale}
        counts = {"n_failed": n_failed, "used": n_used, "unused": len(cards) - n_used}
        html = list_page.render(families=families, looks=looks, maps=maps, **common, **counts)
        yield path, html
        for card in cards:
            # Many metrics differ by their number of neighbors only.
            siblings = [other for other in families[card.family] if other is not card]
            html = card_page.render(
                card=card,
                look=looks[card.name],
                map=maps.get(card.name),
                siblings=siblings if len(siblings) <= MOST_SIBLINGS else [],
                studies={key: studies.get(key, key) for key in card.studies},
                wins=[link_studies(text, studies) for text in card.wins],
                losses=[link_studies(text, studies) for text in card.losses],
                params=[
                    (key, _value(value), key in card.params)
                    for key, value in (card.params | card.defaults).items()
                ],
                failures=group_failures(card.failures),
                n_failed=n_failed[card.name],
                explored=explored(card, report.clouds),
                kept=ranks_of(report.guide, card.name) if name == "method" else {},
                **common,
            )
            yield route(name, card.name), html


def lead(summary: str) -> str:
    """Return the first sentence of a summary.

    Examples
    --------
    >>> lead("As in Figs. 2 and 6. More.")
    'As in Figs. 2 and 6.'
    """
    return re.split(r"(?<=[\w)]\.)\s(?=[A-Z])", summary, maxsplit=1)[0]


def link_studies(text: str, studies: Mapping[str, str]) -> Markup:
    """Return a sentence in which the names between backticks are links to studies.

    Examples
    --------
    >>> link_studies("Best in `mine`", {"mine": "All"})
    Markup('<strong>Best</strong> in <a href="#/study/mine" title="All"><code>mine</code></a>')
    """
    # The first word of a significant result is bold.
    word, space, text = text.partition(" ") if text.startswith(SURE) else ("", "", text)
    html = Markup("<strong>{}</strong>{}").format(word, space) if word else Markup()
    for position, part in enumerate(re.split(r"`([^`]+)`", text)):
        if position % 2 == 0:
            html += escape(part)
        elif part in studies:
            link = Markup('<a href="{}" title="{}"><code>{}</code></a>')
            html += link.format(href("study", part), studies[part], part)
        else:
            html += Markup("<code>{}</code>").format(part)
    return html


def explored(card: Card, clouds: Iterable[Cloud]) -> dict[str, str]:
    """Return titles and links of the points of a dataset, or the embeddings of a method.

    A method is shown by its first cell on the first cell of each dataset.
    """
    links: dict[str, str] = {}
    datasets: set[str] = set()
    for cloud in clouds:
        cells = [e.method_cell for e in cloud.embeddings if e.method == card.name]
        if card.kind == "dataset" and cloud.name == card.name:
            links.setdefault(cloud.title, href("explorer", data=cloud.cell))
        elif card.kind == "method" and cells and cloud.name not in datasets:
            datasets.add(cloud.name)
            address = href("explorer", data=cloud.cell, methods=cells[0])
            links.setdefault(cloud.title, address)
    return dict(list(links.items())[:MOST_EXPLORED])


def preset(card: Card) -> str:
    """Return the parameters that the catalog sets, if there are few."""
    if card.kind != "method" or len(card.params) > MOST_PRESET:
        return ""
    return ", ".join(f"{name}: {_value(value)}" for name, value in card.params.items())


def _value(value: Any) -> str:
    """Return a value as its catalog has it.

    Examples
    --------
    >>> _value(None), _value("rbf"), _value([1, 2]), _value({"a": True})
    ('none', 'rbf', '1, 2', 'a: true')
    """
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_value(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_value(item) for item in value)
    return str(value)
