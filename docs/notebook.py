"""Notebooks: run from a clean state, and turned into Markdown with their outputs.

``python docs/notebook.py`` runs all notebooks of ``docs/notebooks/`` in a temporary folder and
reports the time of each. The files in git have no outputs; the site shows computed ones.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbclient
import nbformat
from traitlets.config import Config

DOCS = Path(__file__).parent
NOTEBOOKS = DOCS / "notebooks"
SOURCES = DOCS.parent / "src/nldr"
SECONDS_PER_CELL = 240


def run(source: Path, folder: Path) -> nbformat.NotebookNode:
    """Return a notebook with outputs, run in a folder by a kernel of its own."""
    notebook = nbformat.read(source, as_version=4)
    with tempfile.TemporaryDirectory() as sockets:
        # Sockets are files: no port is opened, not even a local one.
        transport = {"transport": "ipc", "ip": f"{sockets}/kernel"}
        nbclient.NotebookClient(
            notebook,
            timeout=SECONDS_PER_CELL,
            resources={"metadata": {"path": str(folder)}},
            config=Config(KernelManager=transport),
        ).execute()
    return notebook


def run_cached(source: Path, cache: Path) -> nbformat.NotebookNode:
    """Return a notebook with outputs; those of the same notebook and code are kept in a folder."""
    digest = hashlib.sha256(source.read_bytes())
    for file in sorted(SOURCES.rglob("*.py")):
        digest.update(file.read_bytes())
    cached = cache / f"{source.stem}-{digest.hexdigest()[:16]}.ipynb"
    if cached.is_file():
        return nbformat.read(cached, as_version=4)
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        notebook = run(source, Path(folder))
    nbformat.write(notebook, cached)
    return notebook


def to_markdown(notebook: nbformat.NotebookNode, folder: Path, name: str) -> str:
    """Return the cells of a notebook as Markdown; pictures are written to a folder."""
    parts = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        alt = cell.metadata.get("alt", "")
        for output in cell.get("outputs", []):
            parts.append(_output(output, folder / f"{name}-{number}.png", alt))
    return "\n\n".join(parts)


def _output(output: Any, image: Path, alt: str) -> str:
    """Return one output of a cell as Markdown."""
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    data = output.get("data", {})
    if "image/png" in data:
        image.write_bytes(base64.b64decode(data["image/png"]))
        return f"![{alt}](/_build/notebooks/{image.name})"
    if "text/html" in data:
        return f"````{{raw}} html\n<div class='output'>{data['text/html']}</div>\n````"
    return f"```text\n{data.get('text/plain', '').rstrip()}\n```"


def main() -> None:
    """Run all notebooks, or those that are named."""
    for source in [Path(name) for name in sys.argv[1:]] or sorted(NOTEBOOKS.glob("*.ipynb")):
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            run(source, Path(folder))
        print(f"{source.name}: {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
