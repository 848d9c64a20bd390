"""Sentences for readers: where a method wins and loses, and who does on a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from nldr.report.content import StudyContent
from nldr.report.data.contests import SMALLEST, Place, Race
from nldr.statistics.location import SMALLEST_T
from nldr.statistics.outcomes import Outcome

LISTED = 3  # settings that a sentence lists
SENTENCES = 8  # of a card
NEXT = 2  # methods after the best one that are named


@dataclass(frozen=True)
class Titles:
    """Titles of methods and datasets by name, and the studies."""

    methods: Mapping[str, str]
    datasets: Mapping[str, str]
    studies: Mapping[str, StudyContent]

    def setting(self, race: Race) -> str:
        """Return dataset and parameters of a race as a setting."""
        title = self.datasets[race.dataset]
        return f"{title}, {race.label}" if race.label else title

    def method(self, name: str) -> str:
        """Return the title of a method as it stands in a sentence, without a comma."""
        title, _, variant = self.methods[name].partition(", ")
        return f"{title} [{variant}]" if variant else title

    def scored(self, race: Race, method: str) -> str:
        """Return the title of a method with its mean in a race."""
        return f"{self.method(method)} {self.value(race, method)}"

    def value(self, race: Race, method: str) -> str:
        """Return the mean of a method in a race."""
        return format_score(race.ranking[method].mean)

    def place(self, study: str) -> str:
        """Return a study with the metric by which it compares."""
        metric = next(iter(self.studies[study].metrics.values()))
        return f"in `{study}` ({metric['title']})"


def format_score(value: float) -> str:
    """Return a score with three decimals, or three digits from 1 on.

    Examples
    --------
    >>> [format_score(value) for value in (0.98765, -0.02, 1.0, 12.345)]
    ['.988', '−.020', '1', '12.3']
    """
    text = f"{value:.3f}" if abs(value) < 1 else f"{value:.3g}"
    return text.replace("0.", ".", 1).replace("-", "−") if abs(value) < 1 else text


# --- a method -----------------------------------------------------------------------------------


def method_standing(
    method: str, races: Sequence[Race], titles: Titles
) -> tuple[list[str], list[str]]:
    """Return sentences on where a method is the best, and where the worst or without a result.

    What is certain comes first.
    """
    wins: list[tuple[bool, int, str]] = []
    losses: list[tuple[bool, int, str]] = []
    races_of_method = [s for s in races if method in s.methods]
    for here in _by_study(races_of_method):
        ranked = [s for s in here if method in s.ranking and len(s.ranking) >= SMALLEST]
        ends: tuple[tuple[str, str, list, Callable[[Race], Place | None]], ...] = (
            ("Best", "First", wins, lambda s: s.first),
            ("Worst", "Last", losses, lambda s: s.last),
        )
        for sure, unsure, sentences, end in ends:
            placed = [(s, at) for s in ranked if (at := end(s)) and method in at.methods]
            for outcome in (Outcome.BETTER, Outcome.TIE, Outcome.UNCLEAR):
                chosen = [(s, at) for s, at in placed if s.outcome(at) is outcome]
                is_sure = outcome is Outcome.BETTER
                if chosen:
                    text = _sentence(sure if is_sure else unsure, method, chosen, ranked, titles)
                    sentences.append((not is_sure, -len(chosen), text))
        failed = [s for s in here if method in s.failed]
        if failed:
            text = _failed(method, failed, len(here), titles)
            losses.append((False, -len(failed), text))
    return _shortened(wins), _shortened(losses)


def _by_study(races: Iterable[Race]) -> list[list[Race]]:
    """Return the races study by study."""
    studies: dict[str, list[Race]] = {}
    for race in races:
        studies.setdefault(race.study, []).append(race)
    return list(studies.values())


def _sentence(
    word: str,
    method: str,
    placed: Sequence[tuple[Race, Place]],
    ranked: Sequence[Race],
    titles: Titles,
) -> str:
    study = placed[0][0].study
    numbers = sorted({len(race.ranking) for race, _ in placed})
    field = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    text = f"{word} of {field} methods"
    if len(ranked) > 1:
        noun = "datasets" if len({s.dataset for s in ranked}) == len(ranked) else "settings"
        text += f" on {len(placed)} of {len(ranked)} {noun}"
    text += f" {titles.place(study)}"
    if doubt := _doubt(placed):
        text += f", but {doubt}"
    items = []
    for race, at in placed[:LISTED]:
        shared = [titles.method(other) for other in at.methods if other != method]
        beside = f"next: {titles.scored(race, at.next)}"
        if shared:
            beside = f"shared with {listed(shared)}, {beside}"
        items.append(f"{titles.value(race, method)} on {titles.setting(race)} ({beside})")
    more = len(placed) - LISTED
    return f"{text}: {'; '.join(items)}" + (f"; and {more} more." if more > 0 else ".")


def _doubt(placed: Sequence[tuple[Race, Place]]) -> str:
    """Return why places of one outcome are not certain; nothing if they are."""
    race, at = placed[0]
    if race.outcome(at) is Outcome.BETTER:
        return ""
    if race.outcome(at) is Outcome.TIE:
        return "practically equal to the next"
    trials = {race.trials for race, _ in placed}
    if all(0 < n < SMALLEST_T for n in trials):
        return f"{'one trial is' if trials == {1} else 'so few trials are'} not enough to tell"
    return "not significantly"


def _failed(method: str, failed: Sequence[Race], n_settings: int, titles: Titles) -> str:
    items = [f"{titles.setting(s)} ({s.failed[method]})" for s in failed[:LISTED]]
    more = len(failed) - LISTED
    many = f" on {len(failed)} of {n_settings} settings" if n_settings > 1 else ""
    return f"Failed{many} {titles.place(failed[0].study)}: {'; '.join(items)}" + (
        f"; and {more} more." if more > 0 else "."
    )


def _shortened(sentences: list[tuple[bool, int, str]]) -> list[str]:
    """Return the sentences, what is certain and frequent first, and how many are left out."""
    texts = [text for _, _, text in sorted(sentences, key=lambda item: item[:2])]
    more = len(texts) - SENTENCES
    return texts if more <= 1 else [*texts[:SENTENCES], f"And {more} more such results."]


def listed(items: Sequence[str]) -> str:
    """Return items as they stand in a sentence, the last one after "and"."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


