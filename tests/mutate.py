"""Mutation test: small faults in the code that the tests of its area should notice.

``python tests/mutate.py --mutants 60`` changes one place at a time in a copy of the project, chosen
at random in the engine, claims, statistics and methods: a comparison, an operator, a constant, a
condition. For each, it runs the examples of that module and its tests, then those of its folder and
of its part of the project, such as ``tests/methods/gp``. A mutant that they pass has survived. The
exit status is 1 if fewer than 85 % are killed.
"""

import argparse
import ast
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from conftest import ROOT, copy_from_git

AREAS = ("engine", "claims", "statistics", "methods")
SHARE = 0.85
SECONDS = 900  # a mutant that hangs is killed
PAIRS = (
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.In, ast.NotIn),
    (ast.Is, ast.IsNot),
    (ast.And, ast.Or),
    (ast.Add, ast.Sub),
    (ast.Mult, ast.Div),
)
SWAPS = dict(PAIRS) | {other: one for one, other in PAIRS}


class Mutate(ast.NodeTransformer):
    """Change the n-th place of a module that can be changed; without ``n``, count them."""

    def __init__(self, n=None):
        self.n, self.count, self.line = n, 0, 0

    def _is_next(self, node):
        self.count += 1
        if self.count - 1 == self.n:
            self.line = node.lineno
            return True
        return False

    def visit_Expr(self, node):
        # Docstrings stay as they are
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_AnnAssign(self, node):
        node.value = node.value and self.visit(node.value)
        return node

    def visit_FunctionDef(self, node):
        # Not in its decorators, such as `frozen=True`
        node.body = [self.visit(statement) for statement in node.body]
        return node

    visit_ClassDef = visit_FunctionDef

    def visit_Compare(self, node):
        swap = SWAPS.get(type(node.ops[0]))
        if swap and self._is_next(node):
            node.ops[0] = swap()
        return self.generic_visit(node)

    def visit_BoolOp(self, node):
        if self._is_next(node):
            node.op = SWAPS[type(node.op)]()
        return self.generic_visit(node)

    def visit_BinOp(self, node):
        swap = SWAPS.get(type(node.op))
        if swap and self._is_next(node):
            node.op = swap()
        return self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not) and self._is_next(node):
            return node.operand
        return self.generic_visit(node)

    def visit_Constant(self, node):
        if type(node.value) in (int, float) and self._is_next(node):
            return ast.Constant(node.value + 1)
        if isinstance(node.value, bool) and self._is_next(node):
            return ast.Constant(not node.value)
        return node


def tests_of(module):
    """Return the tests of a module, the likeliest first: its file, its folder, its part of an area.

    Those of a whole area, which take long, count only where there is nothing nearer.
    """
    folder = Path("tests") / module.relative_to("src/nldr").parent
    area, part = Path(*folder.parts[:2]), Path(*folder.parts[:3])
    places = [folder / f"test_{module.stem.lstrip('_')}.py", folder, part]
    near = [place for place in dict.fromkeys(places) if place != area and (ROOT / place).exists()]
    return near or [area]


def is_killed(folder, tests):
    """Run tests or examples in the copy and tell whether one fails, or all hang."""
    command = [
        sys.executable,
        *["-m", "pytest", "-q", "-x", "-n0", "-p", "no:cacheprovider"],
        str(tests),
    ]
    environment = {"PYTHONPATH": str(folder / "src"), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    try:
        ran = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    assert ran.returncode != 4, f"there are no tests in {tests}"
    return ran.returncode not in (0, 5)  # 5: a module without examples


def main():
    """Run the mutation test."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--areas", nargs="+", default=AREAS, help="folders of src/nldr")
    options = parser.parse_args()
    places = []
    for area in options.areas:
        for path in sorted((ROOT / "src/nldr" / area).rglob("*.py")):
            counter = Mutate()
            counter.visit(ast.parse(path.read_text(encoding="utf-8")))
            places += [(path.relative_to(ROOT), n) for n in range(counter.count)]
    chosen = random.Random(options.seed).sample(places, options.mutants)
    killed = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name)
        copy_from_git(folder)
        for module, n in chosen:
            source = (ROOT / module).read_text(encoding="utf-8")
            mutation = Mutate(n)
            mutant = ast.unparse(ast.fix_missing_locations(mutation.visit(ast.parse(source))))
            (folder / module).write_text(mutant, encoding="utf-8")
            dead = any(is_killed(folder, tests) for tests in [module, *tests_of(module)])
            (folder / module).write_text(source, encoding="utf-8")
            killed += dead
            line = source.splitlines()[mutation.line - 1].strip()
            print(f"{'killed' if dead else 'SURVIVED'} {module}:{mutation.line} {line}", flush=True)
    print(f"{killed} of {options.mutants} mutants are killed")
    return int(killed < SHARE * options.mutants)


if __name__ == "__main__":
    sys.exit(main())
