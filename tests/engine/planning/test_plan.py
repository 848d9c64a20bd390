"""Cells are what studies ask for."""

from pathlib import Path

import pytest
from drafts import STUDY, add_studies, changed, plan

from nldr.engine.files.layout import scorers_name
from nldr.engine.jobs.specs import Limits, MethodGroup
from nldr.engine.planning.results import planned_results
from nldr.engine.planning.steps import Step
from nldr.engine.reading.parsing import PlanError
from nldr.engine.running.build import imports_of


def test_sizes_may_be_products(root):
    chosen = [{"turntable": {"n_objects": 3, "size": 16}}, {"utah_teapot": {"height": 10}}]
    cells = plan(root, changed(datasets=chosen, methods=["pca"])).data.values()
    assert [
        [cell.size(size) for size in ("n_samples", "n_features", "n_latent")] for cell in cells
    ] == [[3 * 72, 256, 2], [400, 3 * 10 * 101, 2]]


def test_an_oracle_needs_a_latent_of_as_many_dimensions(root):
    oracle = {"oracle": {"n_components": [2, 3]}}
    chosen = [{"gp": {"n_latent": 2}}, {"gp": {"n_latent": 3}}, "digits"]
    planned = plan(root, changed(datasets=chosen, methods=["pca", oracle]))
    pairs = [p for p in planned.studies["mine"].pairs if p.method.startswith("oracle")]
    sizes = [
        (planned.data[p.data].size("n_latent"), planned.methods[p.method].params["n_components"])
        for p in pairs
    ]
    assert sorted(sizes) == [(2, 2), (3, 2), (3, 3)]


def test_cells(root):
    planned = plan(root)
    expected = ["gp@n_features=5@n_samples=50", "gp@n_features=10@n_samples=50", "digits"]
    assert list(planned.data) == expected
    assert list(planned.methods) == [
        "pca@n_components=2",
        "isomap@n_components=2@n_neighbors=4",
        "isomap@n_components=2@n_neighbors=8",
        "oracle@n_components=2",
    ]
    pairs = {(p.data, p.method): p.trials for p in planned.studies["mine"].pairs}
    assert len(pairs) == 2 * 4 + 3
    assert {p.first for p in planned.studies["mine"].pairs} == {0}
    assert pairs["gp@n_features=5@n_samples=50", "oracle@n_components=2"] == 3
    assert ("digits", "oracle@n_components=2") not in pairs
    # What is the same in all trials is made once
    assert pairs["digits", "isomap@n_components=2@n_neighbors=4"] == 1
    assert pairs["digits", "pca@n_components=2"] == 3
    assert planned.data_file("digits", 3) == "results/data/digits/trials-1.json"
    assert planned.embedding_file("digits", "pca@n_components=2", 3).endswith("/trials-3.json")


def test_latent_components_follow_the_data(root):
    planned = plan(root, changed(datasets=["gp", "swiss_roll"], n_components="latent"))
    cells = {(pair.data, pair.method) for pair in planned.studies["mine"].pairs}
    assert {("gp", "pca@n_components=3"), ("swiss_roll", "pca@n_components=2")} <= cells


def test_oracle_needs_a_latent_of_enough_dimensions(root):
    planned = plan(root, changed(datasets=["sinusoid", "swiss_roll"], methods=["oracle"]))
    assert [pair.data for pair in planned.studies["mine"].pairs] == ["swiss_roll"]


def test_transforms_are_parameters_of_any_data_set(root):
    choices = [{"digits": {"subset": 100, "dropout": [0.1, 0.2], "standardize": True}}]
    planned = plan(root, changed(datasets=choices))
    assert list(planned.data) == [
        "digits@dropout=0.1@standardize=true@subset=100",
        "digits@dropout=0.2@standardize=true@subset=100",
    ]
    cell = next(iter(planned.data))
    job = planned.data_job(cell, 3)
    assert (job.params, job.seeds) == ({}, [None] * 3)
    assert job.transforms == {"subset": 100, "dropout": 0.1, "standardize": True}
    assert job.expected["n_samples"] == 100
    assert len(set(job.transform_seeds)) == 3
    assert planned.data_file(cell, 3) == f"results/data/{cell}/trials-3.json"