# --- a dataset ----------------------------------------------------------------------------------


def dataset_standing(
    dataset: str, races: Sequence[Race], titles: Titles
) -> tuple[list[str], list[str]]:
    """Return sentences on the methods that do best on a dataset, and worst.

    There is one sentence per setting, those with the most methods first.
    """
    best: list[tuple[bool, int, str]] = []
    worst: list[tuple[bool, int, str]] = []
    for race in races:
        if race.dataset != dataset or len(race.ranking) < SMALLEST:
            continue
        order = [*race.ranking]
        for sentences, at, names in (
            (best, race.first, order),
            (worst, race.last, order[::-1]),
        ):
            if at is not None:
                text = _order(race, at, names, titles)
                sentences.append((False, -len(order), text))
    return _shortened(best), _shortened(worst)


def _order(race: Race, at: Place, names: Sequence[str], titles: Titles) -> str:
    """Return the first methods of an order with their values."""
    n_first = len(at.methods)
    top = [titles.scored(race, method) for method in names[:n_first]]
    rest = [titles.scored(race, method) for method in names[n_first : n_first + NEXT]]
    where = titles.place(race.study).removeprefix("in ")
    where += f", {race.label}" if race.label else ""
    doubt = f" ({doubt})" if (doubt := _doubt([(race, at)])) else ""
    return f"{where}, of {len(names)}: {listed(top)}, then {listed(rest)}{doubt}."
