"""Each published number counts once, by the study that is declared, whatever others say."""

from dataclasses import replace
from pathlib import Path

import pytest
from conftest import write_rows

from nldr.claims.jobs import NumberCause, NumberCells, PrintedNumbers
from nldr.claims.published.tally import OUTCOMES, count_numbers, format_tallies

LINES = 10


@pytest.fixture
def printed(tmp_path):
    """Return a file with ten numbers of LLE and one empty column."""
    path = tmp_path / "mine.csv"
    path.write_text("method,k,r2,seconds\n" + "".join(f"LLE,{k},0.5,1\n" for k in range(LINES)))
    deciders = [NumberCells("whole", ["gp/lle"]), NumberCells("part", ["gp/lle"])]
    return PrintedNumbers("mine.csv", str(path), {"r2": "r2_affine"}, deciders, [])


@pytest.fixture
def count(tmp_path, printed):
    """Return a function that counts by the verdicts of studies: study → cell → verdicts."""

    def run(studies, **changes):
        paths = {}
        for study, cells in studies.items():
            rows = [
                {"number": f"{row} r2", "setting": f"k={row}", "cell": cell, "verdict": verdict}
                for cell, verdicts in cells.items()
                for row, verdict in enumerate(verdicts, start=1)
            ]
            rows = [row | {"metric": "r2_affine"} for row in rows]
            paths[study] = Path(write_rows(tmp_path / f"{study}.csv", rows))
        (tally,) = count_numbers([replace(printed, **changes)], paths)
        assert tuple(tally.counts) == OUTCOMES
        assert tally.total == LINES
        return tally

    return run


def outcomes(tally):
    return {outcome: n for outcome, n in tally.counts.items() if n}


def test_every_printed_number_counts(count):
    assert outcomes(count({})) == {"not run": LINES}
    tally = count({"whole": {"gp/lle": ["reproduced"] * 3}})
    assert outcomes(tally) == {"reproduced": 3, "not run": 7}
    assert format_tallies([tally, tally]).splitlines()[-1].split()[:3] == ["all", "20", "6"]


def test_first_study_that_was_run_decides_whatever_it_says(count):
    whole = {"gp/lle": ["worse", "no result", "undecided", "not run"]}
    tally = count({"part": {"gp/lle": ["reproduced"] * 6}, "whole": whole})
    # The others are not run in the whole study.
    decided = {"worse": 1, "no result": 1, "undecided": 1}
    assert outcomes(tally) == decided | {"reproduced": 3, "not run": 4}


def test_other_studies_and_cells_decide_nothing(count):
    tally = count({"whole": {"gp/hlle": ["reproduced"] * 9}, "other": {"gp/lle": ["worse"] * 9}})
    assert outcomes(tally) == {"not run": LINES}


def test_two_cells_of_one_number_are_refused(count):
    deciders = [NumberCells("whole", ["gp/lle", "gp/hlle"])]
    with pytest.raises(ValueError, match=r"k=1, r2_affine: gp/lle and gp/hlle decide the same"):
        count({"whole": {"gp/lle": ["worse"], "gp/hlle": ["reproduced"]}}, deciders=deciders)


CAUSE = NumberCause("cause", "It was HLLE.", {}, NumberCells("variant", ["gp/hlle"]), None)
DECIDED = {"gp/lle": ["better", *["worse"] * 8, "no result"]}


def explained(count, variant, cause=CAUSE, decided=DECIDED):
    return count({"whole": decided, "variant": {"gp/hlle": variant}}, causes=[cause])


def test_numbers_are_explained_by_a_variant_that_reproduces_nine_of_ten(count):
    tally = explained(count, ["reproduced"] * 9 + ["worse"])
    assert outcomes(tally) == {"explained": 10}
    tally = explained(count, ["reproduced"] * 8 + ["cannot tell", "worse"])
    assert outcomes(tally) == {"better": 1, "worse": 8, "no result": 1}
    (explanation,) = tally.explanations
    assert (explanation.differ, explanation.run, explanation.reproduced) == (10, 10, 8)
    assert "8 of 10 numbers (80 %)." in format_tallies([tally])


def test_numbers_that_a_variant_was_not_run_for_are_not_explained(count):
    tally = explained(count, ["reproduced"] * 8)
    assert tally.counts["explained"] == 0
    assert "8 of 10 numbers (80 %; run for 8)." in format_tallies([tally])


def test_only_numbers_of_the_cluster_that_differ_are_explained(count):
    cause = replace(CAUSE, where={"k": [0, 1], "method": "lle", "metric": "r2_affine"})
    tally = explained(count, ["reproduced"] * 2, cause)
    assert outcomes(tally) == {"explained": 2, "worse": 7, "no result": 1}
    decided = {"gp/lle": ["reproduced", "undecided", "worse"]}
    tally = explained(count, ["reproduced"] * 3, replace(CAUSE, where={"k": [0, 1]}), decided)
    assert outcomes(tally) == {"reproduced": 1, "undecided": 1, "worse": 1, "not run": 7}
    with pytest.raises(ValueError, match=r"cause.where: the file has no column 'n'"):
        explained(count, [], replace(CAUSE, where={"n": 3}))


def test_each_value_of_a_column_is_a_cluster_of_its_own(count):
    cause = replace(CAUSE, where={"k": [0, 1]}, each="k")
    tally = explained(count, ["reproduced", "worse"], cause)
    assert outcomes(tally) == {"explained": 1, "worse": 8, "no result": 1}
    assert [e.name for e in tally.explanations] == ["cause, 0", "cause, 1"]
    with pytest.raises(ValueError, match=r"cause.each: the file has no column 'n'"):
        explained(count, [], replace(CAUSE, each="n"))


def test_impossible_numbers_are_explained(count):
    cause = replace(CAUSE, variant=None, impossible="R² is at most 1.", where={"k": 0})
    tally = explained(count, [], cause)
    assert outcomes(tally) == {"explained": 1, "worse": 8, "no result": 1}
