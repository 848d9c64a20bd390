"""Fingerprints follow what code does, through imports of every form."""

import shutil
import sys
from importlib.metadata import version

import pytest

from nldr.engine.code import fingerprint, parsed
from nldr.engine.code.fingerprint import closure

EMBED = "nldr.engine.stages.embed"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a function that writes a module of a package that stands in for ours."""
    monkeypatch.setattr(fingerprint, "ROOT", tmp_path)

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)

    return write


@pytest.mark.parametrize(
    "statement",
    [
        "import nldr.b",
        "import nldr.b as x",
        "from nldr import b",
        "from nldr.b import thing",
        "from . import b",
        "from .b import thing",
        "def f():\n    from nldr.b import thing",
        "if True:\n    import nldr.b",
    ],
)
def test_every_form_of_import_is_followed(package, statement):
    package("__init__.py", "")
    package("a.py", statement)
    package("b.py", "import nldr.sub.c")
    package("sub/__init__.py", "")
    package("sub/c.py", "from ..d import thing")
    package("d.py", "import nldr.a\nthing = 1")  # a cycle ends
    package("stranger.py", "")
    assert {"nldr.a", "nldr.b", "nldr.sub.c", "nldr.d"} <= set(closure(["nldr.a"]).sources)
    assert "nldr.stranger" not in closure(["nldr.a"]).sources


def test_name_from_a_package_may_come_from_any_of_its_modules(package):
    package("a.py", "from nldr.methods import Thing")
    package("methods/__init__.py", "__getattr__ = None")
    package("methods/thing.py", "class Thing: pass")
    assert "nldr.methods.thing" in closure(["nldr.a"]).sources


def test_comments_docstrings_and_layout_do_not_count(package):
    package("a.py", "def f(x):\n    return x + 1\n")
    before = closure(["nldr.a"]).fingerprint
    package("a.py", '"""Text."""\n# words\ndef f( x ):\n    """More."""\n    return (x + 1)\n')
    assert closure(["nldr.a"]).fingerprint == before
    package("a.py", "def f(x):\n    return x + 2\n")
    assert closure(["nldr.a"]).fingerprint != before


def test_distributions_count_by_version_with_all_they_require():
    distributions = closure(["sklearn.manifold"]).distributions
    assert distributions["scikit-learn"] == version("scikit-learn")
    assert distributions["numpy"] == version("numpy")
    assert "pytest" not in distributions


def test_installed_modules_are_listed_wherever_they_are_imported(package):
    text = "import numpy.linalg\nimport json\ndef f():\n    from sklearn import manifold\n"
    package("a.py", f"from nldr.engine.b import f as g\n{text}")
    package("engine/b.py", f"import pandas\n{text}")
    assert closure(["nldr.a"]).imports == ("numpy.linalg", "pandas", "sklearn")


def test_version_changes_the_fingerprint(monkeypatch):
    before = closure(["sklearn.manifold"]).fingerprint
    real = fingerprint._distribution
    monkeypatch.setattr(
        fingerprint, "_distribution", lambda name: ("99", ()) if name == "numpy" else real(name)
    )
    assert closure(["sklearn.manifold"]).fingerprint != before


def test_python_counts_by_its_minor_version(monkeypatch):
    before = closure(["nldr.kernels"]).fingerprint
    monkeypatch.setattr(sys, "version_info", (*sys.version_info[:2], 99, "final", 0))
    assert closure(["nldr.kernels"]).fingerprint == before
    monkeypatch.setattr(sys, "version_info", (3, 99, 0, "final", 0))
    assert closure(["nldr.kernels"]).fingerprint != before


def test_modules_outside_distributions_count_by_content(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_method.py").write_text("import my_helper")
    (tmp_path / "my_helper.py").write_text("x = 1")
    assert set(closure(["my_method"]).sources) == {"my_method", "my_helper"}


def test_an_embedding_depends_on_what_computes_it_and_not_on_what_runs_it():
    sources = set(closure([EMBED]).sources)
    assert {
        "nldr.engine.stages.embed",
        "nldr.engine.stages.failures",
        "nldr.engine.stages.clocks",
        "nldr.dataset",
        "nldr.engine.code.imports",
        "nldr.engine.files.store",
    } <= sources
    rooms = tuple(f"nldr.engine.{room}." for room in ("cost", "freshness", "planning", "running"))
    assert not [name for name in sources if name.startswith(rooms)]


GPLVM = {"gp.gplvm", "gp.kernels", "gp.missing", "ikd.start"}
IKD = {"ikd.ikd", "gp.refine"} | GPLVM - {"gp.gplvm"}
MVU = {"mvu.certificate", "mvu.mvu"}
BUILT_ON = {
    "densmap": {"umap"},
    "dreams": {"tsne"},
    "gp.bayesian_gplvm": {"gp.kernels", "gp.missing"},
    "gp.discrete_gplvm": IKD,
    "gp.gplvm": GPLVM - {"gp.gplvm"},
    "gp.lolagp": {"gp.kernels", "gp.missing"},
    "gp.refine": {"gp.kernels", "gp.missing"},
    "gp.swapped": GPLVM,
    "gp.uncentered": GPLVM,
    "ikd.diagnostics": IKD,
    "ikd.ikd": IKD - {"ikd.ikd"},
    "imputed": {"gp.bayesian_gplvm", "gp.lolagp", "tsne", "umap"} | GPLVM,
    "mvu.aligned": MVU,
    "mvu.component_order": {"mvu.published"} | MVU,
    "mvu.disjoint": {"mvu.joint_certificate"} | MVU,
    "mvu.joint_certificate": {"mvu.certificate"},
    "mvu.landmark": {"mvu.certificate"},
    "mvu.largest": MVU,
    "mvu.mvu": {"mvu.certificate"},
    "mvu.published": MVU,
    "networks.bernoulli": {"networks.autoencoder"},
    "networks.dlmp": {"tsne"},
    "restarts": {"gp.gplvm", "networks.autoencoder", "tsne", "umap"} | IKD,
    "spectral.collapsed": {"spectral.released"},
    "spectral.nonmetric": {"spectral.mds"},
    "spectral.rounded": {"spectral.released"},
    "spectral.selected": {"spectral.released", "spectral.rounded"},
    "stabilized": {"gp.bayesian_gplvm", "gp.gplvm", "spectral.isomap", "tsne"} | IKD,
    "stream": {"networks.parametric_tsne", "networks.parametric_umap", "tsne", "umap"},
}


def public_modules(package):
    """Return the public modules of a package of ours, front doors left out."""
    folder = fingerprint.ROOT / package
    names = [path.relative_to(folder).with_suffix("").parts for path in folder.rglob("*.py")]
    return [".".join(parts) for parts in names if not any(part[0] == "_" for part in parts)]


@pytest.mark.parametrize("module", public_modules("methods"))
def test_editing_a_method_leaves_others_up_to_date(module):
    sources = closure([f"nldr.methods.{module}"]).sources
    others = {name for name in public_modules("methods") if f"nldr.methods.{name}" in sources}
    assert others == {module} | BUILT_ON.get(module, set())


def test_scratch_copy_has_the_same_fingerprint(tmp_path, monkeypatch):
    before = closure([EMBED]).fingerprint
    shutil.copytree(fingerprint.ROOT, tmp_path / "nldr")
    monkeypatch.setattr(fingerprint, "ROOT", tmp_path / "nldr")
    assert closure([EMBED]).fingerprint == before


def test_code_is_parsed_once_for_all_runs(tmp_path, monkeypatch):
    content = b"from . import b\nimport c.d"
    first = parsed.parse_code(content)
    parsed.save(tmp_path)
    # Another process
    monkeypatch.setattr(parsed, "_remembered", {})
    parsed.load(tmp_path)
    monkeypatch.setattr(parsed, "_parse", None)
    assert parsed.parse_code(content) == first
    # A damaged file is none
    (tmp_path / parsed.FILE).write_text("{")
    parsed.load(tmp_path)
