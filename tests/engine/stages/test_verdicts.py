"""The verdicts of a study are files, made from the scored trials of its table."""

from dataclasses import replace

import pytest
from conftest import write_rows
from printed import NEAR, NUMBERS, PUBLISHED, rows

from nldr.claims.evidence import FAILURES
from nldr.engine.files.status import Status
from nldr.engine.jobs.report_specs import StudyEvidence, VerdictJob
from nldr.engine.jobs.specs import Cell
from nldr.engine.stages.claims import table_of_cells
from nldr.engine.stages.verdicts import decide_published
from nldr.tables import read_csv

JOB = VerdictJob(**vars(NUMBERS), code="")


@pytest.fixture
def decide(tmp_path):
    """Return a function that decides and returns the rows by setting."""

    def run(job, table):
        paths = {kind: tmp_path / f"{kind}.csv" for kind in ("table", "published", "verdicts")}
        write_rows(paths["table"], table)
        paths["published"].write_text(PUBLISHED)
        inputs = {kind: [str(paths[kind])] for kind in ("table", "published")}
        outputs = {"verdicts": str(paths["verdicts"]), "page": str(tmp_path / "page.md")}
        decide_published(job, inputs, outputs, lambda: None)
        result = read_csv(paths["verdicts"])
        return {row["setting"].removeprefix("dataset=gp, method="): row for row in result}

    return run


def test_candidate_and_selecting_trials_do_not_count(decide, tmp_path):
    table = (
        rows("isomap", NEAR, best_of="", selecting="0")
        + rows("isomap", [0.1], best_of="isomap", selecting="0")
        + rows("isomap", [0.1], best_of="", selecting="1")
    )
    assert decide(JOB, table)["Isomap, n=10"]["trials"] == "6"
    assert (tmp_path / "page.md").read_text().startswith("5 comparisons with published numbers")


def test_numbers_of_claims_come_from_scored_trials(tmp_path):
    cell = Cell("gp", "gp", "isomap", "isomap", {}, {}, trials=7, scored=6)
    evidence = StudyEvidence({}, {}, {}, [cell], {}, "", [], verdicts=JOB, published="numbers.csv")
    (tmp_path / "numbers.csv").write_text(PUBLISHED)
    trials = rows("isomap", NEAR, selecting=0) + rows("isomap", [0.1], selecting=1)
    files = {"numbers.csv": tmp_path / "numbers.csv"}
    verdicts = table_of_cells(evidence, lambda cell: trials, files).verdicts
    (number,) = verdicts[verdicts["trials"] > 0].to_dict("records")
    assert (number["verdict"], number["trials"]) == ("reproduced", 6)


def test_claims_and_engine_agree_on_failures():
    assert {*FAILURES} == {status for status in Status if not status.has_result}


def test_numbers_without_any_cell_at_full_scale_fail_the_build(decide):
    assert decide(JOB, rows("isomap", NEAR, n=999))["PCA, n=10"]["verdict"] == "not run"
    with pytest.raises(ValueError, match=r"no number belongs to a cell of the study"):
        decide(replace(JOB, scale="paper"), rows("isomap", NEAR, n=999))


def test_numbers_of_a_study_that_is_not_built_have_no_verdicts(tmp_path):
    # A budget leaves out studies, and so do mistakes; claims of others are decided
    evidence = StudyEvidence({}, {}, {}, [], {}, "", [], verdicts=JOB, published="numbers.csv")
    assert table_of_cells(evidence, lambda cell: None, {}).verdicts is None
    path = tmp_path / "numbers.csv"
    path.write_text(PUBLISHED)
    verdicts = table_of_cells(evidence, lambda cell: None, {"numbers.csv": path}).verdicts
    assert set(verdicts["verdict"]) == {"not run"}
