"""Claims are read and checked, and decided from the cells that they select."""

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from conftest import our_plan

from nldr.cli import main
from nldr.engine.planning.claims import FOLDER, competing_cells, deciding_cells
from nldr.engine.reading.parsing import PlanError
from nldr.engine.running.build import Build
from nldr.tables import read_csv

CLAIM = {
    "statement": "PCA is best.",
    "place": "Fig. 1",
    "as_published": {
        "study": "ikd_fig1",
        "tests": [{"compare": {"first": "pca", "metric": "r2_affine"}}],
    },
    "equal_tuning": "not applicable: nothing to tune",
}


def write(project, **changes):
    """Replace the claims by one, with changes of how it is decided as published."""
    basis = CLAIM["as_published"] | changes
    claims = {"mine-1": CLAIM | {"as_published": basis}}
    project.write(f"{FOLDER}/ours.yaml", yaml.safe_dump({"title": "A paper", "claims": claims}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"study": "ikd_fig2"}, "mine-1.as_published.study: unknown study 'ikd_fig2': did you"),
        ({"tests": [{"compares": {"first": "pca", "metric": "r2_affine"}}]}, "cannot be imported"),
        ({"tests": [{"compare": {"frist": "pca"}}]}, "has no parameter 'frist': did you mean"),
        (
            {"tests": [{"compare": {"first": "pca", "metric": "r2"}}]},
            "no metric 'r2': did you mean 'r2_affine'?",
        ),
        (
            {"tests": [{"compare": {"first": {"methods": ["pca", "pcaa"]}}}]},
            "mine-1.as_published.tests: the study has no method 'pcaa': did you mean 'pca'?",
        ),
        (
            {"tests": [{"compare": {"first": {"methods": ["pca"], "datasets": ["pg"]}}}]},
            "the study has no dataset 'pg': did you mean 'gp'?",
        ),
        ({"tests": ["compare"]}, "write a test with its parameters"),
        ({"tests": []}, "at least 1 item"),
        ({"selct": {}}, "unknown key 'selct': did you mean 'select'?"),
    ],
)
def test_mistakes_are_told_and_leave_studies_alone(project, changes, message):
    write(project, **changes)
    plan = project.plan()
    assert message in str(plan.claims_mistake)
    assert f"{FOLDER}/ours.yaml" in str(plan.claims_mistake)
    assert plan.claims == {}
    assert "ikd_fig1" in plan.studies


def test_numbers_that_a_fit_records_and_costs_are_metrics_too(project):
    for metric in ("seconds", "fit.duality_gap"):
        write(project, tests=[{"compare": {"first": "pca", "metric": metric}}])
        assert project.plan().claims_mistake is None


def test_same_name_in_two_files_is_refused(project):
    text = yaml.safe_dump({"title": "Another", "claims": {"claim-1": CLAIM}})
    project.write(f"{FOLDER}/zzz.yaml", text)
    assert "has a claim of that name too" in str(project.plan().claims_mistake)


def test_claim_that_would_stand_for_all_is_refused(project):
    content = {"title": "A paper", "claims": {"all": CLAIM}}
    project.write(f"{FOLDER}/ours.yaml", yaml.safe_dump(content))
    assert "claims.all: 'nldr claim all' shows every claim" in str(project.plan().claims_mistake)


def test_claim_of_a_broken_study_is_not_run(project):
    project.edit("workflow/studies/ikd_fig1.yaml", "trials: 50", "trails: 50")
    job = project.plan().claims_job()
    reasons = [claim.evaluations["as_published"] for claim in job.claims]
    assert all("the study has a mistake" in reason for reason in reasons)


def test_reduced_size_is_told_from_full_size(project):
    write(project, select={"methods": ["pca"], "where": {"data.n_features": [10, 50]}})
    jobs = {s: project.plan(s).claims_job() for s in ("smoke", "quick", "paper")}
    evaluations = {scale: job.claims[0].evaluations["as_published"] for scale, job in jobs.items()}
    sizes = {scale: evaluation.size for scale, evaluation in evaluations.items()}
    # 100 points instead of 1000 at smoke; 10 and 50 features of 1000 points are among those.
    assert sizes == {"smoke": "at reduced size", "quick": "at full size", "paper": "at full size"}


def test_nothing_is_of_full_size_where_scale_paper_has_a_mistake(project):
    assert project.plan("quick").verdict_job("ikd_fig1").full
    project.edit("workflow/studies/ikd_fig1.yaml", "[10, 20, 50, 100, 200, 500, 1000]", "[0]")
    plan = project.plan("quick")
    assert plan.broken == {}
    assert plan.verdict_job("ikd_fig1").full == []


# --- decisions ----------------------------------------------------------------------------------


def table_of(copy):
    rows = read_csv(copy.path / "results/smoke/claims.csv")
    return {(row["claim"], row["basis"]): row for row in rows}


def details_of(project):
    """Return what is known of the first claim."""
    return json.loads((project.path / "results/smoke/claims.json").read_text())["claims"][0]


