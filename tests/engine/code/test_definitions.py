"""Code of the engine counts definition by definition: what a job uses, and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from nldr.engine.code import fingerprint
from nldr.engine.code.fingerprint import closure
from nldr.engine.planning import cells, report_jobs

STORE = """
from __future__ import annotations
import json
from dataclasses import dataclass
from nldr.engine import names
from nldr.engine.base import Base, mark
from nldr.tools import pack

LIMIT = 3
Rows = list[int]

def helper(x):
    return x + LIMIT

@mark
def marked():
    pass

class Part(Base):
    size: int = 3

    def grow(self):
        return helper(self.size)

def save(rows: Rows, sep=names.COMMA):
    return pack(json.dumps(rows)) + Part().grow()

def unused():
    return spare(2)

def spare(x):
    return x
"""
FILES = {
    "engine/files/store.py": STORE,
    "engine/names.py": "COMMA = ','\nDOT = '.'\n",
    "engine/base.py": "class Base:\n    kind = 1\n\ndef mark(f):\n    return f\n",
    "engine/job.py": (
        "from nldr.engine.files.store import save\n\ndef run():\n    return save([1])\n"
    ),
    "engine/first.py": "import nldr.tools\nfirst = 1\n",
    "tools.py": "def pack(x):\n    return x\n\nother = 1\n",
}


class Package:
    """A package that stands in for ours."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text()
        assert old in text
        self.write(name, text.replace(old, new))

    def fingerprint(self, entry: str = "nldr.engine.job.run") -> str:
        fingerprint._definitions_cached.cache_clear()
        fingerprint._parse_cached.cache_clear()
        return closure([], entries=[entry]).fingerprint


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    monkeypatch.setattr(fingerprint, "ROOT", tmp_path)
    return Package(tmp_path)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("engine/files/store.py", "x + LIMIT", "x - LIMIT"),
        ("engine/files/store.py", "LIMIT = 3", "LIMIT = 4"),
        ("engine/files/store.py", "Rows = list[int]", "Rows = list[float]"),
        ("engine/files/store.py", "size: int = 3", "size: int = 4"),
        ("engine/files/store.py", "sep=names.COMMA", "sep=names.DOT"),
        ("engine/names.py", "','", "';'"),
        ("engine/base.py", "kind = 1", "kind = 2"),
        ("engine/base.py", "return f", "return [f]"),
        (
            "engine/files/store.py",
            "@mark\ndef marked():\n    pass",
            "@mark\ndef marked():\n    return 1",
        ),
        ("engine/files/store.py", "import json\n", "import pickle as json\n"),
        ("engine/files/store.py", "\nLIMIT", "\nprint('imported')\nLIMIT"),
        ("engine/names.py", "\nDOT", "\nprint('imported')\nDOT"),
        ("engine/names.py", "\nDOT", "\nX = {}\nX['x'] = 1\nDOT"),
        ("tools.py", "return x", "return [x]"),
        ("tools.py", "other = 1", "other = 2"),
        ("engine/job.py", "save([1])", "save([2])"),
    ],
)
def test_what_an_entry_uses_counts(package: Package, file: str, old: str, new: str) -> None:
    before = package.fingerprint()
    package.edit(file, old, new)
    assert package.fingerprint() != before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("engine/files/store.py", "LIMIT = 3", "NEW = 5\nLIMIT = 3"),
        ("engine/files/store.py", "spare(2)", "spare(3)"),
        (
            "engine/files/store.py",
            "import json\n",
            "import json\nfrom nldr.engine.names import DOT\n",
        ),
        ("engine/files/store.py", "def spare(x):\n    return x", '"""Text."""\n'),
        ("engine/names.py", "'.'", "':'"),
        ("engine/job.py", "def run", "def idle():\n    pass\n\ndef run"),
    ],
)
def test_what_an_entry_does_not_use_does_not_count(
    package: Package, file: str, old: str, new: str
) -> None:
    before = package.fingerprint()
    package.edit(file, old, new)
    assert package.fingerprint() == before


