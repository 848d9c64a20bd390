"""Counts of all published numbers by outcome, each decided by one study and cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nldr.claims.equivalence import Agreement
from nldr.claims.jobs import NumberCause, NumberCells, PrintedNumbers
from nldr.claims.published.join import normal_form
from nldr.claims.published.verdicts import CANNOT_TELL, DIFFERS, NOT_RUN
from nldr.tables import columns, read_csv

REPRODUCED, EXPLAINED = Agreement.REPRODUCED.value, "explained"
# Of each number exactly one
OUTCOMES = (REPRODUCED, *DIFFERS, EXPLAINED, CANNOT_TELL, Agreement.UNDECIDED.value, NOT_RUN)
EXPLAINS = 0.9  # share of the numbers that differ which a variant must reproduce to explain them
Row = dict[str, str]
Number = str  # row and column of its file


class Explanation(NamedTuple):
    """A cause, and how many numbers its variant reproduces."""

    # Name of the cause and what it says
    name: str
    hypothesis: str
    differ: int  # numbers of its cluster that differ
    run: int  # those of them that the variant was run for
    reproduced: int  # those of them that the variant reproduces
    impossible: str | None  # why no run can have these numbers

    @property
    def explains(self) -> bool:
        """Tell whether the numbers of the cluster that differ are explained."""
        return self.impossible is not None or (self.reproduced >= EXPLAINS * self.differ > 0)


class Tally(NamedTuple):
    """Outcomes of the numbers of one published file."""

    file: str
    # Number of published numbers with each of :data:`OUTCOMES`. Numbers that better, worse or no
    # result differ and are not explained
    counts: dict[str, int]
    explanations: list[Explanation]  # causes of numbers that differ

    @property
    def total(self) -> int:
        """All numbers of the file."""
        return sum(self.counts.values())


def count_numbers(printed: Iterable[PrintedNumbers], verdicts: Mapping[str, Path]) -> list[Tally]:
    """Return the outcomes of all published numbers, file by file.

    ``verdicts`` has the table of verdicts of each study; those that are missing decide nothing.
    Raises ValueError if two cells of one study decide the same number.
    """
    return [_count_file(numbers, verdicts) for numbers in printed]


def _count_file(printed: PrintedNumbers, verdicts: Mapping[str, Path]) -> Tally:
    """Return the outcomes of the numbers of one file."""
    lines = read_numbers(printed)
    outcomes = dict.fromkeys(lines, NOT_RUN)
    # The first study that was run for a number decides it.
    for decider in reversed(printed.deciders):
        outcomes |= read_verdicts(decider, verdicts.get(decider.study))
    # Numbers that differ, and those of them with a cause that was tested
    differing = {number: lines[number] for number in lines if outcomes[number] in DIFFERS}
    explanations, explained = [], set[Number]()
    for cause in printed.causes:
        variant = {}
        if cause.variant is not None:
            variant = read_verdicts(cause.variant, verdicts.get(cause.variant.study))
        for name, cluster in _clusters(cause, differing, printed.columns).items():
            tested = [variant[number] for number in cluster if number in variant]
            explanation = Explanation(
                name,
                cause.hypothesis,
                len(cluster),
                len(tested),
                tested.count(REPRODUCED),
                cause.impossible,
            )
            explanations.append(explanation)
            if explanation.explains:
                explained |= {*cluster}
    counts = Counter(outcomes.values())
    for number in explained:
        counts[outcomes[number]] -= 1
        counts[EXPLAINED] += 1
    return Tally(printed.name, {name: counts[name] for name in OUTCOMES}, explanations)


def read_numbers(printed: PrintedNumbers) -> dict[Number, Row]:
    """Return the line of each published number of a file."""
    return {
        f"{row} {column}": line
        for row, line in enumerate(read_csv(printed.path), start=1)
        for column in printed.columns
        if line[column]
    }


def read_verdicts(decider: NumberCells, path: Path | None) -> dict[Number, str]:
    """Return the verdicts of some cells of a study on the numbers that they were run for."""
    if path is None or not path.is_file():
        return {}
    cells = {*decider.cells}
    verdicts: dict[Number, str] = {}
    cell_of: dict[Number, str] = {}
    for row in read_csv(path):
        number = row["number"]
        if row["verdict"] == NOT_RUN or row["cell"] not in cells:
            continue
        if number in verdicts:
            raise ValueError(
                f"{path}: {row['setting']}, {row['metric']}: {cell_of[number]} and {row['cell']} "
                f"decide the same number: select one of them in deciders.yaml or causes.yaml"
            )
        verdicts[number], cell_of[number] = row["verdict"], row["cell"]
    return verdicts


def _clusters(
    cause: NumberCause, differing: Mapping[Number, Row], columns: Mapping[str, str]
) -> dict[str, list[Number]]:
    """Return the numbers of a cause that differ by cluster: all, or those with each value."""
    clusters: dict[str, list[Number]] = {} if cause.each else {cause.name: []}
    for number, line in differing.items():
        if _belongs(number, line, cause, columns):
            name = f"{cause.name}, {line[cause.each]}" if cause.each else cause.name
            clusters.setdefault(name, []).append(number)
    return clusters


def _belongs(number: Number, line: Row, cause: NumberCause, columns: Mapping[str, str]) -> bool:
    """Return whether a number belongs to the cluster of a cause."""
    facts = {**line, "metric": columns[number.partition(" ")[2]]}
    if cause.each is not None and cause.each not in line:
        raise ValueError(f"causes.yaml: {cause.name}.each: the file has no column '{cause.each}'")
    for column, values in cause.where.items():
        if column not in facts:
            raise ValueError(f"causes.yaml: {cause.name}.where: the file has no column '{column}'")
        accepted = values if isinstance(values, list) else [values]
        if normal_form(facts[column]) not in map(normal_form, accepted):
            return False
    return True


def total_counts(tallies: Iterable[Tally]) -> dict[str, int]:
    """Return the number of published numbers of all files with each outcome."""
    total: Counter[str] = Counter()
    for tally in tallies:
        total.update(tally.counts)
    return {name: total[name] for name in OUTCOMES}


def format_tallies(tallies: Sequence[Tally]) -> str:
    """Return counts as a table, one line per published file, and what is known about causes."""
    header = ("published file", "numbers", *OUTCOMES)
    rows: list[tuple[Any, ...]] = [(t.file, t.total, *t.counts.values()) for t in tallies]
    total = total_counts(tallies)
    lines = [header, *rows, ("all", sum(total.values()), *total.values())]
    causes = [format_explanation(e) for tally in tallies for e in tally.explanations]
    differ = f"{', '.join(DIFFERS[:-1])} or {DIFFERS[-1]}"
    note = (
        f"Numbers with the verdict {differ} differ; those {EXPLAINED} have a confirmed cause. "
        "The causes that were tested:"
    )
    return "\n".join([*columns(lines), *(["", note, *causes] if causes else [])])


def format_explanation(explanation: Explanation) -> str:
    """Return what is known about a cause as a line.

    Examples
    --------
    >>> format_explanation(Explanation("swap", "The kernels were swapped.", 10, 8, 6, None))
    'swap: The kernels were swapped. A variant reproduces 6 of 10 numbers (60 %; run for 8).'
    """
    name, hypothesis, differ, run, reproduced, impossible = explanation
    if impossible is not None:
        return f"{name}: {hypothesis} {differ} numbers are impossible: {impossible}"
    if not differ:
        return f"{name}: {hypothesis} No number of the cluster differs."
    share = f"{100 * reproduced / differ:.0f} %"
    detail = share if run == differ else f"{share}; run for {run}"
    verdict = ": explained." if explanation.explains else "."
    numbers = "number" if differ == 1 else "numbers"
    text = f"A variant reproduces {reproduced} of {differ} {numbers} ({detail}){verdict}"
    return f"{name}: {hypothesis} {text}"
