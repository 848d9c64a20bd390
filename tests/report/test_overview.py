"""The first screen tells verdicts, counts, the run and its failures without any script."""

import re
from dataclasses import replace

import pytest
from reports import Page, hostile_report

from nldr.report.content import Failure, Report, StudyContent
from nldr.report.failures import distinct_failures, group_failures
from nldr.report.overview import claim_tally, render, tally
from nldr.report.templating import environment


@pytest.fixture(scope="module")
def page():
    return Page(render(hostile_report(), environment()))


def shared(report):
    """Return a report with a second study that has the cells of the first."""
    return replace(report, studies=[*report.studies, replace(report.studies[0], name="again")])


def test_each_claim_has_statement_verdict_effect_and_interval(page):
    text = " ".join(page.text.split())
    for claim in hostile_report().papers[0].claims:
        assert claim.statement in text
        assert claim.place in text
    assert "0.20 (0.10 to 0.30)" in text
    assert "✓ holds" in text
    assert "– not run" in text
    assert "no cell is run" in text


def test_counts_are_those_of_the_report_and_lead_to_their_claims(page):
    words = [tallied["aria-label"] for tallied in page.all("div") if "aria-label" in tallied]
    assert "Claims by verdict: 1 holds, 1 not run" in words
    assert "Published numbers by verdict: 1 reproduced, 1 not run" in words
    assert re.search(r"1 reproduced 1 not run of 2\b", " ".join(page.text.split()))
    links = page.values("href")
    assert "#/claims?verdict=holds" in links
    assert "#/claims?paper=x&verdict=not%20run" in links


def test_questions_of_our_own_are_no_papers():
    report = hostile_report()
    (paper,) = report.papers
    asked = replace(paper, key="y", title="Which method?", claims=paper.claims[:1])
    page = Page(render(replace(report, papers=[paper, asked]), environment()))
    text = " ".join(page.text.split())
    assert "2 claims of 1 paper and 1 claim on 1 further question. 2 were tested" in text


def test_only_claims_that_were_tested_under_equal_tuning_are_counted():
    report = hostile_report()
    (paper,) = report.papers
    first, second = paper.claims[0].evaluations
    untuned = replace(second, decision="not applicable")
    claims = [*paper.claims, replace(paper.claims[0], evaluations=[first, untuned])]
    page = Page(render(replace(report, papers=[replace(paper, claims=claims)]), environment()))
    text = " ".join(page.text.split())
    assert "3 claims of 1 paper. 2 were tested" in text
    assert "as published, and 1 also with all methods tuned equally" in text


def test_a_bound_without_a_unit_is_not_preceded_by_an_empty_one():
    report = hostile_report()
    (paper,) = report.papers
    first = replace(paper.claims[0].evaluations[0], unit="")
    claims = [replace(paper.claims[0], evaluations=[first])]
    page = Page(render(replace(report, papers=[replace(paper, claims=claims)]), environment()))
    text = " ".join(page.text.split())
    assert "bound 0" in text
    assert "; bound" not in text


def test_a_single_setting_has_its_mark():
    report = hostile_report()
    (paper,) = report.papers
    (first, *others), *claims = paper.claims[0].evaluations, *paper.claims[1:]
    claim = replace(paper.claims[0], evaluations=[replace(first, strip="○"), *others])
    page = Page(
        render(replace(report, papers=[replace(paper, claims=[claim, *claims])]), environment())
    )
    assert any("settings" in p.get("class", "") for p in page.all("p"))


def test_the_run_and_its_failures_are_told(page):
    text = " ".join(page.text.split())
    assert re.search("Scale ?quick", text)
    assert "✗ timeout 2 trials" in text
    assert "✗ broken 1 study" in text


def test_failures_of_cells_that_studies_share_count_once():
    report = shared(hostile_report())
    ((failure, studies),) = distinct_failures(report.studies)
    assert [study.name for study in studies] == ["study", "again"]
    page = Page(render(report, environment()))
    assert "timeout 2 trials" in " ".join(page.text.split())
    (group,) = group_failures([failure], [studies])
    assert [study.name for study in group.studies] == ["study", "again"]


def test_log_of_a_group_is_the_first_that_there_is():
    failures = [
        Failure("embed", f"roll/{i}", "error", f"{i} parts", [0], log)
        for i, log in enumerate(["", "second", "third"])
    ]
    (group,) = group_failures(failures)
    assert (group.n_trials, group.log) == (3, "second")


def test_tally_keeps_the_order_and_what_it_does_not_know():
    tallied = tally({"other": 1, "fails": 2, "holds": 3, "not run": 0})
    assert list(tallied.items()) == [("holds", 3), ("fails", 2), ("other", 1)]
    assert tallied.total() == 6
    assert claim_tally(hostile_report().papers[0].claims).total() == 2


def test_a_report_without_claims_leads_to_its_studies():
    study = StudyContent("mine", "Mine", "", "mine.yaml")
    page = Page(render(Report("1", "quick", "today", {}, [], [study], []), environment()))
    assert "1 study at scale quick" in " ".join(page.text.split())
    assert "#/studies" in page.values("href")
    assert not page.all("svg")
