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
        labels = captions.figure_labels(plan, figure)
        assert labels["name"] == figure
        assert labels["title"]
        assert labels.keys() == captions.table_labels(plan, study, "table").keys()
        assert captions.heading_of(plan, study).startswith(f"{study}: ")
