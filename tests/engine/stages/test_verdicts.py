"""Every published number of a study has a verdict, and only cells of full size decide it."""

import math
from dataclasses import replace

import pytest
from conftest import write_rows

from nldr.claims.evidence import FAILURES
from nldr.claims.jobs import PublishedJoin
from nldr.claims.published.verdicts import COLUMNS, WIDEST_MARGIN
from nldr.engine.files.status import Status
from nldr.engine.jobs.report_specs import StudyEvidence, VerdictJob
from nldr.engine.stages.claims import table_of_cells
from nldr.engine.stages.verdicts import decide_published
from nldr.tables import read_csv

# Three printed digits; PCA is exact on data without random numbers, Isomap and t-SNE are drawn.
PUBLISHED = """dataset,method,n,r2,sd,seconds,trials
gp,PCA,10,0.500,0.010,1.5,50
gp,Isomap,10,0.700,0.010,2.5,50
gp,Isomap,20,0.700,0.010,,50
gp,t-SNE,10,0.800,,,1
gp,LLE,10,0.300,0.010,,50
gp,Unheard of,10,0.100,0.010,,50
"""
JOB = VerdictJob(
    scale="quick",
    metrics={"r2": "higher"},
    full=[("gp@n=10", "pca"), ("gp@n=10", "isomap"), ("gp@n=10", "tsne")],
    exact=[],
    methods=["pca", "isomap", "tsne"],
    published=PublishedJoin(
        keys={"dataset": "dataset", "method": "method", "n": "data.n"},
        names={},
        where={},
        values={"r2": ["r2", "sd"], "seconds": ["seconds"]},
        titles={
            "dataset": {},
            "method": {"pca": "PCA", "isomap": "Isomap", "tsne": "t-SNE", "lle": "LLE"},
        },
        margins={"r2": 0.02},
        n_trials="trials",
    ),
    code="",
)


def rows(method, scores, n=10, **more):
    names = {"dataset": "gp", "data_cell": f"gp@n={n}", "method": method, "method_cell": method}
    common = {**names, "data.n": str(n), "status": "ok", **more}
    return [{**common, "r2": str(score)} for score in scores]


@pytest.fixture
def decide(tmp_path):
    """Return a function that decides and returns the rows by setting."""

    def run(job, table, published=PUBLISHED):
        paths = {kind: tmp_path / f"{kind}.csv" for kind in ("table", "published", "verdicts")}
        write_rows(paths["table"], table)
        paths["published"].write_text(published)
        inputs = {kind: [str(paths[kind])] for kind in ("table", "published")}
        outputs = {"verdicts": str(paths["verdicts"]), "page": str(tmp_path / "page.md")}
        decide_published(job, inputs, outputs, lambda: None)
        result = read_csv(paths["verdicts"])
        return {row["setting"].removeprefix("dataset=gp, method="): row for row in result}

    return run


NEAR = [0.699, 0.701, 0.700, 0.702, 0.698, 0.700]


def test_each_published_number_of_the_study_has_a_verdict(decide):
    rows_by_setting = decide(JOB, rows("isomap", NEAR))
    # LLE is a method of another study; seconds are those of another machine.
    assert {setting: row["verdict"] for setting, row in rows_by_setting.items()} == {
        "PCA, n=10": "not run",
        "Isomap, n=10": "reproduced",
        "Isomap, n=20": "not run",
        "t-SNE, n=10": "not run",
        "Unheard of, n=10": "not run",
    }
    assert len(COLUMNS) <= 13
    row = rows_by_setting["Isomap, n=10"]
    assert row["number"] == "2 r2"
    assert (row["cell"], row["trials"], row["scale"]) == ("gp@n=10/isomap", "6", "quick")
    assert float(row["ours"]) == pytest.approx(0.7)
    assert float(row["low"]) < float(row["difference"]) < float(row["high"])


EXACT = replace(JOB, exact=[("gp@n=10", "tsne")])