def test_split_data(root):
    choices = [{"digits": {"n_train": 100, "n_test": [50, 5000]}}]
    planned = plan(root, changed(datasets=choices, methods=["pca"], score_on="test"))
    assert [cell.size("n_samples") for cell in planned.data.values()] == [150, 1797]
    cell = next(iter(planned.data))
    assert planned.embed_job(cell, "pca@n_components=2", 1).split
    assert planned.score_files("mine")[0] == (
        f"results/scores/{cell}/pca@n_components=2/ranks@rows=test/trials-3.json"
    )
    (job,) = planned.scores_job(cell, "ranks@rows=test", 3).scorings
    assert (job.name, job.rows, job.metrics) == ("ranks@rows=test", "test", ["trustworthiness_k3"])
    (job,) = plan(root).scores_job("digits", "ranks", 3).scorings
    assert job.rows == "all"


def test_scorers_of_large_data_sets_may_use_threads(root):
    metrics = ["trustworthiness_k3", "r2_affine"]
    planned = plan(root, changed(datasets=[{"gp": {"n_samples": [9999, 10000]}}], metrics=metrics))
    small, large = planned.data
    both = "alignment+ranks"
    threads = [
        {job.name: job.threads for job in planned.scores_job(cell, both, 3).scorings}
        for cell in (small, large)
    ]
    assert threads == [{"alignment": 1, "ranks": 1}, {"alignment": 1, "ranks": 8}]


def test_best_of_stands_for_its_members(root):
    best = {"neighbors": {"title": "graph", "methods": ["isomap", "le"]}}
    planned = plan(root, changed(methods=["pca", "isomap", "tsne", "le"], best_of=best))
    expected = {"pca": "PCA", "neighbors": "graph, best of 2", "tsne": "t-SNE"}
    assert planned.figure_job("mine").methods == expected
    group = MethodGroup(["isomap", "le"], "trustworthiness_k3", "higher", one_setting=False)
    assert planned.table_job("mine").groups == {"neighbors": group}
    # Of its methods, those that a scale has
    scales = {"smoke": {"methods": ["pca", "le"]}, "quick": {"methods": ["pca"]}}
    study = changed(methods=["isomap", "le"], best_of=best, scales=scales)
    few = plan(root, study, scale="smoke").figure_job("mine").methods
    assert few == {"pca": "PCA", "neighbors": "graph"}
    assert plan(root, study, scale="quick").table_job("mine").groups == {}


def test_tune_groups_the_settings_of_each_method(root):
    methods = ["pca", {"isomap": {"n_neighbors": [4, 8, 12]}}]
    study = changed(methods=methods, metrics=["trustworthiness_k3", "stress"], tune=True)
    planned = plan(root, study)
    group = MethodGroup(["isomap"], "trustworthiness_k3", "higher", one_setting=False)
    assert planned.table_job("mine").groups == {"isomap": group}
    assert planned.figure_job("mine").methods == {"pca": "PCA", "isomap": "Isomap, best of 3"}
    planned = plan(root, {**study, "tune": {"metric": "stress", "one_setting": True}})
    group = MethodGroup(["isomap"], "stress", "lower", one_setting=True)
    assert planned.table_job("mine").groups == {"isomap": group}
    assert plan(root, changed(methods=["pca", "isomap"], tune=True)).table_job("mine").groups == {}


def test_embedding_may_have_more_dimensions_than_the_data_where_a_method_says_so(root):
    rolls = {"datasets": [{"swiss_roll": {"n_samples": 50}}], "n_components": 4}
    planned = plan(root, changed(methods=["mvu_released"], **rolls))
    assert planned.methods["mvu_released@n_components=4"].params["n_components"] == 4
    refused = plan(root, changed(methods=["pca"], **rolls)).broken["mine"]
    assert "n_components = 4: swiss_roll@n_samples=50 allows 1 to 3" in str(refused)


def test_rows_that_select_are_scored_apart(root):
    study = changed(tune={"settings": 2, "select_on": "rows", "untuned": ["pca"]})
    planned = plan(root, study)
    name = planned.scorings_of("mine")
    assert name == ["ranks@half=scored", "ranks@half=selecting"]
    jobs = planned.scores_job("digits", scorers_name(name), 3).scorings
    expected = [("scored", ["trustworthiness_k3"]), ("selecting", ["selecting.trustworthiness_k3"])]
    assert [(job.half, job.metrics) for job in jobs] == expected
    assert planned.table_job("mine").groups["isomap"].selected_on == "rows"
    job = planned.figure_job("mine")
    assert list(job.metrics) == ["trustworthiness_k3"]
    assert job.methods["isomap"] == "Isomap, tuned over 2"


