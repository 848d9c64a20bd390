"""Gallery: each script of ``docs/gallery/`` draws a picture, which the site shows with its code.

``python docs/pictures.py`` draws all of them into ``docs/_build/gallery/`` and reports the time
of each.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import runpy
import sys
import time
import warnings
from functools import cache
from pathlib import Path
from unittest import mock

import matplotlib.pyplot as plt

DOCS = Path(__file__).parent
SCRIPTS, SHARED = DOCS / "gallery", DOCS / "gallery/samples.py"
GROUPS = ("pitfall", "parameter", "data", "method")  # of scripts such as gaps.pitfall.py
SOURCES = DOCS.parent / "src/nldr"
PICTURES = DOCS / "_build/gallery"
DPI = 150


def scripts(*groups: str) -> list[Path]:
    """Return the scripts of some groups."""
    return sorted(path for group in groups for path in SCRIPTS.glob(f"*.{group}.py"))


def draw(script: Path, picture: Path) -> None:
    """Run a script and store the figure that it shows."""
    path = [str(SCRIPTS), *sys.path]
    with mock.patch.object(plt, "show"), mock.patch.object(sys, "path", path):
        plt.switch_backend("Agg")
        with warnings.catch_warnings(), plt.rc_context({"font.size": 8}):
            warnings.simplefilter("ignore")  # the pictures show what they warn of
            runpy.run_path(str(script), run_name="__main__")
            picture.parent.mkdir(parents=True, exist_ok=True)
            plt.gcf().savefig(picture, dpi=DPI)
            plt.close("all")


def drawn(script: Path) -> Path:
    """Return a script's picture, which is kept until the script or the code changes."""
    digest = hashlib.sha256(script.read_bytes() + SHARED.read_bytes() + _code()).hexdigest()
    picture = PICTURES / f"{name_of(script)}-{digest[:12]}.png"
    if not picture.is_file():
        for outdated in PICTURES.glob(f"{name_of(script)}-*.png"):
            outdated.unlink()
        draw(script, picture)
    return picture


def name_of(script: Path) -> str:
    """Return the name of a script without its group.

    >>> name_of(Path("gaps.pitfall.py"))
    'gaps'
    """
    return script.name.partition(".")[0]


@cache
def _code() -> bytes:
    """Return a digest of the package, and of nothing else that a picture depends on."""
    digest = hashlib.sha256()
    for file in sorted(SOURCES.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.digest()


def read(script: Path) -> tuple[str, str, str, list[str]]:
    """Return title, text and code of a script, and the names that it imports from nldr."""
    source = script.read_text(encoding="utf-8")
    module = ast.parse(source)
    title, _, text = (ast.get_docstring(module) or "").partition("\n\n")
    code = source.partition('"""')[2].partition('"""')[2].strip()
    names = [
        _documented(node.module, alias.name)
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and node.module == "nldr.methods"
        for alias in node.names
    ]
    return title.rstrip("."), text, code, names


def _documented(package: str, name: str) -> str:
    """Return the path under which the site lists a class: that of a family or of a module."""
    module = getattr(importlib.import_module(package), name).__module__
    return f"{package if module.count('.') > 2 else module}.{name}"


def page(script: Path) -> str:
    """Return the page of a script as Markdown: what to see, the picture, the code."""
    title, text, code, names = read(script)
    links = ", ".join(f"{{py:class}}`~{name}`" for name in names)
    return "\n\n".join(
        [
            f"# {title}",
            text,
            f"![{title}](/{drawn(script).relative_to(DOCS).as_posix()})",
            f"```python\n{code}\n```",
            f"{{download}}`Download this script <{script.name}>`; it imports "
            "{download}`samples.py <samples.py>`." + (f" Reference: {links}." if links else ""),
        ]
    )


def thumbnails(group: str) -> str:
    """Return the pictures of a group as Markdown, each a link to its page."""
    items = []
    for script in scripts(group):
        picture, title = drawn(script).relative_to(DOCS).as_posix(), read(script)[0]
        items.append(f"[![](/{picture}) {title}]({script.name})")
    return "::::{container} gallery\n" + "\n\n".join(items) + "\n::::"


def main() -> None:
    """Draw all pictures, or those of the scripts that are named."""
    for script in [Path(name) for name in sys.argv[1:]] or scripts(*GROUPS):
        start = time.process_time()
        picture = PICTURES / f"{name_of(script)}.png"
        draw(script, picture)
        seconds, size = time.process_time() - start, picture.stat().st_size / 1e3
        print(f"{name_of(script)}: {seconds:.1f} s, {size:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
