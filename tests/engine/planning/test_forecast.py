"""Forecasts count what remains to be made, shared cells once, and decide what a budget allows."""

import shutil
from pathlib import Path

import pytest
from conftest import SIGNATURES
from drafts import add_studies, changed

from nldr.cli import main
from nldr.engine.cost.records import SHIPPED, CostRecord, write_records
from nldr.engine.files.layout import STATE
from nldr.engine.planning.budget import Total, further, within
from nldr.engine.planning.plan import Plan
from nldr.engine.planning.steps import Step
from nldr.engine.reading.parsing import PlanError

STUDY = changed(datasets=[{"gp": {"n_samples": 50, "n_features": 5}}], methods=["pca"], trials=2)


@pytest.fixture
def root(root, monkeypatch):
    """Return a project folder, also the current one, without studies and records."""
    (root / SHIPPED).unlink()
    (root / "config.yaml").write_text("")
    monkeypatch.chdir(root)
    return root


def plan(root, config=None, **studies):
    add_studies(root, **{name: STUDY | changes for name, changes in studies.items()})
    return Plan(config or {}, root, SIGNATURES)


# --- jobs of a plan -----------------------------------------------------------------------------


def test_limits_bound_what_is_predicted(root):
    slow = {"methods": ["pca"], "limits": {"pca": {"seconds": 7.0, "memory_mb": 300}}}
    made = plan(root, mine=slow)
    (cell,) = made.methods
    step = Step("embed", "gp@n_features=5@n_samples=50", cell, trials=2)
    work = made.forecast.work(step)
    assert (work.n_samples, work.n_features, work.n_components) == (50, 5, 2)
    slower = CostRecord(work._replace(n_samples=5), 1, 0, 1e6, 1e6, 200.0, 1000.0)
    write_records(root / SHIPPED, [slower])
    cost = plan(root, mine=slow).forecast.cost(step)
    assert cost.cpu_seconds == 7.0
    assert cost.peak_mb <= 300


def test_iterations_and_training_points_decide_the_work(root):
    digits = {"digits": {"n_train": 100, "n_test": 50}}
    methods = [{"autoencoder": {"n_epochs": 3}}, "vae", "mds", "dlmp", "tsne_on_test"]
    made = plan(root, mine={"datasets": [digits], "methods": methods})
    works = {
        name: made.forecast.work(Step("embed", "digits@n_test=50@n_train=100", name, trials=2))
        for name in made.methods
    }
    by_name = {work.name: work for work in works.values()}
    assert (by_name["autoencoder"].steps, by_name["vae"].steps) == (3, 200)
    assert (by_name["vae"].n_samples, by_name["mds"].n_samples) == (100, 150)
    # The epochs of DLMP follow its iterations of t-SNE; t-SNE runs on the test points too.
    assert by_name["dlmp"].steps == 200 + 1000
    assert by_name["tsne_on_test"].n_samples == 150


def test_trials_that_exist_are_not_counted(root):
    made = plan(root, mine={})
    pair = made.studies["mine"].pairs[0]
    manifest = Path(made.embedding_file(pair.data, pair.method, 2))

    def trials(stale=()):
        jobs = made.forecast.jobs("mine", stale)
        return [job.trials for job in jobs]

    assert trials() == [2, 2, 2, 1, 1]  # data, embed, score, table, figure
    manifest.parent.mkdir(parents=True)
    (manifest.parent / "trial-0.npz").touch()
    assert trials() == [2, 1, 2, 1, 1]
    manifest.touch()
    assert trials() == [2, 0, 2, 1, 1]
    assert trials((str(manifest),)) == [2, 2, 2, 1, 1]
    # A job that is run although its results exist makes all of them again.
    step = Step("embed", *pair.cell, trials=2)
    assert made.forecast.needed(step).trials == 2


def test_shared_cells_are_counted_once(root):
    made = plan(root, few={"trials": 2}, many={"trials": 5}, other={"methods": ["isomap"]})
    few, many, other = (made.forecast.jobs(name, None) for name in ("few", "many", "other"))
    assert Total.of(few, 1).embeddings == 2
    assert [job.trials for job in further(many, few)] == [3, 3, 3, 1, 1]
    assert [job.trials for job in further(other, few)] == [0, 2, 2, 1, 1]
    assert Total.of(further(other, few), 1).jobs == 4
    assert Total.of([*few, *many, *few], 1).embeddings == 5


def test_no_jobs_cost_nothing():
    assert set(Total.of([], 2)) == {0}


def test_a_job_is_not_divided_among_cores(root):
    made = plan(root, mine={"trials": 50}, alone={"timing": "exclusive", "methods": ["isomap"]})
    jobs = made.forecast.jobs("mine", ())
    embedding = next(job for job in jobs if job.step.stage == "embed")
    assert Total.of([embedding], 8).seconds > embedding.cpu_seconds
    alone = [job for job in made.forecast.jobs("alone", ()) if job.step.stage == "embed"]
    assert Total.of(alone, 8).seconds > alone[0].cpu_seconds


# --- budget and command line --------------------------------------------------------------------


def budgeted(root, **config):
    published = {
        "file": "ikd_fig1.csv",
        "keys": {"dataset": "dataset"},
        "values": {"seconds": ["seconds_median"]},
    }
    return plan(
        root,
        config,
        costly={"headline": True, "methods": ["tsne"], "trials": 50},
        main={"headline": True, "methods": ["isomap"]},
        published={"published": published, "methods": ["lle"], "trials": 3},
        cheap={"methods": ["mds"], "trials": 1},
    )


def test_budget_takes_the_most_valuable_first(root):
    made = budgeted(root, budget="25s")
    chosen, text = within(made, 1, [])
    assert chosen == ["main", "published"]
    assert "left out: costly: about 2 min more" in text
    assert "left out: cheap" in text
    expected = ["main", "costly", "published", "cheap"]
    assert within(budgeted(root, budget="2d"), 1, [])[0] == expected
    assert within(budgeted(root, budget="1s"), 1, [])[0] == []
    # Only studies that the config asks for.
    assert within(budgeted(root, budget="2d", studies="cheap"), 1, [])[0] == ["cheap"]


@pytest.mark.parametrize(
    "value", ["4", 4, "h", "4 h", "-4h", "0h", "4h30m", "1e3s", "", True, "4H"]
)
def test_budget_that_is_no_duration(root, value):
    with pytest.raises(PlanError, match=r"budget = .*: write a number with its unit"):
        plan(root, {"budget": value}, mine={})


def test_cost_shows_each_study_and_all(root, capsys):
    plan(root, few={"trials": 2}, many={"trials": 5})
    (root / STATE).mkdir(parents=True)
    shutil.copy(SIGNATURES, root / STATE)
    assert main(["--root", str(root), "cost", "--scale", "paper", "--cores", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    columns = [line.split() for line in lines]
    expected = [["few", "5", "2"], ["many", "5", "3"], ["all", "7", "5"]]
    assert [words[:3] for words in columns if words[0] in ("few", "many", "all")] == expected
    assert "Time on 4 core(s)" in lines[-1]
    assert "100% (methods never timed)" in lines[-1]
    with pytest.raises(SystemExit):
        main(["cost", "--cores", "0"])
