"""Directives whose text is generated: results of a build, reference of the code, notebooks.

Each makes Markdown, which Sphinx then reads as if it stood in the page::

    ```{found} claims ikd
    ```
    ```{reference} nldr.metrics
    ```
    ```{notebook} choose_a_method
    ```
    ```{gallery} method
    ```

A script of the gallery is a page as well.
"""

from __future__ import annotations

import ast
import importlib
import lzma
import re
from enum import Enum
from pathlib import Path
from typing import Any

import found
import metric_groups
import notebook
import pictures
import regrets
import sentences
import sizes
import which
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.utils.math.latex2mathml import tex2mathml
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

UNPACKED = pictures.DOCS / "_build/figures"
FENCE, METHODS = "````", "nldr.methods"
NAME = re.compile(r"(?<![\\\w])(\w*[A-Za-z0-9])_(?![\w{\\])")  # n_iter_, but no formula: \sum_{i}


class Generated(SphinxDirective):
    """A directive that is replaced by Markdown."""

    required_arguments = 1
    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the nodes of the Markdown."""
        return self.parse_text_to_nodes(self.text(), allow_section_headings=True)

    def text(self) -> str:
        """Return the Markdown."""
        raise NotImplementedError


class Found(Generated):
    """Tables of the record: see ``docs/found.py``."""

    def text(self) -> str:
        """Return a table, or a list of claims."""
        files = (found.CLAIMS, found.PLAN, found.NUMBERS, found.RATES, found.PEERS, which.GUIDE)
        patterns = (sentences.SUMMARY, sentences.TIMINGS)
        tables = [file.format(study=study) for study in sentences.STUDIES for file in patterns]
        for file in (*files, metric_groups.GROUPS, sizes.SIZES, regrets.REGRETS, *tables):
            self.env.note_dependency(str(found.ROOT / file))
        summary = found.read()
        what, key = (*self.arguments, "")[:2]
        if what == "counts":
            return found.counts_table(summary, key + "{}.md")
        texts: dict[str, Any] = {
            "claims": lambda: found.claims_list(summary, key),
            "headlines": lambda: found.headlines_table(summary),
            "numbers": lambda: found.numbers_table(summary, key),
            "totals": lambda: found.numbers_by_paper(summary),
            "rates": found.rates_table,
            "archive": found.archive_table,
            "peers": found.peers_table,
            "which": lambda: which.show(key),
            "metric_groups": metric_groups.show,
            "sizes": sizes.show,
            "regrets": lambda: regrets.show(key),
            "sentence": lambda: sentences.show(key),
            "incomplete": lambda: sentences.incomplete(key),
        }
        return texts[what]()


class Reference(Generated):
    """Everything public in a package: the names that it offers, or all of its modules."""

    option_spec = {"names": directives.flag, "brief": directives.flag}

    def text(self) -> str:
        """Return a heading and an autodoc directive per name or module."""
        package = importlib.import_module(self.arguments[0])
        if "names" in self.options:
            return "\n\n".join(_name(package, name) for name in sorted(package.__all__))
        if "brief" in self.options:
            lines = [f"| `{name}` | {_first_line(path)} |" for name, path in _modules(package)]
            return "\n".join(["| module | what it does |", "|---|---|", *lines])
        return "\n\n".join(_module(name) for name, _ in _modules(package))


def _modules(package: Any) -> list[tuple[str, Path]]:
    """Return names and files of the public modules of a package, those of its packages included."""
    if not hasattr(package, "__path__"):
        return [(package.__name__, Path(package.__file__))]
    folder = Path(package.__path__[0])
    modules = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        if not any(part.startswith("_") for part in parts):
            modules.append((".".join((package.__name__, *parts)), path))
    return modules


def _name(package: Any, name: str) -> str:
    """Return heading and reference of a name that a package offers, with its own methods."""
    item = getattr(package, name)
    # All estimators are in nldr.methods, independent of their family.
    front = METHODS if name in importlib.import_module(METHODS).__all__ else package.__name__
    if not isinstance(item, type):
        kind = "function" if callable(item) else "data"
        return _entry(name, f".. auto{kind}:: {front}.{name}")
    members = sorted(
        member
        for base in item.__mro__
        if base.__module__.startswith("nldr.")
        for member in vars(base)
        # Requests of metadata are scikit-learn's, made for methods with keywords.
        if not (member.startswith("_") or re.fullmatch(r"set_\w+_request", member))
    )
    options = f"\n   :members: {', '.join(dict.fromkeys(members))}" if members else ""
    if issubclass(item, Enum):
        options += "\n   :undoc-members:"
    return _entry(name, f".. autoclass:: {front}.{name}{options}")


def _module(name: str) -> str:
    """Return heading and reference of a module."""
    return _entry(name.removeprefix("nldr."), f".. automodule:: {name}\n   :members:")


def _entry(heading: str, directive: str) -> str:
    """Return a heading and a directive of reStructuredText."""
    return f"## {heading}\n\n{FENCE}{{eval-rst}}\n{directive}\n{FENCE}"


def _first_line(path: Path) -> str:
    """Return the first line of a module's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.split("\n")[0]


