"""Rules that the code base as a whole keeps: direction of imports, private modules, style.

CONTRIBUTING.md and docs/architecture.md explain them. Each test lists every violation with its
file, so that a failing rule says what to change.
"""

import ast
import functools
import graphlib
import io
import re
import tokenize
from pathlib import Path

import pytest

from nldr.engine.code.fingerprint import _parse, closure

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/nldr"

# Layers from top to bottom: a module imports from layers below its own and from its own package.
TOP = {"__main__", "cli"}
ABOVE = {"archive", "testing", "report.data"}
ENGINE = {"engine"}
OWN_DATA = {"comparison"}
MIDDLE = {"datasets", "methods", "metrics", "figures", "claims", "report"}
BOTTOM = {
    "costs",
    "dataset",
    "inputs",
    "kernels",
    "neighborhoods",
    "shipped",
    "statistics",
    "tables",
    "validation",
}
LAYERS = (TOP, ABOVE, ENGINE, OWN_DATA, MIDDLE, BOTTOM)
# Rooms of the engine from top to bottom: a room imports from floors below its own.
FLOORS = (
    {"running"},
    {"freshness"},
    {"planning", "stages"},
    {"cost", "code"},
    {"reading"},
    {"files", "jobs"},
)

# Packages of which nothing may be in the import closure of any module of another package.
NEVER_IMPORTED = {
    "methods": {"datasets", "metrics", "figures", "engine"},
    "metrics": {"datasets", "methods", "figures", "engine"},
    "datasets": {"methods", "metrics", "figures", "engine"},
    "figures": {"datasets", "methods", "metrics", "engine"},
    "comparison": {"engine"},  # `pip install nldr` is enough for it
}

MAX_MODULES_AT_TOP = 6
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
MIN_COMMENTS = {"methods": 6.0, "engine": 4.0}  # per 100 lines of code

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def module_name(path):
    """Return the dotted name of a source file: ``nldr.methods.ikd`` for its ``__init__.py``."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


@functools.cache
def trees():
    """Return the syntax tree of each of our modules."""
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


def shown(path):
    """Return a path as messages show it."""
    return path.relative_to(ROOT).as_posix()


def imports_of(module):
    """Return the modules that one of ours imports, as the fingerprints of jobs see them."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return sorted(set(_parse(path, package, 0)[0]))


def top_package(module):
    """Return ``methods`` for ``nldr.methods.ikd.ikd``, None for ``nldr`` and other packages."""
    parts = module.split(".")
    if parts[:3] == ["nldr", "report", "data"]:
        return "report.data"
    return parts[1] if parts[0] == "nldr" and len(parts) > 1 else None


def layer(package):
    """Return the index of the layer of a package, 0 at the top; an unknown package is below all."""
    return next((i for i, names in enumerate(LAYERS) if package in names), len(LAYERS))


def our_imports():
    """Yield each pair of our modules of which the first imports the second."""
    for module in MODULES:
        for target in imports_of(module):
            if top_package(module) and top_package(target):
                yield module, target


def family(module):
    """Return the package in which private modules are shared.

    That is the package under ``methods/``, else the package under ``nldr``.
    """
    parts = module.split(".")
    is_package = MODULES[module].name == "__init__.py"
    depth = 3 if parts[1:2] == ["methods"] and (len(parts) > 3 or is_package) else 2
    return ".".join(parts[:depth])


# Base classes and helpers that all families of methods share.
SHARED = (
    "nldr.methods._base",
    "nldr.methods._docs",
    "nldr.methods._progress",
    "nldr.methods._graph",
    "nldr.methods._printed",
    "nldr.methods._rows",
    "nldr.methods._sparse",
)


def is_private(module):
    """Tell whether any part of a module's name has a leading underscore, as ``_base`` has."""
    return any(re.match(r"_(?!_)", part) for part in module.split("."))


def code_lines(node):
    """Return the lines of a function from ``def`` to its end, without its docstring."""
    lines = (node.end_lineno or 0) - node.lineno + 1
    if ast.get_docstring(node, clean=False) is not None:
        docstring = node.body[0]
        lines -= (docstring.end_lineno or 0) - docstring.lineno + 1
    return lines


def count_comments(path):
    """Return the numbers of comments and of lines of code; comments to tools do not count."""
    comments, lines = 0, set()
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type == tokenize.COMMENT:
            comments += not re.search(r"noqa|fmt:|type:", token.string)
        elif token.type in (tokenize.NAME, tokenize.OP, tokenize.NUMBER):
            lines.add(token.start[0])
    return comments, len(lines)


def check(violations, rule):
    """Fail with the rule and all its violations, if there are any."""
    assert not violations, "\n  ".join([f"{rule} ({len(violations)}):", *violations])


def check_imports(rule, is_wrong):
    """Fail with the rule and the imports of our modules by each other that are wrong."""
    pairs = [(module, target) for module, target in our_imports() if is_wrong(module, target)]
    check([f"{shown(MODULES[module])} imports {target}" for module, target in pairs], rule)


def test_every_top_level_package_belongs_to_a_layer():
    packages = {top_package(module) for module in MODULES} - {None}
    unknown = sorted(packages - set.union(*LAYERS))
    check(unknown, "add these to a layer in tests/test_architecture.py")