def test_tables_of_claims(built):
    rows = table_of(built)
    assert len(rows) == 4
    best = rows["claim-1", "as_published"]
    assert (best["size"], best["study"], best["n"]) == ("at reduced size", "ikd_fig1", "2")
    assert float(best["effect"]) > 0
    assert rows["claim-1", "equal_tuning"]["decision"] == "not applicable"
    # No cell with 20 features is built at this scale.
    absent = rows["claim-2", "equal_tuning"]
    assert absent["decision"] == "not run"
    assert absent["sentence"] == "no cell of this claim is run at this scale"
    assert len(details_of(built)["comparisons"]) == 4
    page = (built.path / "results/smoke/claims.md").read_text()
    assert "## A paper" in page
    assert page.count("\n| **claim-") == 2


def test_claims_of_studies_that_are_not_asked_for_are_not_run(copy):
    (file,) = (copy.path / "workflow/claims").glob("*.yaml")
    before, after = file.read_text().split("equal_tuning:\n      study: ikd_fig1\n")
    after = after.replace("r2_affine", "trustworthiness_k12")
    file.write_text(f"{before}equal_tuning:\n      study: gallery\n{after}")
    copy.snakemake("--cores", "1", "claims", "--config", "scale=smoke", "studies=[ikd_fig1]")
    rows = table_of(copy)
    assert rows["claim-2", "as_published"]["n"]
    other = rows["claim-2", "equal_tuning"]
    assert other["decision"] == "not run"
    assert "gallery was not run" in other["sentence"]


def test_selection_that_keeps_nothing_or_names_no_parameter(project, capsys):
    command = ["--root", str(project.path), "claim", "mine-1", "--build", "--scale", "smoke"]
    write(project, select={"where": {"data.n_features": [7]}})
    assert main(command) == 2
    message = capsys.readouterr().err
    assert "claim 'mine-1' has no cell to build at scale smoke, which has fewer" in message
    assert "give another --scale, such as quick; or correct its select" in message
    for select, mistake in (
        ({"where": {"data.n_featurs": [10]}}, "where.data.n_featurs: no dataset of the study has"),
        ({"methods": ["pcaa"]}, "methods: the study has no method 'pcaa': did you mean 'pca'"),
    ):
        write(project, select=select)
        assert f"mine-1.as_published.select.{mistake}" in str(project.plan().claims_mistake)


def test_stopping_rule_adds_trials_until_nothing_is_unclear(project, monkeypatch, capsys):
    monkeypatch.setenv("PYTHONPATH", str(project.path / "src"))
    chosen = {"methods": ["pca", "random"], "where": {"data.n_features": [10, 50]}}
    write(project, select=chosen)
    command = ["--root", str(project.path), "claim", "mine-1", "--scale", "smoke"]
    assert main([*command, "--trials", "until_decided"]) == 2
    assert "--trials needs --build" in capsys.readouterr().err
    assert main([*command, "--build", "--budget", "2h"]) == 2
    assert "--budget needs --trials" in capsys.readouterr().err
    with monkeypatch.context() as patch:
        patch.setattr("subprocess.run", lambda *_, **__: SimpleNamespace(returncode=1))
        assert main([*command, "--build"]) == 2
    assert "the cells of mine-1 were not built" in capsys.readouterr().err
    assert main([*command, "--build", "--trials", "until_decided", "--cores", "1"]) == 0
    shown = capsys.readouterr().out
    number = int((project.path / f"{FOLDER}/trials.csv").read_text().split(",")[-1])
    assert number >= 5
    rule = f"trials were added until no setting was unclear, up to {number}"
    assert rule in " ".join(shown.split())
    row = details_of(project)
    assert (row["n"], row["stopped_at"]) == (number, number)
    assert number == 50 or not row["needs_trials"]
    # Neither tables nor cells that the claim does not select are built
    results = project.path / "results"
    evaluation = project.plan().claims_job().claims[0].evaluations["as_published"]
    scored = {(p.parts[-4], p.parts[-3]) for p in results.glob("scores/*/*/*/trials-*.json")}
    assert scored == {*evaluation.cells}
    assert not (results / "smoke/tables").exists()


