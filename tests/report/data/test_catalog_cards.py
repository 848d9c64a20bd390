"""Every entry of the catalogs has what its card shows, and each work has one DOI."""

import re
from collections import defaultdict

import pytest
from conftest import our_plan
from pydantic import ValidationError

from nldr.engine.reading.entries import DOI, MetricEntry
from nldr.report.data.catalog_cards import plan_cards
from nldr.report.data.guide import SURVEYS
from nldr.report.data.planning import report_job

# Entries and families must cite; these have nothing but a name of their own to cite.
OWN = re.compile(r"^(ours|the given file|runs released|apparently|after)\b")


@pytest.fixture(scope="module")
def plan():
    return our_plan()


@pytest.fixture(scope="module")
def cards(plan):
    return plan_cards(plan.catalog, plan.studies.values())


def cited(plan, cards):
    """Yield name, source and DOI of all entries, metrics that no study uses included."""
    yield from ((e.name, e.source, e.doi) for e in cards)
    yield from ((n, m.source, m.doi or "") for n, (_, m) in plan.catalog.metrics.items())


def test_every_method_and_dataset_has_a_card(plan, cards):
    names = {kind: [e.name for e in cards if e.kind == kind] for kind in ("method", "dataset")}
    assert names == {"method": list(plan.catalog.methods), "dataset": list(plan.catalog.datasets)}


def test_every_method_has_a_complexity_and_every_metric_a_formula(plan, cards):
    methods = [e for e in cards if e.kind == "method"]
    vague = [
        e.name for e in methods if not re.search(r"O\(|^that of ", e.facts.get("Complexity", ""))
    ]
    assert not vague
    assert not [name for name, (_, metric) in plan.catalog.metrics.items() if not metric.formula]


def test_sources_have_a_year_and_each_work_has_one_doi(plan, cards):
    works, dois = defaultdict(set), defaultdict(set)
    for name, source, doi in cited(plan, cards):
        assert source, name
        # Authors and title are a work; figure, section or remark come after the year.
        work = re.split(r", (?:19|20)\d\d\b", source)[0]
        if doi:
            assert re.fullmatch(DOI, doi), (name, doi)
            assert not doi.endswith((".", ",")), (name, doi)
            works[doi.lower()].add(work)
        if not OWN.match(source):
            dois[work].add(doi)
            # The report on disjoint manifolds bears no date.
            assert re.search(r"\b(19|20)\d\d\b", source) or source.startswith("Costa,"), name
    assert {doi: found for doi, found in works.items() if len(found) > 1} == {}
    assert {work: found for work, found in dois.items() if len(found) > 1} == {}


@pytest.mark.parametrize("doi", ["https://doi.org/10.1000/182", "10.1000/", "doi:10.1000/182"])
def test_address_is_no_doi(doi):
    keys = {"label": "l", "title": "t", "range": [0, 1], "direction": "higher", "source": "ours"}
    assert MetricEntry(**keys, doi="10.1000/182").doi == "10.1000/182"
    with pytest.raises(ValidationError, match="doi"):
        MetricEntry(**keys, doi=doi)


def test_citations_decide_no_results(plan):
    _, metric = plan.catalog.metrics["procrustes"]
    assert metric.doi
    assert not {"doi", "formula"} & metric.model_dump().keys()


def by_name(cards, kind, name):
    return next(e for e in cards if (e.kind, e.name) == (kind, name))


def test_datasets_of_the_surveys_have_a_family(plan):
    families = report_job(plan).families
    assert families["branches"] == "trees"
    for name in SURVEYS:
        assert {*plan.full_size(name).dataset_titles()} <= families.keys()


def test_own_source_takes_no_doi_from_the_family(cards):
    pca, released = (by_name(cards, "method", name) for name in ("pca", "pca_released"))
    assert pca.doi
    assert released.source != pca.source
    assert released.doi == ""
    assert released.facts["Complexity"] == pca.facts["Complexity"]


def test_controls_and_methods_that_see_the_latent_do_not_compete(cards):
    idle = {e.name for e in cards if e.kind == "method" and not e.competes}
    assert idle == {"random", "two_points", "oracle", "observations", "noise", "shuffle", "squash"}


def test_facts_of_each_kind(cards):
    ikd = by_name(cards, "method", "ikd").facts
    assert ikd["New points"] == "embedded by transform"
    assert ikd["Missing values"].startswith("not allowed")
    gplvm = by_name(cards, "method", "bayesian_gplvm").facts
    assert not gplvm["Missing values"].startswith("not")
    assert ikd["Limits"] == "10 min and 4 GB"
    assert by_name(cards, "method", "mds").facts["Randomness"].startswith("none")
    assert by_name(cards, "method", "mvu_landmark").facts["Randomness"] == (
        "none: the seed is always 0"
    )
    teapot = by_name(cards, "dataset", "utah_teapot").facts
    assert teapot["Features"] == "23\u202f028 (height, width)"
    assert by_name(cards, "dataset", "digits").facts["Latent dimensions"] == "not known"
    kl = by_name(cards, "metric", "kl_0.1").facts
    assert (kl["Range"], kl["Direction"]) == ("from 0", "lower is better")


def test_studies_name_what_they_use(plan):
    gallery = report_job(plan).studies["gallery"]
    assert next(iter(gallery.metrics)) == "trustworthiness_k12"
    assert {"pca", "oracle"} <= {*gallery.methods}
    scored = {metric for metrics in gallery.scorings.values() for metric in metrics}
    assert scored == {*gallery.metrics}


def test_small_datasets_without_a_download_are_made_for_their_cards(plan):
    samples = {sample.name: sample for sample in report_job(plan).samples}
    assert {"swiss_roll", "gp", "iris", "low_light", "latent_curve"} <= samples.keys()
    assert not {"mnist", "coil20", "bank", "imdb", "turntable", "utah_teapot"} & samples.keys()
    assert samples["swiss_roll"].params["n_samples"] == 240
    assert len(samples) > 35
    for sample in samples.values():
        assert sample.code == plan.catalog.closure("", sample.function).fingerprint
