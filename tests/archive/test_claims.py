"""Claims of the record are decided from its cells, with or without tables of their studies."""

import json
import lzma
import shutil

import pytest
from conftest import ROOT

from nldr.archive import ARCHIVE, Archive
from nldr.archive.verdicts import decide_claims_of
from nldr.cli import main


@pytest.fixture
def archived(copy):
    assert main(["archive", "--scale", "smoke"]) == 0
    return copy


def decided(project, plan):
    decide_claims_of(plan, project.path)
    file = project.path / ARCHIVE / "claims.json.xz"
    return json.loads(lzma.decompress(file.read_bytes()))["claims"]


def is_same(one, other):
    """Tell whether claims agree up to the digits that the tables of the record have."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return other == (pytest.approx(one, rel=1e-5, abs=1e-7) if isinstance(one, float) else one)


def test_record_decides_a_claim_as_soon_as_its_cells_are_archived(archived):
    plan = archived.plan()
    built = json.loads((archived.path / "results/smoke/claims.json").read_text())["claims"]
    assert is_same(decided(archived, plan), built)
    shutil.rmtree(archived.path / ARCHIVE / "studies")
    assert is_same(decided(archived, plan), built)
    # Without one of its cells it is not run; the cells of others do not matter
    archive, cells = Archive(archived.path), plan.claims_job().studies["ikd_fig1"].cells
    pair = next(cell for cell in cells if cell.method == "pca")
    content = archive.read(pair.data_cell)
    del content.methods[pair.method_cell]
    archive.write(pair.data_cell, content)
    assert decided(archived, plan)[0]["sentence"] == "1 of 6 cells of study ikd_fig1 were not run"


def test_numbers_shown_of_a_claim_are_those_of_one_comparison():
    """In the record: effect, interval, number of trials and bound; and each setting has a mark."""
    file = ROOT / ARCHIVE / "claims.json.xz"
    rows = [row for row in json.loads(lzma.decompress(file.read_bytes()))["claims"] if row["strip"]]
    assert len(rows) > 100
    shown = ("effect", "low", "high", "n", "threshold", "unit")
    for row in rows:
        compared = [[comparison[name] for name in shown] for comparison in row["comparisons"]]
        assert [row[name] for name in shown] in compared, row["claim"]
        assert row["low"] <= row["effect"] <= row["high"], row["claim"]
        counts = [row[name] for name in ("better", "tie", "worse", "unclear")]
        assert sum(counts) == len(row["strip"]), row["claim"]
