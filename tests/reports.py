"""A small report whose texts try to break out of the page, and what its pages say."""

import gzip
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np

from nldr.report.clouds import Cloud, Embedding
from nldr.report.content import (
    Bar,
    Card,
    ClaimContent,
    Column,
    Drawing,
    EvaluationContent,
    Failure,
    Look,
    Paper,
    Report,
    StudyContent,
    TableContent,
)

HOSTILE = "</script><script>alert('1')</script> <b onclick=\"x\"> & {{ 7 * 7 }} \"quoted'"
SVG = (
    '<svg viewBox="0 0 72 36" xmlns="http://www.w3.org/2000/svg">'
    "<text>&lt;b&gt;</text><script>alert(1)</script></svg>"
)


def evaluation(basis="as_published", **changes):
    """Return an evaluation that holds."""
    bars = [
        Bar("A − B", 0.2, 0.1, 0.3, "holds", 5, "5 of 5", "R²", 0.0),
        Bar("A − C", -0.1, -0.3, 0.1, "open", 5, "", "R²", 0.0),
        Bar("A / B", None, None, None, "open", 0, "", "×", 2.0, False),
    ]
    result = EvaluationContent(
        *(basis, "holds", f"A is better. {HOSTILE}", "study", "at full size"),
        *(0.2, 0.1, 0.3, 0.0, "R²", "t-test", 0.0004, 0.031),
        *("●○", "40 of 48", f"fails with a bound of 6 {HOSTILE}", 5),
        *(["roll@n=3/pca", "roll/mvu", "roll/gone"], bars, [], ["r2"]),
    )
    return replace(result, **changes)


def not_run(basis):
    """Return an evaluation without an effect."""
    keys = ("study", "size", "effect", "low", "high", "threshold", "p_value", "level", "n")
    texts = {
        "decision": "not run",
        "sentence": "no cell is run",
        "unit": "",
        "test": "",
        "strip": "",
    }
    return evaluation(basis, **texts, **dict.fromkeys(keys), cells=[], comparisons=[])


def hostile_report():
    """Return a report with one page of each kind."""
    failure = Failure("embed", "roll/mvu", "timeout", HOSTILE, [0, 1], f"log {HOSTILE}")
    file = "workflow/claims/x.yaml"
    both = [evaluation(), evaluation("equal_tuning", decision="fails", effect=-0.1)]
    neither = [not_run("as_published"), not_run("equal_tuning")]
    claims = [
        ClaimContent(
            *("x-01", f"It holds {HOSTILE}", "§1", "holds", f"{file}:3", both, "fig"),
            *(f"It does {HOSTILE}", [f"2026-01-02: other test {HOSTILE}"]),
        ),
        ClaimContent("x-02", "It was not run", "§2", "not run", f"{file}:9", neither, None),
    ]
    drawings = [
        Drawing("fig", f"Figure {HOSTILE}", SVG, f"Alt {HOSTILE}", "figures/fig.pdf"),
        Drawing("gone", "Not drawn", "", "", "figures/gone.pdf"),
    ]
    counts = {"reproduced": 1, "not run": 1}
    study = StudyContent(
        *("study", f"Study {HOSTILE}", "A paper, Fig. 1", "workflow/studies/study.yaml"),
        facts={"Trials": "5", HOSTILE: HOSTILE},
        drawings=drawings,
        tables=[results(), published()],
        verdicts=counts,
        failures=[failure],
        claims=["x-01"],
    )
    broken = StudyContent("odd/na me?", "Broken", "", "b.yaml", f"no {HOSTILE}")
    look = Look("#000000", "o", True)
    card = Card(
        *("method", "pca", "PCA", "", "a.PCA", "Pearson", "10.1/x", {"k": 2}),
        summary="Projects.",
        look=look,
        studies=["study"],
        failures=[failure],
    )
    roll = replace(card, kind="dataset", name="roll", title="Roll", look=None)
    r2 = replace(roll, kind="metric", name="r2", title="R²")
    paper = Paper("x", f"A paper {HOSTILE}", claims, ["study"], counts)
    facts = {"Scale": "quick", "CPU time": HOSTILE}
    content = ([paper], [study, broken], [card, roll, r2], [cloud()], {"pca": look})
    return Report("1.0", "quick", "today", facts, *content)


