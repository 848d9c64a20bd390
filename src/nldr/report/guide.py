"""The page "Which method for what?": what each method keeps, and which suit which data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from nldr.report.aims import AIMS
from nldr.report.content import Column
from nldr.report.forest import Axis, axis_of
from nldr.report.tables import DOTS, Dots, TableCell, TableView, links_of
from nldr.report.templating import fixed, href, interval, number, plural

if TYPE_CHECKING:
    from jinja2 import Environment

    from nldr.report.aims import Contest, Estimate, Guide, Profile
    from nldr.report.content import Report
    from nldr.report.tables import Links

REFERENCE = "pca"  # a method that is a level of expectation as well
SCALED = "median time of a fit to this many points"
FAILED = "share of the fits over all settings that failed or did not converge"
MOST = 5  # methods of each outcome that are named


def pages(report: Report, environment: Environment) -> Iterator[tuple[str, str]]:
    """Yield route and content of the page, if there is something to tell."""
    guide = report.guide
    if guide is None:
        return
    levels = levels_of(guide)
    html = environment.get_template("guide.html").render(
        guide=guide,
        aims=[aim for aim in AIMS if any(aim.name in p.scores for p in guide.profiles)],
        levels=levels,
        table=profile_table(guide, [name for name, _ in levels], links_of(report)),
        titles={profile.method: profile.title for profile in guide.profiles},
        any_missing=any(profile.missing for profile in guide.profiles),
        named=lambda contest: short_list(contest, guide),
        studies={s.name: s.title for s in report.studies if s.name in guide.studies},
    )
    yield "guide", html


def levels_of(guide: Guide) -> list[tuple[str, str]]:
    """Return names and titles of the methods that others are compared with, the best first."""
    return [(p.method, p.title) for p in guide.profiles if p.control or p.method == REFERENCE]


def ranks_of(guide: Guide | None, method: str) -> dict[str, TableCell]:
    """Return the ranks of a method for its card, by the titles of the aims."""
    profiles = guide.profiles if guide else []
    ranks = next((p.ranks for p in profiles if p.method == method), {})
    return {
        aim.title: _rank(ranks[aim.name], sum(aim.name in p.ranks for p in profiles))
        for aim in AIMS
        if aim.name in ranks
    }


def _rank(rank: Estimate, n_methods: int) -> TableCell:
    """Return a rank with its dot; the best one is on the right."""
    ends = "" if rank.low is None or rank.high is None else f" ({rank.low:.1f} to {rank.high:.1f})"
    words = f"{rank.mean:.1f}{ends} of {n_methods}, over {plural(rank.n, 'dataset')}"
    axis = Axis(1.0, float(max(n_methods, 2)), mirrored=True)
    return TableCell(words, dots=_dots(rank, axis, [], f"mean rank {words}"))


def _dots(estimate: Estimate, axis: Axis, levels: Sequence[tuple[str, float]], words: str) -> Dots:
    """Return the places of an estimate and its interval on an axis."""
    ends = [end for end in (estimate.low, estimate.mean, estimate.high) if end is not None]
    places = sorted(axis.at(end) for end in ends)
    lines = [(name, axis.at(value)) for name, value in levels]
    return Dots(places[0], axis.at(estimate.mean), places[-1], words, lines)


# --- the table of methods -----------------------------------------------------------------------


def profile_table(guide: Guide, levels: Sequence[str], links: Links) -> TableView:
    """Return one row per method: what it keeps, as dots, what it can do, and what it costs.

    Examples
    --------
    >>> from nldr.report.aims import Estimate, Guide, Profile
    >>> from nldr.report.tables import Links
    >>> scores = {"local": Estimate(0.9, 0.8, 1.0, 4)}
    >>> profile = Profile("pca", "PCA", False, scores, {}, True, False, 0.01, 0, 8)
    >>> view = profile_table(Guide(["survey"], 4, [profile], [], (60, 60)), ["pca"], Links())
    >>> [column.title for column in view.columns][:2], view.rows[0][1].text
    (['Method', 'Local neighborhoods'], '0.90')
    """
    profiles = guide.profiles
    columns = [Column("method", "Method", "method")]
    cells = [
        [TableCell(p.title, "", href("method", p.method), links.looks.get(p.method))]
        for p in profiles
    ]
    for aim in AIMS:
        estimates = [profile.scores.get(aim.name) for profile in profiles]
        measured = [estimate for estimate in estimates if estimate is not None]
        if not measured:
            continue
        count = plural(max(estimate.n for estimate in measured), "dataset")
        help_ = f"{aim.metric}: mean over {count}; right is better"
        columns += [
            Column(aim.name, aim.title, DOTS, help_),
            Column(f"{aim.name}_low", "from", "end"),
            Column(f"{aim.name}_high", "to", "end"),
        ]
        axis = _axis(profiles, aim.name)
        lines = [
            (profile.method, estimate.mean)
            for profile, estimate in zip(profiles, estimates, strict=True)
            if estimate is not None and profile.method in levels
        ]
        for row, estimate in zip(cells, estimates, strict=True):
            row += _score(estimate, axis, lines)
    facts = _facts(guide)
    columns += [column for column, _ in facts]
    for i, row in enumerate(cells):
        row += [values[i] for _, values in facts]
    return TableView("guide", "What each method preserves", "", columns, cells, len(cells))


def _axis(profiles: Sequence[Profile], aim: str) -> Axis:
    """Return an axis that shows the methods; controls may lie beyond its ends."""
    measured = [profile for profile in profiles if aim in profile.scores]
    shown = [profile for profile in measured if not profile.control] or measured
    estimates = [profile.scores[aim] for profile in shown]
    ends = [end for e in estimates for end in (e.low, e.mean, e.high) if end is not None]
    return axis_of(ends)


def _score(
    estimate: Estimate | None, axis: Axis, levels: Sequence[tuple[str, float]]
) -> list[TableCell]:
    """Return the cells of an estimate: dot and mean, and the ends of its interval."""
    if estimate is None:
        return [TableCell(""), TableCell(""), TableCell("")]
    words = interval(estimate.mean, estimate.low, estimate.high)
    ends = [TableCell("" if end is None else f"{end:.4f}") for end in (estimate.low, estimate.high)]
    dots = _dots(estimate, axis, levels, words)
    return [TableCell(fixed(estimate.mean, 2), f"{estimate.mean:.4f}", dots=dots), *ends]


def _facts(guide: Guide) -> list[tuple[Column, list[TableCell]]]:
    """Return the columns of what methods can do and cost; those without any value are left out."""
    low, high = (number(size) for size in guide.points)
    sizes = dict.fromkeys(size for profile in guide.profiles for size in profile.times)
    columns: list[tuple[Column, Callable[[Profile], TableCell]]] = [
        (
            Column("new_points", "New points", "flag", "whether it embeds points it has not seen"),
            lambda profile: TableCell("yes" if profile.new_points else "no"),
        ),
        (
            Column("seconds", "CPU s", "number", f"median time of a fit to {low} to {high} points"),
            lambda profile: _amount(profile.cpu_seconds),
        ),
        *(
            (
                Column(f"seconds_{size}", f"CPU s, {number(int(size))}", "number", SCALED),
                lambda profile, size=size: _amount(profile.times.get(size)),
            )
            for size in sorted(sizes, key=int)
        ),
        (
            Column("memory", "MB", "number", f"median memory of a fit to {number(10_000)} points"),
            lambda profile: _amount(profile.memory_mb),
        ),
        (
            Column("failed", "Failed %", "number", FAILED),
            lambda profile: _amount(100 * profile.failed / profile.fits if profile.fits else None),
        ),
    ]
    if any(profile.missing for profile in guide.profiles):
        help_ = "whether it takes data with missing values"
        column = Column("missing", "Missing values", "flag", help_)
        columns.insert(1, (column, lambda profile: TableCell("yes" if profile.missing else "no")))
    result = [
        (column, [TableCell("") if p.control else cell_of(p) for p in guide.profiles])
        for column, cell_of in columns
    ]
    return [(column, cells) for column, cells in result if any(cell.text for cell in cells)]


def _amount(value: float | None) -> TableCell:
    return TableCell("") if value is None else TableCell(number(value, 2), f"{value:.6g}")


# --- families -----------------------------------------------------------------------------------


def short_list(contest: Contest, guide: Guide) -> str:
    """Return the methods that are not told to be worse than the best one, in words.

    Examples
    --------
    >>> from nldr.report.aims import Contest, Guide, Profile
    >>> titles = {"pca": "PCA", "tsne": "t-SNE", "umap": "UMAP"}
    >>> rest = (False, {}, {}, True, False, None, 0, 0)
    >>> profiles = [Profile(name, title, *rest) for name, title in titles.items()]
    >>> guide = Guide([], 4, profiles, [], (0, 0))
    >>> short_list(Contest("tsne", 0.9, ["tsne", "pca", "umap"], ["umap"], 4), guide)
    'tie: UMAP; unclear: PCA'
    >>> short_list(Contest("tsne", 0.9, ["tsne"], [], 4), guide)
    'no other'
    """
    if contest.n_datasets < 2:
        return "not decided by one dataset"
    titles = {profile.method: profile.title for profile in guide.profiles}
    others = [name for name in contest.short_list if name != contest.best]
    unclear = [name for name in others if name not in contest.ties]
    parts = []
    for outcome, methods in (("tie", contest.ties), ("unclear", unclear)):
        more = f" and {len(methods) - MOST} more" if len(methods) > MOST else ""
        names = ", ".join(titles[name] for name in methods[:MOST])
        parts += [f"{outcome}: {names}{more}"] if methods else []
    return "; ".join(parts) or "no other"
