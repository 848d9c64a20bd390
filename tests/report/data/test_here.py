"""What this machine has computed is set beside the record, and never replaces it."""

import json
import lzma
import re

import pytest
from conftest import ROOT, SIGNATURES
from reports import unpack

from nldr.claims.jobs import OTHER, PART, REDUCED
from nldr.cli import main
from nldr.engine.planning.plan import Plan
from nldr.report.content import StudyContent
from nldr.report.data.here import compare_cells, describe_agreement, describe_here
from nldr.report.data.planning import recorded_files, report_job
from nldr.report.data.report import make_report

STUDY = StudyContent("roll", "Roll", "", "roll.yaml", metrics={"t": {}})
RECORD = {"better": 4, "worse": 0, "cells": ["roll/pca"], "decision": "holds"}


def write_table(path, rows):
    lines = ["data_cell,method_cell,trial,t"]
    for method, values in rows.items():
        lines += [f"roll,{method},{trial},{value}" for trial, value in enumerate(values)]
    text = "\n".join(lines) + "\n"
    path.write_bytes(lzma.compress(text.encode()) if path.suffix == ".xz" else text.encode())
    return str(path)


@pytest.mark.parametrize(
    ("value", "agrees"), [(0.5, True), (0.509, True), (0.55, True), (0.57, False), (0.43, False)]
)
def test_cells_agree_within_the_tolerance_of_recompute(tmp_path, value, agrees):
    """Up to .01, and up to three standard deviations of the trials, here .02."""
    record = write_table(tmp_path / "r.csv.xz", {"pca": [0.5, 0.48, 0.52], "lle": [0.1]})
    here = write_table(tmp_path / "h.csv", {"pca": [value], "isomap": [0.3]})
    assert compare_cells(STUDY, record, here) == {"roll/pca": agrees}


def test_one_trial_that_differs_makes_a_cell_differ(tmp_path):
    record = write_table(tmp_path / "r.csv.xz", {"pca": [0.5, 0.5]})
    here = write_table(tmp_path / "h.csv", {"pca": [0.5, 0.6]})
    agreement = compare_cells(STUDY, record, here)
    assert describe_agreement(agreement) == "contradicted here: 1 of 1 cells beyond tolerance"


@pytest.mark.parametrize(
    ("here", "cells", "expected"),
    [
        (None, {}, "not run here"),
        (None, {"roll/lle": True}, "not run here"),
        ({"better": None, "worse": None, "size": None}, {}, "not run here"),
        ({"better": 2, "worse": 1, "size": REDUCED}, {}, "here, at reduced size: same sign"),
        ({"better": 0, "worse": 1, "size": OTHER}, {}, "here, on other data: opposite sign"),
        ({"better": 1, "worse": 1, "size": REDUCED}, {}, "here, at reduced size: unclear"),
        (
            {"better": 1, "worse": 0, "size": PART},
            {"roll/pca": True},
            "confirmed here: 1 of 1 cells within tolerance",
        ),
    ],
)
def test_sentences(here, cells, expected):
    assert describe_here(RECORD, here, cells) == expected


def test_a_record_without_a_sign_has_none_to_compare():
    here = {"better": 0, "worse": 2, "size": REDUCED}
    assert describe_here({**RECORD, "better": 0}, here, {}) == (
        "here, at reduced size: against the claim"
    )


# --- the page -------------------------------------------------------------------------------------


def page_of_a_clone(folder):
    """Return the report of a clone in which nothing was run."""
    plan = Plan({"studies": "headline"}, ROOT, SIGNATURES)
    target = folder / "report.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        files = {"record": recorded_files(plan)}
        make_report(report_job(plan), files, {"report": str(target)}, lambda: None)
    return target.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Return the report of a clone whose record has one study and the verdicts of all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nldr.report.data.planning.recorded", lambda plan: ["ikd_fig1"])
        return page_of_a_clone(tmp_path_factory.mktemp("report"))


def check_verdicts(page):
    """Check that the overview shows all claims with the verdicts of the record."""
    content = lzma.decompress((ROOT / "results/archive/claims.json.xz").read_bytes())
    rows = json.loads(content)["claims"]
    expected = {row["claim"]: row["verdict"] for row in rows}
    shown = re.findall(r'data-verdict="([^"]+)">.*?href="#/claim/([\w-]+)"', page, flags=re.DOTALL)
    assert len(expected) >= 85
    assert {name: verdict for verdict, name in shown} == expected


def test_verdicts_are_those_of_the_record(page):
    check_verdicts(page)


def test_a_claim_says_that_the_printed_numbers_contradict_it(page):
    pages = unpack(page, "page")
    assert b"numbers contradict the statement" in pages["claim/ikd-07"]
    assert b"The printed numbers pass: yes.</p>" in pages["claim/ikd-06"]


def test_a_clone_without_a_run_says_so(page):
    assert "confirmed here" not in page
    study = unpack(page, "page")["study/ikd_fig1"].decode()
    assert "These are results of the record" in study
    assert "none of the cells was run here" in study
    assert "On this machine" not in study


@pytest.mark.recipe
def test_page_of_all_studies_of_the_record_is_small(tmp_path):
    page = page_of_a_clone(tmp_path)
    check_verdicts(page)
    assert len(page.encode()) < 15_000_000


def test_a_build_confirms_the_cells_of_a_record(copy):
    assert main(["archive", "--scale", "smoke"]) == 0
    assert main(["report", "--scale", "smoke"]) == 0
    html = (copy.path / "results/report.html").read_text(encoding="utf-8")
    study = unpack(html, "page")["study/ikd_fig1"].decode()
    assert re.search(r"confirmed here: (\d+) of \1 cells within tolerance", study)
    assert "On this machine, at scale smoke" in study