def test_several_figures_show_some_of_the_cells(root):
    few = {
        **STUDY["figure"],
        "title": "few",
        "tuned": False,
        "panels": True,
        "select": {
            "datasets": ["gp"],
            "methods": ["pca", "isomap"],
            "where": {"method.n_neighbors": 8},
        },
    }
    tuned = {**STUDY["figure"], "select": {"where": {"method.n_neighbors": 8}}}
    planned = plan(root, changed(tune=True, figures={"few": few, "tuned": tuned}))
    names = ["mine", "few", "tuned"]
    assert planned.owners == dict.fromkeys(names, "mine")
    assert planned.figure_files("mine") == [f"results/quick/figures/{name}.pdf" for name in names]
    assert planned.targets()["few"] == ["results/quick/figures/few.pdf"]
    job = planned.figure_job("few")
    assert (job.title, job.tuned, planned.figure_job("mine").title) == ("few", False, "a study")
    assert {method for _, method in job.cells} == {
        "pca@n_components=2",
        "isomap@n_components=2@n_neighbors=8",
    }
    assert job.methods["isomap"] == "Isomap"
    assert job.panels == ["gp@n_features=5@n_samples=50", "gp@n_features=10@n_samples=50"]
    assert len(planned.panel_embeddings("few")) == len(job.cells)
    # Of a single study, everything is what its name stands for
    assert planned_results(planned) == planned_results(planned, ["mine"])
    # A title counts the settings that a figure leaves out
    assert planned.figure_job("tuned").methods["isomap"] == "Isomap, best of 2"
    assert planned.panel_embeddings("mine") == planned.figure_job("mine").panels == []


EXTENDING = {"title": "other", "source": "ours", "extends": "mine", "figure": STUDY["figure"]}


def test_extended_study_shares_cells(root):
    other = EXTENDING | {"trials": 1, "select": {"where": {"method.n_neighbors": [8, 12]}}}
    add_studies(root, other=other)
    planned = plan(root)
    # The files of trials stand in the folder of the cell, whatever the number of trials.
    few, all_ = (
        {Path(file).parent for file in planned.study_embeddings(name)} for name in ("other", "mine")
    )
    assert few < all_
    assert {p.method for p in planned.studies["other"].pairs} == {
        "pca@n_components=2",
        "isomap@n_components=2@n_neighbors=8",
        "oracle@n_components=2",
    }


def test_extended_study_leaves_out_what_is_said_of_other_methods(root):
    other = EXTENDING | {"datasets": ["digits"], "methods": ["pca"]}
    add_studies(root, other=other)
    said = {
        "methods": ["isomap", "pca"],
        "datasets": ["gp", "digits"],
        "fewer_trials": {"isomap": 1},
        "limits": {"isomap": {"seconds": 9}},
        "per_dataset": {
            "gp": {"pca": {"n_components": 1}},
            "digits": {"isomap": {"n_neighbors": 9}},
        },
    }
    planned = plan(root, changed(**said))
    assert not planned.broken
    # A name that the study itself gives must be one of its own.
    wrong = other | {"fewer_trials": {"isomap": 1}}
    add_studies(root, other=wrong)
    assert "fewer_trials.isomap" in str(plan(root, changed(**said)).broken["other"])


def test_selection_beside_an_unknown_dataset_of_another_scale(root):
    study = changed(
        select={"where": {"method.n_neighbors": 8}}, scales={"paper": {"datasets": ["nothing"]}}
    )
    assert not plan(root, study).broken


def test_study_that_extends_itself(root):
    assert "'mine' is the study itself" in str(plan(root, changed(extends="mine")).broken["mine"])


def test_former_names_of_metrics_are_accepted(root):
    digits = {"datasets": ["digits"], "methods": ["pca"]}
    planned = plan(root, changed(metrics=["neighbourhood_hit_k7"], **digits))
    assert list(planned.table_job("mine").metrics) == ["neighborhood_hit_k7"]


def test_parameters_on_one_data_set_or_not_on_it(root):
    here = {"digits": {"isomap": {"n_neighbors": 9}, "pca": False}, "gp": {"pca": False}}
    planned = plan(root, changed(methods=["isomap", "pca"], per_dataset=here))
    assert {(p.data, p.method) for p in planned.studies["mine"].pairs} == {
        ("gp@n_features=5@n_samples=50", "isomap@n_components=2"),
        ("gp@n_features=10@n_samples=50", "isomap@n_components=2"),
        ("digits", "isomap@n_components=2@n_neighbors=9"),
    }


