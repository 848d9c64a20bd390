"""Sources tell docstrings, defaults and places without being imported."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import pytest

from nldr.engine.code.imports import import_object
from nldr.report.data.docstrings import describe_source, summarize

OURS = (
    "nldr.methods.spectral.isomap.Isomap", "nldr.methods.spectral.pca.EigenvaluePCA",
    "nldr.methods.mvu.largest.LargestComponentMVU",
    "nldr.methods.ikd.ikd.IKD", "nldr.methods.controls.DamagedOracle",
    "nldr.methods.networks.autoencoder.VAE",
)  # fmt: skip


@pytest.mark.parametrize("path", [*OURS, "sklearn.decomposition.KernelPCA",
                                  "sklearn.manifold.ClassicalMDS"])  # fmt: skip
def test_defaults_and_first_line_are_those_of_the_class(path: str) -> None:
    found, real = describe_source(path), import_object(path)
    defaults = {name: parameter.default
                for name, parameter in inspect.signature(real).parameters.items()
                if parameter.default is not parameter.empty}  # fmt: skip
    assert found.defaults == defaults
    first = inspect.getdoc(real).partition("\n")[0]
    assert found.summary.startswith(first.replace("``", ""))


@pytest.mark.parametrize("path", OURS)
def test_place_is_the_line_of_the_class(path: str) -> None:
    file, _, line = describe_source(path).place.rpartition(":")
    assert not Path(file).is_absolute()
    source = Path(inspect.getfile(import_object(path))).read_text(encoding="utf-8").splitlines()
    assert source[int(line) - 1].startswith(f"class {path.rpartition('.')[2]}")


def test_installed_packages_have_no_place() -> None:
    assert describe_source("sklearn.decomposition.PCA").place == ""


@pytest.mark.parametrize("path", ["no_such_package.Thing", "nldr.methods.tsne.Nothing",
                                  "math.hypot", "nldr.methods.nowhere.Thing"])  # fmt: skip
def test_what_has_no_source_is_empty(path: str) -> None:
    found = describe_source(path)
    assert (found.summary, found.place, found.defaults) == ("", "", {})


def test_user_module_is_found_and_never_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "my_methods"
    package.mkdir()
    (package / "__init__.py").write_text("from .deep import Mine as Ours\n")
    (package / "deep.py").write_text(
        "raise RuntimeError('imported')\n"
        "class Base:\n"
        "    '''Say nothing twice.'''\n"
        '    def __init__(self, *, k=5, rate=len("ab"), rng=None): ...\n'
        "if True:\n"
        "    class Mine(Base):\n"
        "        x = 1\n"
    )
    (package / "broken.py").write_text("def (:\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    found = describe_source("my_methods.Ours")
    assert found.summary == "Say nothing twice."
    assert found.defaults == {"k": 5, "rate": "len('ab')"}
    assert found.place == "my_methods/deep.py:6"
    assert describe_source("my_methods.broken.Thing").summary == ""
    assert "my_methods" not in sys.modules


def test_summary_ends_where_a_formula_begins() -> None:
    assert summarize("Draw points.\n\nWith :math:`t`,\n\n.. math:: t") == "Draw points."
    assert summarize("Draw points.\n\n>>> 1 + 1\n2") == "Draw points."
    long = "A first paragraph that is long enough to stand alone. " * 3
    assert summarize(f"{long}\n\nMore.") == long.strip()
