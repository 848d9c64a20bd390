"""Dots of mean regret, and counts of datasets on which a pick is nearly the best."""

from dataclasses import replace

import pytest
from sheets import words

from nldr.figures.regret import COMBINED, METHOD, RANDOM, regret
from nldr.figures.style import find_note

PARAMS = {
    "truths": ["r2_affine"],
    "families": {"maps": ["gp"], "rolls": ["swiss_roll"]},
    "means": {"stress twice": ["stress", "stress"]},
}


def test_rows_are_ordered_by_their_mean_regret(make_study):
    study = make_study(datasets=("gp", "swiss_roll"), sizes=(10, 100))
    seeing = study.table.assign(stress=-study.table["r2_affine"])
    figure = regret(replace(study, table=seeing), **PARAMS)
    (axes,) = figure.axes
    titles = [label.get_text() for label in axes.get_yticklabels()]
    centers = [float(line.get_xdata()[0]) for line in axes.lines if line.get_gid() == "regret"]
    # Stress sees the truth here
    assert titles[:2] == ["stress", "stress twice"]
    assert {*titles[2:]} == {COMBINED, METHOD, RANDOM}
    assert centers == sorted(centers)
    assert centers[0] == pytest.approx(0)
    assert words(axes)[0] == "4 of 4"
    assert "best of 4 maps" in find_note(figure).replace("\n", " ")
