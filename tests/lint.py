"""Checks of YAML files, documentation, templates, notebooks and imports that no linter offers.

``make lint`` runs them. Each takes the project's folder and yields messages that name the file.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from nldr.cli.new import SCHEMAS, schema_text
from nldr.engine.planning.studies import read_study
from nldr.engine.reading.layers import Layers
from nldr.engine.reading.parsing import PlanError, read_model

ROOT = Path(__file__).parents[1]
YAML_FILES = ("config.yaml", "workflow/*.yaml", "workflow/*/*.yaml")
SCHEMA_LINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\n")
FOLDERS = "src|workflow|docs|benchmarks|envs|profiles|tests"
FROM_THE_READER = re.compile(r"(test_)?(mine|my_)")  # files that a recipe tells the reader to write
# Results that are typed: a score followed by a number that is no bound, or a spread; in pages of
# papers any decimal
SCORES = "R²|[Tt]rustworthiness|T|[Cc]ontinuity|µ|[Aa]ccurac(?:y|ies)|hit"
NO_BOUND = "(?<!than )(?<!least )(?<!most )"
RESULT = re.compile(
    rf"\b(?:{SCORES})\b(?:[^.:']|\.\d){{0,60}}?(?<![\w.`=]){NO_BOUND}0?\.\d\d|±\s*0?\.\d"
    r"|(?<![\w.`='])\d+\.\d+ (?:CPU )?seconds\b"
)
DECIMAL = re.compile(r"(?<![\w.`=/])\d{0,3}\.\d+(?![\w`/])|±")
# What a reader has patience for, in words or lines
MOST_WORDS = {"docs/papers/*.md": 1000, "docs/architecture.md": 1200}
MOST_LINES = {"README.md": 120, "CHANGELOG.md": 200}
MOST_NUMBERS = 3  # in a sentence
NUMBER = re.compile(r"(?<![\w.`/@=\[(-])\d[\d.,]*(?![\w`])")
NO_SENTENCE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|^[|#].*?$", re.DOTALL | re.MULTILINE)
# What is named after a template has to be renamed; fitted examples keep their names.
TO_RENAME = re.compile(r"(class|def) \w*mine|\bMine\(|mine\.\w*mine|^(- )?mine[:{]", re.IGNORECASE)


def check_yaml(root: Path) -> Iterator[str]:
    """Each YAML file names its JSON schema in the first line and is valid."""
    for path in (path for pattern in YAML_FILES for path in sorted(root.glob(pattern))):
        file = path.relative_to(root).as_posix()
        line = SCHEMA_LINE.match(path.read_text(encoding="utf-8"))
        schema = (path.parent / line[1]).resolve() if line else None
        if schema is None or not schema.is_file():
            yield f"{file}:1: no comment names its schema, as in workflow/studies/gallery.yaml"
            continue
        try:
            if schema.stem == "study":
                read_study(Layers(root), file)
            else:
                read_model(SCHEMAS[schema.stem], root, file)
        except PlanError as error:
            yield str(error)


def check_schemas(root: Path) -> Iterator[str]:
    """The JSON schemas are those of the models."""
    for name, model in SCHEMAS.items():
        path = root / f"workflow/schemas/{name}.json"
        if not path.is_file() or path.read_text(encoding="utf-8") != schema_text(model):
            yield f"workflow/schemas/{name}.json: out of date, run `make schemas`"


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page of the documentation."""
    paths = [*root.glob("*.md"), *root.glob(".github/*.md"), *root.glob("docs/**/*.md")]
    for path in sorted(paths):
        if "_build" not in path.parts:
            yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def check_paths(root: Path) -> Iterator[str]:
    """Files that a page names or links exist."""
    for page, text in pages(root):
        # Names in backticks are paths from the root of the project, links are paths from the page.
        names = re.findall(rf"`((?:{FOLDERS})/[\w/.]+)`", text)
        paths = {n: root / n for n in names if not n.startswith("docs/_build")}
        links = re.findall(r"\]\(([^):#]+)(?:#[\w-]+)?\)", text)
        paths |= {link: (root / page).parent / link for link in links}
        for name, path in paths.items():
            if not path.exists() and not FROM_THE_READER.match(path.name):
                yield f"{page}: {name} does not exist"


def check_commands(root: Path) -> Iterator[str]:
    """No target follows --config, since Snakemake takes each word after it for a setting."""
    for page, text in pages(root):
        for settings in re.findall(r"snakemake [^`\n#]*--config ([^`\n#]*)", text):
            for word in settings.replace("'", "").split():
                if "=" not in word and not word.startswith("-"):
                    yield f"{page}: put the target {word} before --config"


