"""Families of methods in the catalog."""

import pytest
from conftest import ROOT, SIGNATURES

from nldr.engine.planning.catalog import Catalog
from nldr.engine.reading.entries import FamilyEntry
from nldr.engine.reading.parsing import PlanError, parse


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


def test_a_wrapped_method_takes_family_and_title_of_the_method():
    catalog = Catalog(ROOT, SIGNATURES)
    entry = catalog.methods["tsne_imputed"]
    assert entry.title == "t-SNE after imputation"
    assert entry.family == catalog.methods["tsne"].family
    assert entry.params == {"method": "tsne", "imputer": "knn"}
    assert entry.seconds == 1800
