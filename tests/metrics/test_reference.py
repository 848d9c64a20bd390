"""Scores of the record, from the package."""

import csv
import lzma

import pytest
from conftest import ROOT

import nldr

pytestmark = pytest.mark.usefixtures("few_cells")


def test_scores_are_those_of_the_record():
    table = nldr.reference("gp@n_features=20", metric="r2_affine").set_index("method")["mean"]
    with lzma.open(ROOT / "results/archive/studies/ikd_fig1/summary.csv.xz", "rt") as file:
        rows = [r for r in csv.DictReader(file) if r["data_cell"] == "gp@n_features=20"]
    cells = [row for row in rows if row["method_cell"] in table.index]
    assert len(cells) > 8
    for row in cells:
        mean = float(row["r2_affine_mean"])
        assert table[row["method_cell"]] == pytest.approx(mean, abs=1e-3), row["method_cell"]


def test_best_methods_come_first_in_the_direction_of_the_metric():
    assert nldr.reference("spheres", metric="trustworthiness_k3")["mean"].is_monotonic_decreasing
    assert nldr.reference("spheres", metric="kl_1")["mean"].is_monotonic_increasing
    assert "trustworthiness_k7@test" in set(nldr.reference("digits")["metric"])


def test_a_name_that_the_record_lacks_is_told_with_the_nearest():
    with pytest.raises(
        ValueError, match=r"'Sphere': did you mean spheres.* It has results of digits"
    ):
        nldr.reference("Sphere")
    with pytest.raises(ValueError, match=r"no results of 'qqqqqq'\. It has"):
        nldr.reference("qqqqqq")
    with pytest.raises(ValueError, match="no 'r2_afine' of 'gp': did you mean r2_affine"):
        nldr.reference("gp", metric="r2_afine")
    with pytest.raises(ValueError, match="no 'trust' of 'spheres': did you mean trustworthiness_k"):
        nldr.reference("spheres", metric="trust")