def test_parameters_that_follow_the_data(root):
    data = [{"gp": {"n_features": [5, 10]}}]
    planned = plan(
        root, changed(datasets=data, methods=[{"isomap": {"n_neighbors": "data.n_features"}}])
    )
    expected = ["isomap@n_components=2", "isomap@n_components=2@n_neighbors=10"]
    assert [p.method for p in planned.studies["mine"].pairs] == expected


def test_headlines_and_small_studies_come_first(root):
    main = changed(trials=50, headline=True)
    add_studies(root, large=changed(trials=9), main=main, small=changed(trials=1))
    planned = plan(root)
    assert planned.order == ["main", "small", "mine", "large"]
    priorities = [planned.priority("table", {"study": name}) for name in planned.order]
    assert priorities == sorted(priorities, reverse=True)
    # A cell that several studies share comes with the first; a figure before the next study.
    cell = {"data": "digits", "method": "pca@n_components=2"}
    assert planned.priority("embed", cell) > planned.priority("figure", {"figure": "small"})
    stages = [
        planned.priority(stage, cell | {"study": "main", "figure": "main"})
        for stage in ("data", "embed", "score", "table", "figure")
    ]
    assert stages == sorted(stages)


def test_mistake_in_one_study_leaves_the_others(root):
    (root / "workflow/studies/broken.yaml").write_text("title: [unclosed\n")
    add_studies(root, other=changed(trails=1))
    planned = plan(root)
    assert planned.selected == list(planned.studies) == ["mine"]
    assert planned.broken.keys() == {"broken", "other"}
    assert "workflow/studies/other.yaml: unknown key 'trails'" in str(planned.broken["other"])
    with pytest.raises(PlanError, match="unknown key 'trails'"):
        plan(root, studies=["other"])


@pytest.mark.parametrize("name", ["claims", "tables", "headline", "no_such_name"])
def test_study_with_the_name_of_a_target_is_refused(root, name):
    add_studies(root, **{name: STUDY})
    planned = plan(root)
    assert str(planned.broken[name]) == (
        f"workflow/studies/{name}.yaml: a study cannot be called '{name}': rename the file"
    )
    # The target of that name stays.
    assert planned.claims_mistake is None
    assert planned.refused() == {}


def test_modules_that_jobs_need(root):
    planned = plan(root, changed(methods=["pca", "umap"]))
    modules = imports_of(planned, planned.embed_job("digits", "umap@n_components=2", 1))
    assert "umap" in {module.partition(".")[0] for module in modules}
    assert imports_of(planned, planned.embed_job("digits", "pca@n_components=2", 1)) == (
        "sklearn.decomposition",
    )
    assert imports_of(planned, planned.table_job("mine")) == ()


def test_scale_overrides_and_config_selects(root):
    study = changed(scales={"smoke": {"trials": 1, "datasets": ["digits"]}})
    planned = plan(root, study, scale="smoke")
    assert list(planned.data) == ["digits"]
    assert planned.studies["mine"].study.trials == 1
    assert planned.selected == ["mine"]
    assert plan(root, study, studies=[]).selected == []
    assert plan(root, study, studies="mine").selected == ["mine"]


def test_limits_are_the_largest_any_study_sets(root):
    other = changed(limits={"pca": {"seconds": 5}})
    add_studies(root, other=other)
    planned = plan(root, changed(limits={"pca": {"seconds": 7.5, "memory_mb": 100}}))
    assert planned.limits["digits", "pca@n_components=2"] == Limits(7.5, 4096)
    assert planned.limits["digits", "isomap@n_components=2@n_neighbors=4"] == Limits(600, 4096)


def test_exclusive_timing_takes_all_cores(root):
    planned = plan(root, changed(timing="exclusive"))
    assert planned.threads("digits", "pca@n_components=2", 1, 8) == 8
    job = planned.embed_job("digits", "pca@n_components=2", 1)
    assert (job.threads, job.exclusive) == (1, True)
    assert plan(root).threads("digits", "pca@n_components=2", 1, 8) == 1


def test_long_trials_run_several_at_once(root, monkeypatch):
    planned = plan(root)
    cost = planned.forecast.cost(Step("embed", "digits", "pca@n_components=2", trials=1))
    monkeypatch.setattr(planned.forecast, "cost", lambda step: cost._replace(cpu_seconds=100.0))
    values = [
        planned.threads("digits", "pca@n_components=2", trials, 4) for trials in (1, 6, 7, 50)
    ]
    assert values == [1, 1, 2, 4]