class Notebook(Generated):
    """A notebook of ``docs/notebooks/`` with its outputs, which are computed now."""

    def text(self) -> str:
        """Return its cells as Markdown."""
        source = Path(self.env.srcdir) / "notebooks" / f"{self.arguments[0]}.ipynb"
        self.env.note_dependency(str(source))
        folder = Path(self.env.srcdir) / "_build/notebooks"
        return notebook.to_markdown(notebook.run_cached(source, folder), folder, source.stem)


class Gallery(Generated):
    """Pictures of a group of scripts of the gallery, which lead to their pages."""

    def text(self) -> str:
        """Return the pictures with their titles as links."""
        for script in pictures.scripts(self.arguments[0]):
            self.env.note_dependency(str(script))
        return pictures.thumbnails(self.arguments[0])


class ScriptParser(MystParser):
    """Parser of a script of the gallery: its docstring, its picture and its code make a page."""

    supported = ("script",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse the Markdown of the page."""
        super().parse(pictures.page(Path(document["source"])), document)


def escape(app: Sphinx, what: str, name: str, item: Any, options: Any, lines: list[str]) -> None:
    """Escape names such as ``n_iter_`` in a docstring, which would be taken for links."""
    for number, line in enumerate(lines):
        # The name of an attribute stands before a colon and is left to numpydoc; code has quotes.
        start, text = re.fullmatch(r"(\w+ : )?(.*)", line).groups("")
        pieces = re.split(r"(`+[^`]*`+)", text)
        pieces[::2] = [NAME.sub(r"\1\\_", piece) for piece in pieces[::2]]
        if not line.lstrip().startswith((">>>", "...")):
            lines[number] = start + "".join(pieces)


def show_formula(translator: Any, node: nodes.Element) -> None:
    """Write a formula as MathML, which browsers draw themselves, without scripts or fonts."""
    block = isinstance(node, nodes.math_block)
    formula = tex2mathml(node.astext(), as_block=block)
    translator.body.append(f"<div class='formula'>{formula}</div>" if block else formula)
    raise nodes.SkipNode


def unpack_figures(_app: Sphinx) -> None:
    """Write the figures of the record, which are compressed, where pages expect them."""
    UNPACKED.mkdir(parents=True, exist_ok=True)
    for file in sorted((pictures.DOCS.parent / "results/archive/figures").glob("*.svg.xz")):
        (UNPACKED / file.stem).write_bytes(lzma.decompress(file.read_bytes()))


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directives."""
    app.add_html_math_renderer("mathml", (show_formula, None), (show_formula, None))
    app.connect("builder-inited", unpack_figures)
    app.connect("autodoc-process-docstring", escape, priority=100)  # before numpydoc
    app.add_directive("found", Found)
    app.add_directive("reference", Reference)
    app.add_directive("notebook", Notebook)
    app.add_directive("gallery", Gallery)
    app.add_source_parser(ScriptParser)
    return {"version": "1", "parallel_read_safe": True}
