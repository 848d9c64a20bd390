"""Write the report: one HTML file with all pages, which needs no network."""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nldr.report.templating import FOLDER, environment

if TYPE_CHECKING:
    from pathlib import Path

    from nldr.report.content import Report

# Files of assets/ that the page contains, in order.
STYLES = ("style.css", "cards.css", "explorer.css")
FIRST = "theme.js"  # runs before the page is shown
SCRIPTS = (
    "router.js",
    "figures.js",
    "tables.js",
    "explorer-data.js",
    "explorer-colors.js",
    "explorer-panel.js",
    "explorer-under.js",
    "explorer-panels.js",
    "explorer-words.js",
    "explorer-choices.js",
    "explorer.js",
)
# Classes that stand for a style of one element, which has no style of its own: the policy of the
# page allows none, because whoever can write one can show what is not there.
RULES = {
    re.compile(r"grow-(\d+)\b"): ".grow-{0} {{ flex-grow: {0} }}",
    re.compile(r"look-([0-9A-Fa-f]{6})\b"): ".look-{0} {{ --look: #{0} }}",
}
# First words of the routes of pages that are alike, which take fewer bytes if packed together
GROUPS = ("claim", "study", "method", "dataset", "metric")
BITS, BASE = 13, 91  # of two characters of packed data, and of one
FIRST_CHARACTER, LEFT_OUT = 35, 60  # of packed data: from "#" to "~", but not "<"
# Entries of the navigation: title, route, and the first words of the routes below it.
NAVIGATION = (
    ("Claims", "claims", "claims claim"),
    ("Studies", "studies", "studies study"),
    ("Which method?", "guide", "guide"),
    ("Explorer", "explorer", "explorer"),
    ("Methods", "methods", "methods method"),
    ("Datasets", "datasets", "datasets dataset"),
    ("Metrics", "metrics", "metrics metric"),
    ("Failures", "failures", "failures"),
)


@dataclass(frozen=True)
class PageParts:
    """Parts of the page that do not depend on what the explorer has of its datasets."""

    overview: str  # the first page
    pages: dict[str, str]  # the other pages, see :func:`pack_pages`
    blocks: dict[str, str]  # blocks of data by name, compressed
    rules: str  # style sheet of the classes that stand for a style, see :func:`rules_of`

    @property
    def size(self) -> int:
        """Bytes of all parts, with styles and scripts."""
        texts = [self.overview, *self.pages.values(), *self.blocks.values()]
        return sum(map(len, [*texts, *map(asset, (*STYLES, *SCRIPTS))]))


def make_parts(report: Report) -> PageParts:
    """Make the overview and all pages but the explorer."""
    from nldr.report import cards, claims, failures, guide, overview, studies

    # Parts make pages, (route, HTML), and some of them blocks of data, (name, bytes).
    templates = environment()
    pages: dict[str, str] = {}
    for part in (claims, studies, guide, cards, failures):
        pages |= dict(part.pages(report, templates))
    front, blocks = overview.render(report, templates), _packed(studies.blocks(report))
    return PageParts(front, pack_pages(pages), blocks, rules_of([front, *pages.values()]))


def write(report: Report, path: Path, parts: PageParts | None = None) -> None:
    """Write the report to a file.

    The file is overwritten; the same report gives the same bytes. ``parts`` are its parts, if they
    are made.
    """
    data = render(report, parts).encode()
    path.write_bytes(data)
    if len(data) > report.max_bytes:
        size = f"{len(data):,} bytes, more than {report.max_bytes:,}"
        print(f"the report has {size}: show fewer embeddings or figures", file=sys.stderr)


def render(report: Report, parts: PageParts | None = None) -> str:
    """Return the page as HTML.

    The overview is plain HTML. All other pages, figures and blocks of data are compressed; a script
    unpacks them on demand.
    """
    from markupsafe import Markup

    from nldr.report import explorer

    templates, parts = environment(), parts or make_parts(report)
    explored = dict(explorer.pages(report, templates))
    pages = parts.pages | pack_pages(explored)
    return templates.get_template("base.html").render(
        report=report,
        version=report.version,
        overview=Markup(parts.overview),
        navigation=[entry for entry in NAVIGATION if entry[1] in pages],
        styles=[*map(asset, STYLES), parts.rules + rules_of(explored.values())],
        first=asset(FIRST),
        scripts=[asset(name) for name in SCRIPTS],
        pages=pages,
        blocks=parts.blocks | _packed(explorer.blocks(report)),
    )


def _packed(blocks: Iterable[tuple[str, bytes]]) -> dict[str, str]:
    """Return blocks of data by name, compressed."""
    return {name: pack(data) for name, data in blocks}


def pack_pages(pages: Mapping[str, str]) -> dict[str, str]:
    """Return pages by route, compressed; those of one of :data:`GROUPS` are together.

    Each text is JSON, the pages by route. Its name is the route, or the first word of the routes
    with a slash.
    """
    groups: dict[str, dict[str, str]] = {}
    for route, html in pages.items():
        word, slash, _ = route.partition("/")
        groups.setdefault(word + slash if word in GROUPS else route, {})[route] = html
    return {
        name: pack(json.dumps(group, ensure_ascii=False).encode()) for name, group in groups.items()
    }


def rules_of(pages: Iterable[str]) -> str:
    r"""Return the style sheet of the classes that stand for a style.

    Examples
    --------
    >>> rules_of(['<i class="look-D55E00"></i>'])
    '.look-D55E00 { --look: #D55E00 }\n'
    """
    text = "".join(pages)
    used = {rule.format(value) for name, rule in RULES.items() for value in name.findall(text)}
    return "".join(f"{rule}\n" for rule in sorted(used))


def asset(name: str) -> str:
    """Return the text of a style sheet or script, safe inside its element."""
    return (FOLDER / "assets" / name).read_text(encoding="utf-8").replace("</script", "<\\/script")


def pack(data: bytes) -> str:
    """Return bytes as compressed text, the same for the same bytes.

    Two characters have 13 bits, so that the text takes 8 % less than base64. A last one tells how
    many bytes of zeros come after the data. ``assets/router.js`` reads it.
    """
    bits = np.unpackbits(np.frombuffer(gzip.compress(data, 9, mtime=0), np.uint8))
    n_more = -len(bits) % BITS
    numbers = np.pad(bits, (0, n_more)).reshape(-1, BITS) @ (1 << np.arange(BITS)[::-1])
    digits = np.append(np.stack(divmod(numbers, BASE), axis=1), n_more // 8)
    codes = digits + FIRST_CHARACTER
    return (codes + (codes >= LEFT_OUT)).astype(np.uint8).tobytes().decode("ascii")
