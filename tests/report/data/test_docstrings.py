"""Cards have the summary, defaults and place of a class or function."""

import inspect
from pathlib import Path

import pytest

from nldr.engine.code.imports import import_object
from nldr.report.data.docstrings import describe_source, summarize


@pytest.mark.parametrize(
    "path", ["nldr.methods.mvu.largest.LargestComponentMVU", "nldr.methods.controls.DamagedOracle"]
)
def test_place_is_the_line_of_the_class(path):
    file, _, line = describe_source(path).place.rpartition(":")
    assert not Path(file).is_absolute()
    source = Path(inspect.getfile(import_object(path))).read_text(encoding="utf-8").splitlines()
    assert source[int(line) - 1].startswith(f"class {path.rpartition('.')[2]}")


def test_installed_packages_have_no_place():
    assert describe_source("sklearn.decomposition.PCA").place == ""


@pytest.mark.parametrize(
    "path", ["no_such_package.Thing", "nldr.methods.tsne.Nothing", "my_broken.Thing"]
)
def test_path_that_cannot_be_imported_is_empty(path, tmp_path, monkeypatch):
    (tmp_path / "my_broken.py").write_text("def (:\n")
    monkeypatch.syspath_prepend(tmp_path)
    described = describe_source(path)
    assert (described.summary, described.place, described.defaults) == ("", "", {})


def test_base_class_says_what_a_class_of_the_user_does_not(tmp_path, monkeypatch):
    package = tmp_path / "my_methods"
    package.mkdir()
    (package / "__init__.py").write_text("from .deep import Mine as Ours\n")
    (package / "deep.py").write_text(
        "class Base:\n"
        "    '''Say nothing twice.'''\n"
        "    def __init__(self, *, k=5, rng=None): ...\n"
        "class Mine(Base):\n"
        "    x = 1\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    described = describe_source("my_methods.Ours")
    assert described.summary == "Say nothing twice."
    assert described.defaults == {"k": 5}
    assert described.place == "my_methods/deep.py:4"


def test_summary_ends_where_a_formula_begins():
    assert summarize("Draw points.\n\nWith :math:`t`,\n\n.. math:: t") == "Draw points."
    assert summarize("Draw points.\n\n>>> 1 + 1\n2") == "Draw points."
    long = "A first paragraph that is long enough to stand alone. " * 3
    assert summarize(f"{long}\n\nMore.") == long.strip()