def results():
    """Return a table of results with links to cards."""
    columns = [
        Column("dataset", "Dataset", "dataset"),
        Column("method", "Method", "method", HOSTILE),
        Column("r2", "R²", "number", metric="r2"),
        Column("trust", "Trust", "number", metric="trust"),
        Column("empty", "Empty", "number"),
        Column("status", "Status", "status"),
    ]
    names = ("dataset", "method", "r2", "trust", "status", "data_cell", "method_cell")
    rows = [
        ("Roll, n = 3", "pca", 0.987654321, 0.4321, "ok", "roll@n=3", "pca"),
        ("roll", HOSTILE, None, None, "timeout", "roll", "mvu"),
    ]
    rows = [dict(zip(names, row, strict=True)) for row in rows]
    return TableContent("Results", columns, rows, "tables/study.csv")


def published():
    """Return a table of published numbers, the first of which is not run."""
    kinds = {"setting": "text", **dict.fromkeys(("difference", "low", "high", "margin"), "number")}
    kinds["verdict"] = "verdict"
    run = {"setting": "b", "difference": 0.01, "low": -0.02, "high": 0.04, "margin": 0.05}
    rows = [
        {"setting": "a", "verdict": "not run", "cell": None},
        {**run, "verdict": "reproduced", "cell": "roll/pca"},
    ]
    return TableContent("Published", [Column(key, key, kind) for key, kind in kinds.items()], rows)


def cloud():
    """Return a cloud of five points."""
    points = np.arange(15.0).reshape(5, 3)
    embedding = Embedding("pca", "pca", "PCA", 0, "ok", "", points[:, :2] ** 2, {})
    return Cloud(
        "roll", "roll@n=3", f"Roll {HOSTILE}", 0, 5, 3, points, None, None, None, [embedding]
    )


class Page(HTMLParser):
    """A page as a browser reads it; raises where elements are not nested."""

    VOID = ("meta", "br", "input", "img", "link", "hr")
    SHAPES = ("line", "circle", "rect", "polygon", "path", "use")

    def __init__(self, html):
        super().__init__()
        self.open = []
        self.elements = []
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in self.SHAPES, f"<{tag}/> is not closed in HTML"
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data

    def all(self, tag):
        """Return the attributes of all elements of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]

    def values(self, attribute):
        """Return the values of an attribute, of all elements that have it."""
        return [result[attribute] for _, result in self.elements if attribute in result]


def unpack(html, kind):
    """Return all pages (``kind="page"``) or blocks of a report, by name."""
    name = {"page": "pages", "block": "block"}[kind]
    pattern = rf'<script type="application/gzip\+base91" data-{name}="([^"]+)">([^<]+)</script>'
    blocks = {name: gzip.decompress(bytes_of(text)) for name, text in re.findall(pattern, html)}
    if kind == "block":
        return blocks
    return {r: page.encode() for group in blocks.values() for r, page in json.loads(group).items()}


def bytes_of(text):
    """Return what :func:`nldr.report.page.pack` has written, as the page's script does."""
    digits = [ord(character) - 35 - (character > "<") for character in text]
    pairs = zip(digits[:-1:2], digits[1::2], strict=True)
    bits = "".join(f"{91 * first + second:013b}" for first, second in pairs)
    n_bytes = len(bits) // 8 - digits[-1]
    return int(bits[: 8 * n_bytes], 2).to_bytes(n_bytes, "big")


def read_column(part, block):
    """Return a column of a block, read one number at a time as its format says."""
    at, n, low, high = (part[key] for key in ("at", "n", "low", "high"))
    if part["as"] == "u12":
        upper, lower = block[at : at + n], block[at + n : at + n + -(-n // 2)]
        units = [16 * upper[i] + (lower[i // 2] >> 4 * (i % 2)) % 16 for i in range(n)]
        return low + (high - low) * np.array(units, float) / 4095
    if part["as"] == "u8":
        return np.array(
            [np.nan if b == 255 else low + (high - low) * b / 254 for b in block[at : at + n]]
        )
    size = int(part["as"][1:]) // 8
    assert at % size == 0  # or a browser cannot read it
    return np.array(
        [int.from_bytes(block[at + size * i : at + size * (i + 1)], "little") for i in range(n)]
    )