def check_numbers(root: Path) -> Iterator[str]:
    """Results are generated: no page of a paper, docstring or comment has typed ones."""
    paths = [
        *root.glob("docs/papers/*.md"),
        *root.glob("src/**/*.py"),
        *root.glob("workflow/catalog/*.yaml"),
        *root.glob("workflow/studies/*.yaml"),
        *root.glob("README.md"),
        *root.glob("docs/*.md"),
        *root.glob("docs/guide/*.md"),
    ]
    for path in sorted(paths):
        text = path.read_text(encoding="utf-8")
        pattern = DECIMAL if path.parent.name == "papers" else RESULT
        # A sentence may go on in the next line, also of a comment.
        for match in pattern.finditer(re.sub(r"[ #]*\n[ #]*", " ", text)):
            file = path.relative_to(root).as_posix()
            yield f"{file}: '{match[0].strip()}' is a result: show what a command made, or drop it"


def check_papers(root: Path) -> Iterator[str]:
    """The studies, figures and methods named on the page of a paper exist."""
    names = set(yaml.safe_load((root / "workflow/catalog/methods.yaml").read_text()))
    for path in (root / "workflow/studies").glob("*.yaml"):
        names |= {path.stem, *yaml.safe_load(path.read_text(encoding="utf-8")).get("figures", {})}
    for page in sorted((root / "docs/papers").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for name in sorted(set(re.findall(rf"`({page.stem}_\w+)`", text)) - names):
            yield f"docs/papers/{page.name}: no study, figure or method is named {name}"


def check_studies(root: Path) -> Iterator[str]:
    """Each study is named on a page of docs, which says what it is for, or its figure is there."""
    text = "\n".join(text for page, text in pages(root) if page.startswith("docs/"))
    for path in sorted((root / "workflow/studies").glob("*.yaml")):
        if f"`{path.stem}`" not in text and f"/figures/{path.stem}.svg" not in text:
            yield f"workflow/studies/{path.name}: no page of docs says what `{path.stem}` is for"


def check_lengths(root: Path) -> Iterator[str]:
    """Pages are as short as a reader has patience for, and so are lists of numbers."""
    limits = ((MOST_WORDS, str.split, "words"), (MOST_LINES, str.splitlines, "lines"))
    for most, split, unit in limits:
        for pattern, limit in most.items():
            for path in sorted(root.glob(pattern)):
                count = len(split(path.read_text(encoding="utf-8")))
                if count > limit:
                    yield f"{path.relative_to(root)}: {count} {unit}, at most {limit} are read"
    for page, text in pages(root):
        for sentence in re.split(r"(?<=[.:;?!])\s+|\n\s*\n|\n\s*[-*] ", NO_SENTENCE.sub("", text)):
            if len(NUMBER.findall(sentence)) > MOST_NUMBERS:
                yield f"{page}: more than {MOST_NUMBERS} numbers in '{' '.join(sentence.split())}'"


def check_templates(root: Path) -> Iterator[str]:
    """A template marks what has to be changed."""
    for path in sorted((root / "docs/templates").glob("[!R]*.*")):
        lines = path.read_text(encoding="utf-8").splitlines()
        if not any("CHANGE" in line for line in lines):
            yield f"docs/templates/{path.name}: no line is marked CHANGE"
        for number, line in enumerate(lines, 1):
            if TO_RENAME.search(line.strip()) and "CHANGE" not in line:
                yield f"docs/templates/{path.name}:{number}: mark this line CHANGE"


def check_notebooks(root: Path) -> Iterator[str]:
    """Notebooks are stored without outputs."""
    for path in sorted((root / "docs/notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        if any(cell["outputs"] or cell["execution_count"] is not None for cell in code):
            yield f"docs/notebooks/{path.name}: clear the outputs of all cells"


def check_benchmarks(root: Path) -> Iterator[str]:
    """Names that a benchmark imports from nldr exist, those of lazy packages too."""
    for path in sorted((root / "benchmarks").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("nldr"):
                module = importlib.import_module(node.module)
                modules = {m.name for m in pkgutil.iter_modules(getattr(module, "__path__", []))}
                for name in sorted({a.name for a in node.names} - modules - set(dir(module))):
                    yield f"benchmarks/{path.name}:{node.lineno}: {node.module} has no {name}"


CHECKS = (
    check_yaml,
    check_schemas,
    check_paths,
    check_commands,
    check_numbers,
    check_papers,
    check_studies,
    check_lengths,
    check_templates,
    check_notebooks,
    check_benchmarks,
)


def main() -> int:
    """Print the messages of all checks and return 1 if there are any."""
    messages = [message for check in CHECKS for message in check(ROOT)]
    print(*messages, sep="\n")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