UNRESOLVED = {
    "two definitions": "if LIMIT:\n    def run():\n        pass\n\ndef run():\n    pass\n",
    "a name from nowhere": "def run():\n    return nowhere\n",
    "a name that another function sets": "STATE = 1\ndef set():\n    global STATE\n    STATE = 2\n"
    "def run():\n    return STATE\n",
    "all names": "def run():\n    return globals()['x']\n",
    "a module as an object": "from nldr.engine import job\ndef run():\n    return vars(job)\n",
    "a module by its path": "def run():\n    return 'nldr.engine.job'\n",
    "an attribute that a module lacks": "from nldr.engine import job\n"
    "def run():\n    return job.__name__\n",
    "an import of a star": "from nldr.engine.names import *\ndef run():\n    return DOT\n",
    "an entry that is not there": "",
    "the module itself": "import nldr.engine.job\ndef run():\n    return nldr.engine.job.other\n",
}


@pytest.mark.parametrize("name", UNRESOLVED)
def test_what_cannot_be_resolved_counts_as_a_whole(package: Package, name: str) -> None:
    package.write("engine/job.py", UNRESOLVED[name] + "\ndef other():\n    return 1\n")
    before = package.fingerprint()
    package.edit("engine/job.py", "return 1", "return 2")
    assert package.fingerprint() != before


@pytest.mark.parametrize(
    "text",
    [
        "from nldr.engine.names import DOT",
        "import nldr.engine.names as short\ndef f():\n    return short.DOT",
        "def f():\n    from nldr.engine.names import DOT\n    return DOT",
        "from nldr.engine import names\ndef f(x=names.DOT):\n    return x",
        "if True:\n    from nldr.engine.names import DOT",
        "DOT = 'nldr.engine.names.DOT'",
    ],
)
def test_every_form_of_import_is_followed_to_the_definition(package: Package, text: str) -> None:
    package.write("engine/job.py", text)
    entry = f"nldr.engine.job.{'f' if 'def f' in text else 'DOT'}"
    before = package.fingerprint(entry)
    package.edit("engine/names.py", "','", "';'")
    assert package.fingerprint(entry) == before
    package.edit("engine/names.py", "'.'", "':'")
    assert package.fingerprint(entry) != before


def test_import_for_other_modules_is_followed(package: Package) -> None:
    package.write("engine/job.py", "from nldr.engine.middle import save\ndef run():\n    save(1)\n")
    package.write("engine/middle.py", "from nldr.engine.files.store import save\n")
    before = package.fingerprint()
    package.edit("engine/middle.py", "import save", "import spare as save")
    assert package.fingerprint() != before


@pytest.mark.parametrize("order", [1, -1])
def test_other_packages_count_as_a_whole_in_any_order(package: Package, order: int) -> None:
    entries = ["nldr.engine.files.store.save", "nldr.engine.first.first"][::order]
    before = closure([], entries=entries).sources
    package.edit("tools.py", "other = 1", "other = 2")
    after = closure([], entries=entries).sources
    assert {name for name in after if before[name] != after[name]} == {"nldr.tools"}


def test_packages_around_an_entry_count_by_what_they_do(package: Package) -> None:
    package.write("engine/__init__.py", "x = 1\n")
    before = package.fingerprint()
    package.write("engine/__init__.py", "x = 2\n")
    assert package.fingerprint() == before
    package.write("engine/__init__.py", "print('imported')\n")
    assert package.fingerprint() != before


CODE = {
    name.rpartition(".")[2]: name
    for name in (
        cells.DATA_CODE, cells.EMBED_CODE, cells.SCORE_CODE, report_jobs.TABLE_CODE,
        report_jobs.FIGURE_CODE, report_jobs.VERDICT_CODE, report_jobs.CLAIMS_CODE,
    )
}  # fmt: skip


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], set[str]]:
    """Return a function that adds a line to store.py and returns the jobs it makes stale."""
    root = tmp_path / "nldr"
    shutil.copytree(fingerprint.ROOT, root)
    monkeypatch.setattr(fingerprint, "ROOT", root)

    def fingerprints() -> dict[str, str]:
        return {job: closure([], entries=[code]).fingerprint for job, code in CODE.items()}

    def stale(line: str) -> set[str]:
        before = fingerprints()
        store = root / "engine/files/store.py"
        store.write_text(f"{store.read_text()}\n{line}\n")
        return {job for job, found in fingerprints().items() if found != before[job]}

    return stale


def test_unused_constant_of_the_engine_makes_nothing_stale(copy: Callable) -> None:
    assert copy("UNUSED = 1") == set()
    assert copy("def unused():\n    pass") == set()
    assert copy("print('imported')") == CODE.keys()