def test_imports_point_downward():
    check_imports(
        "a module imports from a layer above its own",
        lambda module, target: layer(top_package(module)) > layer(top_package(target)),
    )


def room(module):
    """Return ``files`` for ``nldr.engine.files.store``, None outside of the engine's rooms."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["nldr", "engine"] and len(parts) > 2 else None


def test_rooms_of_the_engine_import_from_floors_below():
    floors = {name: floor for floor, names in enumerate(FLOORS) for name in names}
    check_imports(
        "a room of the engine imports from its own floor or from one above",
        lambda module, target: (
            room(module)
            and room(target)
            and room(module) != room(target)
            and floors[room(module)] >= floors[room(target)]
        ),
    )


def test_rules_import_only_the_engine():
    violations = []
    # Snakefiles are not Python: their import statements are found by pattern.
    for path in [ROOT / "Snakefile", *sorted((ROOT / "workflow/rules").glob("*.smk"))]:
        result = re.findall(r"^\s*(?:from|import) (nldr[\w.]*)", path.read_text(), re.MULTILINE)
        targets = [t for t in result if top_package(t) != "engine"]
        violations += [f"{shown(path)} imports {target}" for target in targets]
    check(violations, "rules reach the code through nldr.engine only")


def test_siblings_do_not_import_each_other():
    def are_siblings(module, target):
        one, other = top_package(module), top_package(target)
        return one != other and {one, other} <= MIDDLE

    rule = f"packages of one layer ({', '.join(sorted(MIDDLE))}) are independent"
    check_imports(rule, are_siblings)


@pytest.mark.parametrize("package", NEVER_IMPORTED)
def test_import_closure_stays_clear_of_siblings(package):
    violations = []
    for module in (m for m in MODULES if top_package(m) == package):
        reached = {top_package(source) for source in closure([module]).sources}
        wrong = sorted(reached & NEVER_IMPORTED[package])
        violations += [f"{shown(MODULES[module])} reaches {', '.join(wrong)}"] if wrong else []
    check(violations, f"a job that runs code of {package}/ would rerun for unrelated edits")


def test_no_import_cycle():
    graph = {m: [t for t in imports_of(m) if t in MODULES and t != m] for m in MODULES}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"import cycle: {' <- '.join(error.args[1])}")


def test_only_the_engine_imports_snakemake():
    violations = [
        shown(path)
        for module, path in MODULES.items()
        if top_package(module) not in TOP | ENGINE
        and any(target.partition(".")[0] == "snakemake" for target in imports_of(module))
    ]
    check(violations, "only engine/ knows Snakemake")


def test_one_module_imports_private_parts_of_scikit_learn():
    users = {
        shown(MODULES[module])
        for module, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn")
        for alias in node.names
        if is_private(f"{node.module}.{alias.name}")
    }
    assert users == {"src/nldr/validation.py"}, "import what nldr.validation offers"


def test_children_start_with_few_imports():
    """What plans and watches a run is not imported by the processes that compute."""
    reached = closure(["nldr.engine.running.warm"]).sources
    watching = {f"nldr.engine.running.{name}" for name in ("build", "progress", "tuning")}
    assert watching < MODULES.keys()
    violations = [
        name for name in reached if room(name) in ("planning", "freshness") or name in watching
    ]
    check(violations, "nldr.engine.running.warm reaches modules that plan")


def test_private_modules_are_imported_inside_their_family_only():
    # The common base of all methods is private to methods/ as a whole.
    check_imports(
        "import a public module of the family, or make the module public",
        lambda module, target: (
            is_private(target)
            and family(module) != family(target)
            and not (target in SHARED and top_package(module) == "methods")
        ),
    )


def test_top_level_is_small():
    modules = sorted(path.name for path in SOURCE.glob("*.py"))
    assert len(modules) <= MAX_MODULES_AT_TOP, f"src/nldr holds {', '.join(modules)}"


def test_files_are_short():
    lines = {shown(p): len(p.read_text(encoding="utf-8").splitlines()) for p in MODULES.values()}
    violations = [f"{file}: {n} lines" for file, n in lines.items() if n > MAX_FILE_LINES]
    check(violations, f"a file has at most {MAX_FILE_LINES} lines")


def test_functions_are_short():
    violations = [
        f"{shown(MODULES[module])}:{node.lineno} {node.name}: {code_lines(node)} lines"
        for module, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, FUNCTIONS) and code_lines(node) > MAX_FUNCTION_LINES
    ]
    check(violations, f"a function has at most {MAX_FUNCTION_LINES} lines without its docstring")


@pytest.mark.parametrize("package", MIN_COMMENTS)
def test_comments_mark_the_way(package):
    counts = {p: count_comments(p) for m, p in MODULES.items() if top_package(m) == package}
    total = 100 * sum(c for c, _ in counts.values()) / sum(n for _, n in counts.values())
    # Name the files in which comments are scarcest, those with most lines first.
    scarce = [p for p, (c, n) in counts.items() if 100 * c < MIN_COMMENTS[package] * n]
    scarce.sort(key=lambda path: -counts[path][1])
    files = [f"{shown(p)}: {counts[p][0]} in {counts[p][1]} lines" for p in scarce]
    assert total >= MIN_COMMENTS[package], "\n  ".join(
        [f"{total:.1f} comments per 100 lines, wanted {MIN_COMMENTS[package]:g}:", *files]
    )