@pytest.mark.parametrize(
    ("job", "method", "scores", "verdict"),
    [
        (JOB, "isomap", [score + 0.1 for score in NEAR], "better"),
        (JOB, "isomap", [score - 0.1 for score in NEAR], "worse"),
        (JOB, "isomap", [0.6, 0.8, 0.7], "undecided"),
        (JOB, "isomap", [0.7], "undecided"),
        (JOB, "isomap", [0.7, math.inf], "undecided"),
        (JOB, "isomap", [-math.inf, math.inf], "undecided"),
        # One trial decides where there is no randomness
        (JOB, "tsne", [0.801], "undecided"),
        (EXACT, "tsne", [0.801], "reproduced"),
        (EXACT, "tsne", [0.84], "better"),
        # Of one published run, t-SNE's, the margin of two s.d. tells what chance may have done.
        (JOB, "tsne", [0.76, 0.84] * 4, "cannot tell"),
        (JOB, "tsne", [0.78, 0.82] * 4, "reproduced"),
    ],
)
def test_verdict_follows_the_interval(decide, job, method, scores, verdict):
    title = JOB.published.titles["method"][method]
    row = decide(job, rows(method, scores))[f"{title}, n=10"]
    assert row["verdict"] == verdict
    assert verdict != "cannot tell" or float(row["margin"]) > WIDEST_MARGIN


def test_cells_of_another_size_decide_nothing(decide):
    job = replace(JOB, full=[("gp@n=10", "pca")])
    row = decide(job, rows("isomap", NEAR))["Isomap, n=10"]
    assert (row["verdict"], row["scale"]) == ("not run", "quick, reduced")
    assert row["cell"] == "gp@n=10/isomap"


def test_failed_candidate_and_selecting_trials_do_not_count(decide):
    table = (
        rows("isomap", NEAR, best_of="", selecting="0")
        + rows("isomap", [0.1], best_of="isomap", selecting="0")
        + rows("isomap", [0.1], best_of="", selecting="1")
    )
    assert decide(JOB, table)["Isomap, n=10"]["trials"] == "6"
    failed = rows("isomap", [0.1], status="timeout")
    row = decide(JOB, failed)["Isomap, n=10"]
    assert (row["verdict"], row["trials"], row["cell"]) == ("no result", "0", "gp@n=10/isomap")
    # A failure at another size is none at the published one.
    job = replace(JOB, full=[("gp@n=10", "pca")])
    assert decide(job, failed)["Isomap, n=10"]["verdict"] == "not run"


def test_claims_and_engine_agree_on_failures():
    assert {*FAILURES} == {status for status in Status if not status.has_result}


@pytest.mark.parametrize(
    ("n_trials", "verdict"), [(8, "cannot tell"), (200, "reproduced"), (2, "undecided")]
)
def test_mean_of_several_published_trials_may_be_known_within_a_wide_margin(
    decide, n_trials, verdict
):
    # The published s.d. is .07, and the interval is that of both means.
    text = PUBLISHED.replace("gp,Isomap,10,0.700,0.010", "gp,Isomap,10,0.700,0.070")
    scores = [0.7 + (0.07 if trial % 2 else -0.07) for trial in range(n_trials)]
    row = decide(JOB, rows("isomap", scores), text)["Isomap, n=10"]
    assert row["verdict"] == verdict


def test_numbers_without_any_cell_at_full_scale_fail_the_build(decide):
    assert decide(JOB, rows("isomap", NEAR, n=999))["PCA, n=10"]["verdict"] == "not run"
    with pytest.raises(ValueError, match=r"no number belongs to a cell of the study"):
        decide(replace(JOB, scale="paper"), rows("isomap", NEAR, n=999))


def test_page_counts_verdicts_and_lists_what_was_run(decide, tmp_path):
    decide(JOB, rows("isomap", NEAR))
    text = (tmp_path / "page.md").read_text()
    assert text.startswith(
        "5 comparisons with published numbers: 1 reproduced, 0 better, 0 worse, 0 no result, "
        "0 cannot tell, 0 undecided, 4 not run."
    )
    assert "Isomap" in text
    assert "Unheard of" not in text


def test_numbers_of_a_study_that_is_not_built_have_no_verdicts(tmp_path):
    # A budget leaves out studies, and so do mistakes; claims of others are decided
    evidence = StudyEvidence({}, {}, {}, [], {}, "", [], verdicts=JOB, published="numbers.csv")
    assert table_of_cells(evidence, lambda cell: None, {}).verdicts is None
    path = tmp_path / "numbers.csv"
    path.write_text(PUBLISHED)
    verdicts = table_of_cells(evidence, lambda cell: None, {"numbers.csv": path}).verdicts
    assert set(verdicts["verdict"]) == {"not run"}
