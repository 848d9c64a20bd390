"""Works behind the catalog are found, and their DOIs are those of the catalog."""

import pytest
from conftest import ROOT, our_plan

from nldr.cli import main
from nldr.cli.cite import bibliography
from nldr.cli.references import REFERENCES, References


@pytest.fixture(scope="module")
def references():
    return References(our_plan().catalog.layers.read(References, REFERENCES))


def test_each_source_of_the_catalog_names_a_work(references):
    catalog = our_plan().catalog
    metrics = [metric for _, metric in catalog.metrics.values()]
    entries = [
        *catalog.families.values(),
        *catalog.methods.values(),
        *catalog.datasets.values(),
        *metrics,
    ]
    used = set()
    for entry in entries:
        keys = list(references.of(entry.source or ""))
        used.update(keys)
        assert keys or not entry.source or entry.source.startswith("ours"), entry.source
        if entry.doi:
            assert entry.doi in {references.root[key].doi for key in keys}, entry.source
    assert used == references.root.keys()


def test_study_cites_its_paper_data_methods_and_metrics_once():
    text = bibliography(our_plan("quick"), ["ikd_fig1", "ikd_fig2"])
    for key in ("li2024", "pearson1901", "tenenbaum2000"):
        assert text.count(f"{{{key},") == 1
    assert "doi = {10.1126/science.290.5500.2319}" in text
    assert "costa_mvu" not in text


def test_unknown_study_is_named(capsys):
    assert main(["--root", str(ROOT), "cite", "ikd_fig11"]) == 2
    assert "unknown study 'ikd_fig11': did you mean 'ikd_fig1" in capsys.readouterr().err


def test_study_whose_works_are_not_listed_is_told(project, capsys):
    project.write(REFERENCES, "{}")
    assert main(["--root", str(project.path), "cite", "ikd_fig1"]) == 2
    assert "none of the works of ikd_fig1: add them" in capsys.readouterr().err


def test_title_keeps_its_capitals(references):
    assert "title = {{Hessian eigenmaps: Locally" in references.root["donoho2003"].bibtex("a")
    assert list(references.of("Donoho & Grimes, Hessian eigenmaps, 2003")) == ["donoho2003"]
    assert list(references.of("ours")) == []
