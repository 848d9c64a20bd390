"""Each result has its place in Snakemake's report: paper, study, labels."""

import pytest
from conftest import our_plan

from nldr.engine.planning import captions


@pytest.mark.parametrize(
    ("study", "paper"),
    [
        ("ikd_fig1", "Li & Wu, Inverse Kernel Decomposition"),
        ("lolagp_tuned", "Watanabe et al., LolaGP"),
        ("gallery", captions.OURS),
    ],
)
def test_studies_stand_with_their_paper(study, paper):
    assert captions.paper_of(our_plan(), study) == paper


def test_every_figure_and_table_is_labeled():
    plan = our_plan()
    for figure, study in plan.owners.items():
        labels = captions.labels_of(plan, "figure", figure)
        assert labels["name"] == figure
        assert labels["title"]
        assert labels.keys() == captions.labels_of(plan, "table", study).keys()
        assert captions.heading_of(plan, study).startswith(f"{study}: ")
