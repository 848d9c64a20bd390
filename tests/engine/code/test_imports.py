"""Objects are found by import path; their signatures are kept between runs."""

import pytest

from nldr.engine.code import imports
from nldr.engine.code.imports import SignatureCache, describe, import_object


@pytest.mark.parametrize("path", ["absent_module.Thing", "math.absent", "name"])
def test_object_that_cannot_be_imported_raises(path):
    with pytest.raises(ImportError):
        import_object(path)
    assert describe(path).error is not None


def test_describe_an_estimator_and_a_function():
    pca = describe("sklearn.decomposition.PCA")
    assert pca.estimator
    assert "n_components" in pca.parameters
    assert pca.numbers == ["n_oversamples"]
    assert not describe("sklearn.manifold.trustworthiness").estimator
    assert describe("nldr.methods.tsne.RefittedTSNE").transforms_jointly
    assert not describe("nldr.methods.tsne.TSNE").transforms_jointly
    assert describe("nldr.methods.imputed.Imputed").missing
    assert not pca.missing
    assert describe("math.pi").error == "math.pi is not a class or function"


def test_signatures_are_kept_until_the_code_changes(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(
        imports.Importer, "describe", lambda _, path: calls.append(path) or describe(path)
    )
    version = ["1"]
    for _ in range(3):
        cache = SignatureCache(tmp_path / "s.json", lambda path: version[0])
        assert cache["json.dumps"].parameters[0] == "obj"
        assert cache["absent.thing"].error is not None
        cache.save()
    assert calls.count("json.dumps") == 1
    assert calls.count("absent.thing") == 3
    version[0] = "2"
    assert SignatureCache(tmp_path / "s.json", lambda path: version[0])["json.dumps"].open
    assert calls.count("json.dumps") == 2
    # A damaged file is replaced
    (tmp_path / "s.json").write_text("{half")
    cache = SignatureCache(tmp_path / "s.json", lambda path: version[0])
    assert cache["json.dumps"].error is None
    cache.save()
    assert "json.dumps 2" in (tmp_path / "s.json").read_text()


def test_module_cannot_stop_delay_or_print_in_the_process_that_plans(tmp_path, monkeypatch, capfd):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(imports, "IMPORT_SECONDS", 3)
    modules = {
        "exits": "raise SystemExit(0)",
        "dies": "import os; os._exit(0)",
        "spins": "while True: pass",
        "sleeps": "import time; time.sleep(20)",
        "prints": "print('noise'); print(open(0).read())\ndef f(x): pass",
    }
    for name, code in modules.items():
        (tmp_path / f"{name}_here.py").write_text(code)
    importer = imports.Importer()
    signatures = {name: importer.describe(f"{name}_here.f") for name in modules}
    importer.close()
    assert {name: signature.error for name, signature in signatures.items()} == {
        "exits": "SystemExit: 0",
        "dies": "its module ends the process",
        "spins": "this takes more than 3 s",
        "sleeps": "this takes more than 3 s",
        "prints": None,
    }
    assert signatures["prints"].parameters == ["x"]
    assert capfd.readouterr() == ("", "")
