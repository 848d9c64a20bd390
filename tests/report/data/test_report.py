"""The report shows all that is built, says what is not, and can be made at any time."""

from dataclasses import replace

from reports import unpack

from nldr.cli import main
from nldr.engine.files.store import digest_of
from nldr.engine.freshness.health import key_of
from nldr.report.content import Drawing
from nldr.report.data.claims import read_claims
from nldr.report.data.planning import cloud_sources, report_inputs, report_job
from nldr.report.data.report import LOG_WIDTH, _beside, _log

STUDIES = {"gallery", "ikd_fig1"}


def pages_of(project, file="results/report.html"):
    html = (project.path / file).read_text(encoding="utf-8")
    return {name: page.decode() for name, page in unpack(html, "page").items()}


def figures_of(project):
    """Return the figures that are in the report."""
    html = (project.path / "results/report.html").read_text(encoding="utf-8")
    return {name.rpartition("/")[2] for name in unpack(html, "block")}


def test_a_run_ends_with_the_report(built):
    own, last = (built.path / file for file in ("results/smoke/report.html", "results/report.html"))
    assert own.read_bytes() == last.read_bytes()
    pages = pages_of(built)
    assert {f"study/{name}" for name in STUDIES} <= set(pages)
    assert figures_of(built) >= STUDIES
    assert {"claim/claim-1", "method/ikd", "dataset/gp", "explorer", "failures"} <= set(pages)
    # Numbers are those of the tables.
    summary = (built.path / "results/smoke/tables/ikd_fig1_summary.csv").read_text().splitlines()
    assert len(summary) - 1 == pages["study/ikd_fig1"].split("</table>")[0].count("<tr") - 1


def test_what_was_not_built_or_is_removed_is_left_out(copy):
    # A table without its summary is as none
    for file in ("tables/gallery_summary.csv", "figures/ikd_fig1.svg"):
        (copy.path / "results/smoke" / file).unlink()
    claims = copy.path / "results/smoke/claims.json"
    claims.write_text(claims.read_text().replace('"claim-1"', '"removed-1"'))
    assert main(["report", "--scale", "smoke"]) == 0
    pages = pages_of(copy)
    assert "not built" in pages["study/gallery"]
    assert "not built" not in pages["study/ikd_fig1"]
    assert figures_of(copy) & STUDIES == {"gallery"}
    assert "claim/claim-2" in pages
    assert "claim/removed-1" not in pages


def test_figure_that_came_out_as_in_the_record_is_shown_once(built):
    def draw(title, mark, scale):
        svg = f"<svg><desc>{scale}</desc><g>{mark}</g><text>Scale\xa0{scale}; 1 trial</text></svg>"
        return Drawing(title.lower(), title, svg, "", "")

    study = report_job(built.plan()).studies["gallery"]
    # Pictures that are no drawings have no description
    pictures = [Drawing("c", "C", f"<svg><image href='{name}'/></svg>", "", "") for name in "12"]
    record = replace(study, drawings=[draw("A", 1, "paper"), draw("B", 1, "paper"), pictures[0]])
    ours = replace(study, drawings=[draw("A", 1, "quick"), draw("B", 2, "quick"), pictures[1]])
    beside = _beside(record, ours)
    assert [drawing.name for drawing in beside.drawings] == ["b_here", "c_here"]
    assert list(beside.facts.values()) == ["A"]


def test_log_of_a_failure_is_cut_and_has_no_hidden_characters(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "results/logs/embed/gp/pca/1.log"
    log.parent.mkdir(parents=True)
    log.write_text("x" * 10**6 + "\n\x1b[31mred\u202e", encoding="utf-8")
    assert _log("embed", "gp/pca") == "x" * LOG_WIDTH + "…\n\\u001b[31mred\\u202e"


def test_job_names_the_place_and_the_figure_of_each_claim(built):
    plan = built.plan()
    job = report_job(plan)
    assert set(job.studies) == STUDIES
    file, _, line = job.sources["claim-1"].partition(":")
    assert (built.path / file).read_text().splitlines()[int(line) - 1] == "  claim-1:"
    assert job.evidence["claim-1"] in plan.studies["ikd_fig1"].figures
    # Claims that were not decided are left out
    assert read_claims(job, set(), {}) == {}


def test_study_that_was_built_by_name_stays_in_the_report(copy):
    """Else a report with it is out of date for every run that does not name it."""
    plan = copy.plan()
    key = key_of(report_job(plan))
    plan.selected = ["gallery"]
    assert key_of(report_job(plan)) == key
    (copy.path / "results/smoke/tables/ikd_fig1.csv").unlink()
    assert set(report_job(plan).studies) == {"gallery"}


def test_mistake_in_a_study_is_on_its_page(project):
    project.edit("workflow/studies/gallery.yaml", "metrics:", "metrocs:")
    job = report_job(project.plan())
    assert "did you mean 'metrics'" in job.studies["gallery"].broken
    assert job.studies["ikd_fig1"].broken == ""


def test_report_is_made_from_all_that_the_studies_end_in(built):
    plan = built.plan()
    files = report_inputs(plan, ["gallery"])
    assert all((built.path / file).is_file() for kind in files.values() for file in kind)
    assert files["claims"] == []
    assert len(report_inputs(plan, sorted(STUDIES))["claims"]) == 1
    assert not any("ikd_fig1" in file for kind in files.values() for file in kind)


def test_shared_embeddings_are_offered_once_with_all_trials(built):
    sources = cloud_sources(built.plan(), sorted(STUDIES))
    assert len({source.cell for source in sources}) == len(sources)
    found = {(source.cell, found.cell): found for source in sources for found in source.embeddings}
    assert len(found) == sum(len(source.embeddings) for source in sources)
    assert all(found[cell].scores for cell in found)


def test_changed_script_makes_the_report_stale(built, monkeypatch):
    plan = built.plan()
    before = digest_of(report_job(plan).code)
    monkeypatch.setattr("nldr.report.data.planning._assets", lambda catalog: "changed")
    assert digest_of(report_job(plan).code) != before
