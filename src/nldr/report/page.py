"""Write the report: one HTML file with all pages, which needs no network."""

from __future__ import annotations

import base64
import gzip
import re
import sys
from typing import TYPE_CHECKING

from nldr.report.templating import FOLDER, environment

if TYPE_CHECKING:
    from collections.abc import Iterable
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
    re.compile(r"\bgrow-(\d+)\b"): ".grow-{0} {{ flex-grow: {0} }}",
    re.compile(r"\blook-([0-9A-Fa-f]{6})\b"): ".look-{0} {{ --look: #{0} }}",
}
# Entries of the navigation: title, route, and the first words of the routes below it.
NAVIGATION = (
    ("Claims", "claims", "claims claim"),
    ("Studies", "studies", "studies study"),
    ("Explorer", "explorer", "explorer"),
    ("Methods", "methods", "methods method"),
    ("Datasets", "datasets", "datasets dataset"),
    ("Metrics", "metrics", "metrics metric"),
    ("Failures", "failures", "failures"),
)


def write(report: Report, path: Path) -> None:
    """Write the report to a file.

    Parameters
    ----------
    report : Report
        Contents of the page.
    path : Path
        The file, which is overwritten; the same report gives the same bytes.
    """
    data = render(report).encode()
    path.write_bytes(data)
    if len(data) > report.max_bytes:
        size = f"{len(data):,} bytes, more than {report.max_bytes:,}"
        print(f"the report has {size}: show fewer embeddings or figures", file=sys.stderr)


def render(report: Report) -> str:
    """Return the page as HTML.

    The overview is plain HTML. All other pages, figures and blocks of data are compressed; a script
    unpacks them on demand.
    """
    from markupsafe import Markup

    from nldr.report import cards, claims, explorer, failures, overview, studies

    # Parts make pages, (route, HTML), and some of them blocks of data, (name, bytes).
    templates = environment()
    pages: dict[str, str] = {}
    for part in (claims, studies, explorer, cards, failures):
        pages |= dict(part.pages(report, templates))
    blocks = dict(studies.blocks(report)) | dict(explorer.blocks(report))
    front = overview.render(report, templates)
    return templates.get_template("base.html").render(
        report=report,
        overview=Markup(front),
        navigation=[entry for entry in NAVIGATION if entry[1] in pages],
        styles=[*map(asset, STYLES), rules_of([front, *pages.values()])],
        first=asset(FIRST),
        scripts=[asset(name) for name in SCRIPTS],
        pages={name: pack(html.encode()) for name, html in pages.items()},
        blocks={name: pack(data) for name, data in blocks.items()},
    )


def rules_of(pages: Iterable[str]) -> str:
    """Return the style sheet of the classes that stand for a style.

    Examples
    --------
    >>> rules_of(['<i class="look-D55E00"></i>'])
    '.look-D55E00 { --look: #D55E00 }'
    """
    text = "".join(pages)
    used = {rule.format(value) for name, rule in RULES.items() for value in name.findall(text)}
    return "\n".join(sorted(used))


def asset(name: str) -> str:
    """Return the text of a style sheet or script, safe inside its element."""
    return (FOLDER / "assets" / name).read_text(encoding="utf-8").replace("</script", "<\\/script")


def pack(data: bytes) -> str:
    """Return bytes as compressed text, the same for the same bytes.

    Examples
    --------
    >>> gzip.decompress(base64.b64decode(pack(b"points")))
    b'points'
    """
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