def test_trials_of_a_stopping_rule_are_those_of_its_cells(project):
    write(project, select={"methods": ["pca", "oracle"], "where": {"data.n_features": [10]}})
    rows = "claim,basis,scale,trials\nmine-1,as_published,smoke,20\n"
    project.write(f"{FOLDER}/trials.csv", rows)
    plan = project.plan()
    assert plan.claim_trials == {("mine-1", "as_published"): 20}
    evidence = plan.claims_job().studies["ikd_fig1"].cells
    assert {cell.trials for cell in evidence} == {20}
    assert all("trials-20" in file for file in plan.claim_files()["scores"])
    # The table of the study has them too; its other cells have those of the study.
    cells = {(cell.data_cell, cell.method_cell) for cell in evidence}
    pairs = plan.studies["ikd_fig1"].pairs
    assert {pair.cell for pair in pairs if pair.trials == 20} == cells
    assert {pair.trials for pair in pairs if pair.cell not in cells} == {2}
    # The report of a smaller scale says how many trials the record has.
    project.write(f"{FOLDER}/trials.csv", rows.replace("smoke,20", "paper,200"))
    whole = project.plan().full_size("ikd_fig1")
    deciding = deciding_cells(whole, plan.claims["mine-1"].as_published)
    assert {pair.cell for pair in whole.pairs if pair.trials == 200} == deciding
    # Never fewer than the study has, of which other claims may be.
    project.write(f"{FOLDER}/trials.csv", rows.replace("20", "1"))
    assert {cell.trials for cell in project.plan().claims_job().studies["ikd_fig1"].cells} == {2}
    project.write(f"{FOLDER}/trials.csv", "claim,trials\nmine-1,many\n")
    with pytest.raises(PlanError, match="needs the columns claim, basis, scale and trials"):
        project.plan()


def test_claim_is_decided_from_its_cells_though_others_of_the_study_are_missing(copy):
    plan = copy.plan()
    (copy.path / "results/smoke/claims.json").unlink()
    kept = {file for files in plan.claim_files(["claim-1"]).values() for file in files}
    others = [f for f in plan.score_files("ikd_fig1") if f not in kept]
    Path(others[0]).unlink()
    build = Build(plan, lambda: ["claim_claim-1"])
    build.claims()
    assert details_of(copy)["n"] == 2
    # A cell of the claim itself must be there
    lost = plan.claim_files(["claim-1"])["scores"][0]
    Path(lost).unlink()
    build.claims()
    assert details_of(copy)["sentence"] == "1 of 6 cells of study ikd_fig1 were not run"
    # It is built for all claims, though there are verdicts
    assert {lost, "results/smoke/claims.csv"} <= copy.stale("claims", "--config", "scale=smoke")


def test_cells_that_compete_for_the_best_setting_are_needed_too():
    plan = our_plan()
    study = plan.studies["ikd_tuned"]
    data, method = next((p.data, p.method) for p in study.pairs if p.method.startswith("isomap"))
    settings = {(p.data, p.method) for p in study.pairs if p.method.startswith("isomap")}
    here = {cell for cell in settings if cell[0] == data}
    assert {*competing_cells(study, [(data, method)])} == here - {(data, method)}
    # One setting for all datasets
    one = {name: replace(group, one_setting=True) for name, group in study.groups.items()}
    study = replace(study, groups=one)
    assert {*competing_cells(study, [(data, method)])} == settings - {(data, method)}


def test_command_shows_a_claim(copy, capsys):
    assert main(["claim", "claim-1", "--scale", "smoke"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("claim-1: open\n  The true latent coordinates are better")
    assert "at reduced size, scale smoke, 6 cells of study ikd_fig1" in shown
    assert main(["claim", "all", "--scale", "smoke"]) == 0
    table, _, settling = capsys.readouterr().out.partition("\n\n")
    assert [line.split()[0] for line in table.splitlines()] == ["claim", "claim-1", "claim-2"]
    assert "nldr claim claim-1 --build --scale paper" in settling
    assert main(["claim", "claim-11", "--scale", "smoke"]) == 2
    assert "unknown claim 'claim-11': did you mean 'claim-1'?" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["claim", "all", "--scale", "none"])
    (copy.path / "results/smoke/claims.json").unlink()
    assert main(["claim", "claim-1", "--scale", "smoke"]) == 2
    assert "no claim is decided yet: nldr claim claim-1 --build" in capsys.readouterr().err


# --- our own claims -----------------------------------------------------------------------------


@pytest.mark.parametrize("scale", ["smoke", "quick", "paper"])
def test_our_claims_fit_our_studies(scale):
    plan = our_plan(scale)
    assert "claims" not in plan.broken
    expected = [("ikd", 23), ("lola", 10), ("mvu", 10), ("par", 12)]
    names = {f"{paper}-{i + 1:02}" for paper, n in expected for i in range(n)}
    assert names <= plan.claims.keys()
    # At full scale, each way to decide a claim has cells.
    for job in plan.claims_job().claims if scale == "paper" else ():
        for basis, evaluation in job.evaluations.items():
            if isinstance(evaluation, str):
                assert evaluation.startswith("not applicable: "), (job.name, basis)
            else:
                assert evaluation.cells, (job.name, basis)
                assert evaluation.size == "at full size"


def test_each_claim_quotes_the_paper_or_says_what_it_is_about():
    claims = our_plan().claims
    assert sum(claim.quote is not None for claim in claims.values()) >= 60
    unquoted = re.compile(r"printed numbers|released (code|runs)|implied|study \w+")
    for name, claim in claims.items():
        assert claim.statement.endswith("."), name
        if claim.quote is None:
            assert unquoted.match(claim.place), name
        else:
            assert claim.place, name
            assert claim.quote == " ".join(claim.quote.split()) != "", name
