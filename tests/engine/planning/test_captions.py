"""Each result has its place in Snakemake's report: paper, study, labels."""

import pytest
from conftest import ROOT, SIGNATURES

from nldr.engine.planning import captions
from nldr.engine.planning.plan import Plan


@pytest.fixture(scope="module")
def plan():
    return Plan({"scale": "smoke"}, ROOT, SIGNATURES)


@pytest.mark.parametrize(
    ("study", "paper"),
    [
        ("ikd_fig1", "Li & Wu, Inverse Kernel Decomposition"),
        ("lolagp_tuned", "Watanabe et al., LolaGP"),
        ("gallery", captions.OURS),
    ],
)
def test_studies_stand_with_their_paper(plan, study, paper):
    assert captions.paper_of(plan, study) == paper


def test_every_figure_and_table_is_labeled(plan):
    for figure, study in plan.owners.items():
        labels = captions.figure_labels(plan, figure)
        assert labels["name"] == figure
        assert labels["title"]
        assert labels.keys() == captions.table_labels(plan, study, "table").keys()
        assert captions.heading_of(plan, study).startswith(f"{study}: ")
