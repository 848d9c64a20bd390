"""Families of methods in the catalog."""

import re
import shutil

import pytest
from conftest import ROOT, SIGNATURES

from nldr.engine.planning.catalog import Catalog
from nldr.engine.reading.entries import FamilyEntry
from nldr.engine.reading.parsing import PlanError, parse


def test_unknown_family_raises(tmp_path):
    shutil.copytree(ROOT / "workflow/catalog", tmp_path / "workflow/catalog")
    methods = tmp_path / "workflow/catalog/methods.yaml"
    methods.write_text(methods.read_text().replace("family: pca", "family: pcaa"))
    message = r"methods\.yaml: pca\.family = 'pcaa': not in .*families\.yaml: did you mean 'pca'"
    catalog = Catalog(tmp_path, SIGNATURES)
    with pytest.raises(PlanError, match=message):
        catalog.check_broken("methods", "pca")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"color": "red"}, "families.yaml: color = 'red': String should match pattern"),
        ({"marker": "x"}, "families.yaml: marker = 'x': Input should be 'o', 's'"),
        ({"colour": "#000000"}, "families.yaml: unknown key 'colour': did you mean 'color'?"),
    ],
)
def test_invalid_look_raises(change, message):
    entry = {"title": "a family", "color": "#D55E00", "marker": "o"}
    assert parse(FamilyEntry, entry, "families.yaml").color == "#D55E00"
    with pytest.raises(PlanError) as error:
        parse(FamilyEntry, {**entry, **change}, "families.yaml")
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("wrap: roots", "wrap: root"), "pca_roots.wrap = 'root': did you mean 'roots'?"),
        (("method: pca", "method: pcaa"), "pca_roots.method = 'pcaa': did you mean 'pca'?"),
        (("method: pca", "method: tsne_roots"), "pca_roots.method = 'tsne_roots': did you mean"),
        (("variant: 5\n  source", "varient: 5\n  source"), "pca_roots: unknown key 'varient'"),
    ],
)
def test_unknown_wrapper_or_method_raises(tmp_path, change, message):
    shutil.copytree(ROOT / "workflow/catalog", tmp_path / "workflow/catalog")
    methods = tmp_path / "workflow/catalog/methods.yaml"
    before, after = methods.read_text().split("\npca_roots:")
    methods.write_text(before + "\npca_roots:" + after.replace(*change, 1))
    catalog = Catalog(tmp_path, SIGNATURES)
    with pytest.raises(PlanError, match=re.escape(f"methods.yaml: {message}")):
        catalog.check_broken("methods", "pca_roots")


def test_a_wrapped_method_takes_family_and_title_of_the_method():
    catalog = Catalog(ROOT, SIGNATURES)
    entry = catalog.methods["tsne_imputed"]
    assert entry.title == "t-SNE after imputation"
    assert entry.family == catalog.methods["tsne"].family
    assert entry.params == {"method": "tsne", "imputer": "knn"}
    assert entry.seconds == 1800
