"""Mistakes are found before any job starts, and cells are what studies ask for."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from conftest import SIGNATURES, catalogs_alone

from nldr.engine.files.layout import scorers_name
from nldr.engine.jobs.specs import Group, Limits
from nldr.engine.planning.plan import Plan
from nldr.engine.planning.steps import Step
from nldr.engine.reading.parsing import PlanError
from nldr.engine.running.build import imports_of

STUDY = {
    "title": "a study",
    "source": "ours",
    "datasets": [{"gp": {"n_samples": 50, "n_features": [5, 10]}}, "digits"],
    "methods": ["pca", {"isomap": {"n_neighbors": [4, 8]}}, "oracle"],
    "metrics": ["trustworthiness_k3"],
    "trials": 3,
    "figure": {"function": "nldr.figures.curves.curves"},
}


def plan(root, study=None, **config):
    add_studies(root, mine=STUDY if study is None else study)
    return Plan(config, root, SIGNATURES)


def add_studies(root, **studies):
    for name, study in studies.items():
        (root / f"workflow/studies/{name}.yaml").write_text(yaml.safe_dump(study))


def changed(**changes):
    return {**STUDY, **changes}


def test_sizes_may_be_products(root):
    chosen = [{"turntable": {"n_objects": 3, "size": 16}}, {"utah_teapot": {"height": 10}}]
    cells = plan(root, changed(datasets=chosen, methods=["pca"])).data.values()
    assert [
        [cell.size(size) for size in ("n_samples", "n_features", "n_latent")] for cell in cells
    ] == [[3 * 72, 256, 2], [400, 3 * 10 * 101, 2]]


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
    assert [planned.score_threads(cell, both) for cell in (small, large)] == [1, 8]
    threads = {job.name: job.threads for job in planned.scores_job(large, both, 3).scorings}
    assert threads == {"alignment": 1, "ranks": 8}


def test_best_of_stands_for_its_members(root):
    best = {"neighbors": {"title": "graph", "methods": ["isomap", "le"]}}
    planned = plan(root, changed(methods=["pca", "isomap", "tsne", "le"], best_of=best))
    expected = {"pca": "PCA", "neighbors": "graph, best of 2", "tsne": "t-SNE"}
    assert planned.figure_job("mine").methods == expected
    group = Group(["isomap", "le"], "trustworthiness_k3", "higher", one_setting=False)
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
    group = Group(["isomap"], "trustworthiness_k3", "higher", one_setting=False)
    assert planned.table_job("mine").groups == {"isomap": group}
    assert planned.figure_job("mine").methods == {"pca": "PCA", "isomap": "Isomap, best of 3"}
    planned = plan(root, {**study, "tune": {"metric": "stress", "one_setting": True}})
    group = Group(["isomap"], "stress", "lower", one_setting=True)
    assert planned.table_job("mine").groups == {"isomap": group}
    assert plan(root, changed(methods=["pca", "isomap"], tune=True)).table_job("mine").groups == {}


def test_embedding_may_have_more_dimensions_than_the_data_where_a_method_says_so(root):
    rolls = {"datasets": [{"swiss_roll": {"n_samples": 50}}], "n_components": 4}
    planned = plan(root, changed(methods=["mvu_released"], **rolls))
    assert planned.methods["mvu_released@n_components=4"].params["n_components"] == 4
    refused = plan(root, changed(methods=["pca"], **rolls)).broken["mine"]
    assert "n_components = 4: swiss_roll@n_samples=50 allows 1 to 3" in str(refused)


def test_trials_that_select_follow_those_that_are_scored(root):
    tune = {"settings": 2, "selection_trials": 4, "untuned": ["pca"]}
    study = changed(datasets=["gp", {"digits": {"subset": 50}}], tune=tune)
    pairs = plan(root, study).studies["mine"].pairs
    trials = {(p.method, p.trials, p.scored) for p in pairs if "oracle" not in p.method}
    assert trials == {
        ("pca@n_components=2", 3, 3),
        ("isomap@n_components=2@n_neighbors=4", 7, 3),
        ("isomap@n_components=2@n_neighbors=8", 7, 3),
    }


def test_trials_that_selected_settings_elsewhere_are_left_out(root):
    study = changed(datasets=["gp"], methods=["pca", "isomap"], first_trial=1)
    planned = plan(root, study).studies["mine"]
    assert {(p.trials, p.scored, p.first) for p in planned.pairs} == {(3, 3, 1)}
    assert {cell.first for cell in planned.cells()} == {1}
    refused = plan(root, study | {"trials": 1}).broken["mine"]
    assert "first_trial = 1: of 1 trials, none is left" in str(refused)
    # Without random numbers there is one trial, and nothing to overfit
    alone = changed(datasets=["digits"], methods=["isomap"], first_trial=1)
    assert {(p.trials, p.first) for p in plan(root, alone).studies["mine"].pairs} == {(1, 0)}


def test_slow_methods_may_have_fewer_trials(root):
    study = changed(
        datasets=["gp"],
        fewer_trials={"oracle": 2, "pca": 9},
        scales={"paper": {"trials": 50, "fewer_trials": {"isomap": 10}}},
    )
    trials = {(p.method.split("@")[0], p.trials) for p in plan(root, study).studies["mine"].pairs}
    assert trials == {("pca", 3), ("isomap", 3), ("oracle", 2)}
    larger = plan(root, study, scale="paper").studies["mine"].pairs
    expected = {("pca", 50, 50), ("isomap", 10, 10), ("oracle", 50, 50)}
    assert {(p.method.split("@")[0], p.trials, p.scored) for p in larger} == expected


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
        "select": {"datasets": ["gp"], "where": {"method.n_neighbors": 8}},
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
        "oracle@n_components=2",
    }
    assert job.methods["isomap"] == "Isomap"
    assert job.panels == ["gp@n_features=5@n_samples=50", "gp@n_features=10@n_samples=50"]
    assert len(planned.panel_embeddings("few")) == len(job.cells)
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


def test_only_random_transforms_make_trials_differ(root):
    choices = [{"digits": {"standardize": True}}, {"digits": {"shuffle_rows": [False, True]}}]
    cells = plan(root, changed(datasets=choices)).data.values()
    assert [cell.seeded for cell in cells] == [False, False, True]


def test_all_points_that_there_are_make_trials_the_same(root):
    planned = plan(root, changed(datasets=[{"orl": {"n_samples": [399, 400]}}], trials=5))
    expected = {"orl@n_samples=399": True, "orl": False}
    assert {name: cell.seeded for name, cell in planned.data.items()} == expected
    trials = {(p.data, p.method): p.trials for p in planned.studies["mine"].pairs}
    assert trials["orl@n_samples=399", "isomap@n_components=2@n_neighbors=4"] == 5
    assert trials["orl", "isomap@n_components=2@n_neighbors=4"] == 1


def test_a_random_state_of_null_is_that_of_the_trial(root):
    methods = [{"mvu_landmark": {"random_state": [0, None]}}]
    planned = plan(root, changed(datasets=["swiss_roll"], methods=methods))
    fixed, free = (planned.embed_job("swiss_roll", cell, 3) for cell in planned.methods)
    assert [fixed.params_of(t)["random_state"] for t in range(3)] == [0, 0, 0]
    assert len({free.params_of(t)["random_state"] for t in range(3)}) == 3


def test_seeds_do_not_depend_on_the_study_or_the_grid(root):
    planned = plan(root)
    jobs = [planned.data_job(cell, 3) for cell in list(planned.data)[:2]]
    assert jobs[0].seeds == jobs[1].seeds
    assert len(set(jobs[0].seeds)) == 3
    assert planned.data_job("gp@n_features=5@n_samples=50", 2).seeds == jobs[0].seeds[:2]
    assert planned.data_job("digits", 1).seeds == [None]
    job = planned.embed_job("digits", "pca@n_components=2", 3)
    assert len(set(job.random_states)) == 3
    assert [job.params_of(t)["random_state"] for t in range(3)] == job.random_states


def test_what_decides_a_trial_does_not_depend_on_the_number_of_trials(root):
    planned = plan(root)
    few, many = (planned.embed_job("digits", "pca@n_components=2", trials) for trials in (2, 5))
    assert [few.of_trial(t) for t in range(2)] == [many.of_trial(t) for t in range(2)]
    cell = "gp@n_features=5@n_samples=50"
    few, many = (planned.data_job(cell, trials) for trials in (2, 5))
    assert [few.of_trial(t) for t in range(2)] == [many.of_trial(t) for t in range(2)]
    assert few.of_trial(0) != few.of_trial(1)


def test_limits_threads_and_names_of_scorings_decide_nothing(root):
    planned = plan(root)
    job = planned.embed_job("digits", "pca@n_components=2", 2)
    assert replace(job, limits=Limits(1, 1)).of_trial(0) == job.of_trial(0)
    (scoring,) = planned.scores_job("digits", "ranks", 2).scorings
    same = replace(scoring, threads=8, limits=Limits(1, 1), metrics=[], name="x")
    assert same.facts() == scoring.facts()
    assert replace(scoring, rows="test").facts() != scoring.facts()


def test_headlines_and_small_studies_come_first(root):
    headline = changed(trials=50, headline=True)
    add_studies(root, large=changed(trials=9), headline=headline, small=changed(trials=1))
    planned = plan(root)
    assert planned.order == ["headline", "small", "mine", "large"]
    priorities = [planned.priority("table", {"study": name}) for name in planned.order]
    assert priorities == sorted(priorities, reverse=True)
    # A cell that several studies share comes with the first; a figure before the next study.
    cell = {"data": "digits", "method": "pca@n_components=2"}
    assert planned.priority("embed", cell) > planned.priority("figure", {"figure": "small"})
    stages = [
        planned.priority(stage, cell | {"study": "headline", "figure": "headline"})
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


@pytest.mark.parametrize("name", ["claims", "tables"])
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


# What a study is changed by, and what is said of it
MISTAKES = """
trails: 3
    unknown key 'trails': did you mean 'trials'?
figure: {functoin: x}
    figure: unknown key 'functoin': did you mean 'function'?
source: null
    source: this key is missing: add it
datasets: [swissroll]
    datasets: unknown dataset 'swissroll': did you mean 'swiss_roll'?
methods: [isomp]
    methods: unknown method 'isomp': did you mean 'isomap'?
metrics: [trustworthyness_k3]
    metrics: unknown metric 'trustworthyness_k3': did you mean 'trustworthiness_k3'?
trials: five
    trials = 'five':
trials: -3
    trials = -3:
datasets: [{gp: {n_features: []}}]
    datasets.gp.n_features = []: an empty grid: give at least one value
datasets: [{gp: {noise: [0, 0.1, 0.0]}}]
    datasets.gp.noise: 0 and 0.0 are the same number: give it once
methods: [{isomap: {n_neighbors: [5, 6, 5]}}]
    methods.isomap.n_neighbors: 5 and 5 are the same number: give it once
methods: []
    methods = []:
datasets: [{gp: {n_feature: 3}}]
    datasets.gp.n_feature: nldr.datasets.latent.gp has no parameter 'n_feature': did you mean 'n_f
methods: [{isomap: {neighbors: 3}}]
    methods.isomap.neighbors: nldr.methods.spectral.isomap.Isomap has no parameter 'neighbors': di
datasets: [{turntable: {size: 1.5}}]
    datasets.turntable.size = 1.5: must be a positive whole number
datasets: [{gp: {n_samples: -5}}]
    datasets.gp.n_samples = -5: must be a positive whole number
datasets: [{digits: {subset: all}}]
    datasets.digits.subset = 'all': must be a positive whole number
n_components: 6
    methods.pca.n_components = 6: gp@n_features=5@n_samples=50 allows 1 to 5: lower it or drop the
n_components: 0
    n_components = 0: write a whole number ≥ 1 or latent, or a list of them
scales: {smoke: {n_components: [2, true]}}
    scales.smoke.n_components = [2, True]: write a whole number ≥ 1 or latent, or a list
methods: [{pca: {n_components: 0}}]
    methods.pca.n_components = 0: write a whole number ≥ 1 or latent
datasets: [{mnist: {n_samples: 70001}}]
    datasets.mnist.n_samples: asks for 70001 points, but there are only 70000: lower it
datasets: [{digits: {subset: 1798}}]
    datasets.digits.subset = 1798: there are only 1797 points: lower it
datasets: [{digits: {gaussian_noise: -1}}]
    datasets.digits.gaussian_noise = -1: must be a number ≥ 0
datasets: [{digits: {dropout: [0.5, 1.5]}}]
    datasets.digits.dropout = 1.5: must be a number from 0 to 1
datasets: [{digits: {standardize: 'yes'}}]
    datasets.digits.standardize = 'yes': must be true or false
n_components: latent
    n_components = latent: dataset 'digits' has no known latent: give a number
datasets: [{digits: {n_test: 9}}]
    datasets.digits.n_test: set n_train too
datasets: [{digits: {subset: 100, n_train: 100}}]
    datasets.digits.n_train = 100: leaves no point of 100 to test on: lower it
score_on: test
    score_on = test: dataset 'gp' is not split: give it n_train
score_on: observed, datasets: [{gp: {missing: 0.1}}], methods: [tsne_imputed]
    score_on = observed: dataset 'gp' has missing values, with which no metric can compare
per_dataset: {digit: {pca: {}}}
    per_dataset.digit: the study has no such dataset: did you mean 'digits'?
per_dataset: {digits: {pcaa: {}}}
    per_dataset.digits.pcaa: the study has no such method: did you mean 'pca'?
methods: [{isomap: {n_neighbors: data.n_feature}}]
    methods.isomap.n_neighbors = data.n_feature: dataset 'gp' has no parameter 'n_feature': did yo
best_of: {best: {title: best, methods: [isomp]}}
    best_of.best: the study has no method 'isomp': did you mean 'isomap'?
best_of: {pca: {title: best, methods: [isomap]}}
    best_of.pca: is the name of a method: choose another
best_of: {one: {title: one, methods: [pca]}, two: {title: two, methods: [pca]}}
    best_of.one: 'pca' is named twice: name it once
metrics: [r2_affine]
    metrics: 'r2_affine' needs latent, which dataset 'digits' lacks: drop one
metrics: [knn_accuracy_k5]
    metrics: 'knn_accuracy_k5' needs labels, which dataset 'gp' lacks: drop one
limits: {tsne: {seconds: 3}}
    limits.tsne: the study has no such method:
figure: {function: nldr.figures.curves.curve}
    figure.function = 'nldr.figures.curves.curve': cannot be imported (ImportError:
figure: {function: nldr.figures.curves.curves, params: {xx: 1}}
    figure.params.xx: nldr.figures.curves.curves has no parameter 'xx'
published: {file: ikd_fig1.cvs, keys: {}, values: {}}
    published.file = 'ikd_fig1.cvs': no such file in workflow/published: did you mean 'ikd_fig1.cs
published: {file: ikd_fig1.csv, keys: {datset: dataset}, values: {}}
    published: ikd_fig1.csv has no column 'datset': did you mean 'dataset'?
published: {file: ikd_fig1.csv, keys: {}, values: {r2: [r2_mean]}}
    published.values.r2: the study has no such metric: known: trustworthiness_k3
scales: {huge: {}}
    scales.huge
figure: null
    a study needs a figure: add `figure` or `figures`
extends: mien
    extends: unknown study 'mien': did you mean 'mine'?
tune: {metric: stres}
    tune.metric = 'stres': the study has no such metric: known: trustworthiness_k3
datasets: [gp], tune: {settings: 2, selection_trials: 1}
    tune.settings = 2: 'pca' has 1 on gp, not 2: give it as many, or name it in tune.untuned
datasets: [gp], tune: {settings: 3, selection_trials: 1, untuned: [pca, isomap]}
    tune.settings = 3: 'isomap' has 2 on gp, not 1: remove it from tune.untuned
fewer_trials: {isomp: 1}
    fewer_trials.isomp: the study has no such method: did you mean 'isomap'?
tune: {untuned: [isomp]}
    tune.untuned: the study has no method 'isomp': did you mean 'isomap'?
tune: {selection_trials: 1, untuned: [pca]}
    tune.selection_trials = 1: all trials of dataset 'digits' have the same data: set tune.select_
tune: {settings: 2}
    tune = {'settings': 2}: settings: equal tuning selects on what is not scored: add selection_tr
select: {methods: [isomp]}
    select.methods: the study has no method 'isomp': did you mean 'isomap'?
select: {where: {n_neighbors: 4}}
    select.where.n_neighbors: write data.n_neighbors or method.n_neighbors
select: {where: {data.n_featurs: 7}}
    select.where.data.n_featurs: no dataset of the study has such a parameter: did you mean 'n_fe
select: {where: {method.perplexity: 7}}
    select.where.method.perplexity: no method of the study has such a parameter
select: {where: {data.n_features: 7}, datasets: [gp]}
    no cell is left: select less, or choose other methods
methods: [{isomap: {n_neighbors: [4, 50]}}]
    methods.isomap.n_neighbors = 50: gp@n_features=5@n_samples=50 has 50 points to fit on, each wi
datasets: [{gp: {n_samples: 50, n_train: 20}}], methods: [{umap: {n_neighbors: 20}}]
    methods.umap.n_neighbors = 20: gp@n_samples=50@n_train=20 has 20 points to fit on
trials: 1000000000
    trials = 1000000000: 11 cells are 9000000002 trials, more than 1000000: ask for fewer
datasets: [{gp: {n_samples: 1000000000000}}]
    datasets.gp: 1000000000000 points take 762939453 MB, more than the limit of 8192 MB
methods: [{isomap: {n_neighbors: {k: 5}}}]
    methods.isomap.n_neighbors = {'k': 5}: must be a number
methods: [{isomap: {n_neighbors: [5, null]}}]
    methods.isomap.n_neighbors = None: must be a number
methods: [pca, pca]
    methods: 'pca' is named twice: name it once
metrics: [trustworthiness_k3, trustworthiness_k3]
    metrics: 'trustworthiness_k3' is named twice: name it once
figure: {function: os.system}
    figure.function = 'os.system': is in no module of nldr or this project, nor of a package that
figure: {function: numpy.save}
    figure.function = 'numpy.save': is in no module of nldr or this project, nor of a package that
figure: {function: matplotlib.pyplot.plot}
    figure.function = 'matplotlib.pyplot.plot': does not draw a study: the first parameter of such
figure: {function: nldr.figures.curvs.curves}
    figure.function = 'nldr.figures.curvs.curves': cannot be imported (ModuleNotFoundError: No
figures: {../up: {function: nldr.figures.curves.curves}}
    figures.../up: '../up': names have letters, digits, _, -, . and spaces: rename
figures: {up: {function: nldr.figures.curves.curves}, Up: {function: nldr.figures.curves.curves}}
    figures.Up: 'Up': differs from 'up' in case only
figures: {other: {function: nldr.figures.curves.curves}}
    figures.other: a study has that name too: rename the figure
"""


def table_of(text):
    """Return pairs of a line and the indented one below it."""
    return re.findall(r"^(\S.*)\n    (.*)$", text, re.MULTILINE)


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """Return what one plan says of studies with a mistake each."""
    root = catalogs_alone(tmp_path_factory.mktemp("mistakes"))
    studies = [changed(**yaml.safe_load(f"{{{change}}}")) for change, _ in table_of(MISTAKES)]
    for name, study in {**dict(enumerate(studies)), "other": STUDY}.items():
        content = {key: value for key, value in study.items() if value is not None}
        add_studies(root, **{str(name): content})
    return plan(root).broken


@pytest.mark.parametrize(("number", "row"), list(enumerate(table_of(MISTAKES))))
def test_mistake_in_a_study(broken, number, row):
    _, message = row
    text = str(broken[str(number)])
    assert text.startswith(f"workflow/studies/{number}.yaml: {message}")
    assert "\n" not in text
    assert len(text) < 300


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"scael": "smoke"}, "config.yaml: unknown key 'scael': did you mean 'scale'?"),
        ({"scale": "tiny"}, "config.yaml: scale = 'tiny': Input should be 'smoke', 'quick' or"),
        ({"studies": ["mien"]}, "config.yaml: studies: unknown study 'mien': did you mean 'mine'?"),
        ({"studies": "mien"}, "config.yaml: studies: unknown study 'mien': did you mean 'mine'?"),
        ({"studies": 3}, "config.yaml: studies = 3: write all, headline, own, or a list"),
    ],
)
def test_mistake_in_the_config(root, config, message):
    with pytest.raises(PlanError, match="^" + re.escape(message)):
        plan(root, **config)


# What a catalog is changed by, and what is said of it
WRONG_CATALOGS = """
methods: sklearn.decomposition.PCA -> sklearn.decomposition.PCAA
    pca.class = 'sklearn.decomposition.PCAA': cannot be imported (ImportError: module 'sklearn.dec
methods: sklearn.decomposition.PCA -> pacmap_not_here.PaCMAP
    pca.class = 'pacmap_not_here.PaCMAP': cannot be imported (ModuleNotFoundError:
methods: sklearn.decomposition.PCA -> sklearn.manifold.trustworthiness
    pca.class = 'sklearn.manifold.trustworthiness': is not an estimator:
methods: {n_neighbors: 5} -> {n_neighbours: 5}
    isomap.params.n_neighbours: nldr.methods.spectral.isomap.Isomap has no parameter 'n_neighbours
methods: seconds: 1800 -> seconds: -1
    tsne.seconds = -1:
datasets: n_latent: n_latent -> n_latent: n_laten
    gp.n_latent = 'n_laten': no parameter of that name: did you mean 'n_latent'?
datasets: {n_views: 400, height: 76, -> {n_views: '400', height: 76,
    utah_teapot.params.n_views = '400': must be a positive whole number
datasets: 3 * height * width -> 3 * heigt * width
    utah_teapot.n_features = 'heigt': no parameter of that name: did you mean 'height'?
datasets: n_features: 784 -> n_features: 0
    mnist.n_features = 0:
metrics: title: trustworthiness, {k} n -> title: trustworthiness, {j} n
    ranks.metrics.trustworthiness_k{k}: 'trustworthiness, {j} neighbors' has braces without
metrics: params: {k: [3, 5, 7, 12]} -> params: {k: 3}
    ranks.metrics.trustworthiness_k{k}: 'trustworthiness_k{k}' has braces without a list
datasets: latent.gp -> latent.gpp
    gp.function = 'nldr.datasets.latent.gpp': cannot
metrics: direction: higher -> direction: up
    direction = 'up':
methods: family: pca -> family: pcaa
    pca.family = 'pcaa': not in
methods: wrap: roots -> wrap: root
    pca_roots.wrap = 'root': did you mean 'roots'?
methods: method: pca -> method: pcaa
    pca_roots.method = 'pcaa': did you mean 'pca'?
methods: method: pca -> method: tsne_roots
    pca_roots.method = 'tsne_roots': did you mean
methods: wrap: roots -> warp: roots
    pca_roots: unknown key 'warp'
metrics: params: {k: -> params: {kk:
    ranks.params.kk: nldr.metrics.ranks.ranks has
"""


@pytest.mark.parametrize(("change", "message"), table_of(WRONG_CATALOGS))
def test_mistake_in_a_catalog(root, change, message):
    file, old, new = re.fullmatch(r"(\w+): (.*) -> (.*)", change).groups()
    catalog = root / f"workflow/catalog/{file}.yaml"
    text = catalog.read_text()
    assert old in text
    catalog.write_text(text.replace(old, new))
    planned = plan(root)
    mistakes = [*planned.broken.values(), *planned.unused_mistakes]
    prefix = f"workflow/catalog/{file}.yaml: "
    assert any(str(e).startswith(prefix) and message in str(e) for e in mistakes)


@pytest.mark.parametrize(("mode", "broken"), [(0o644, True), (0o755, False)])
def test_command_in_any_language_must_be_executable(root, mode, broken):
    folder = root / "workflow/environments/phate"
    command = (folder / "run.py").rename(folder / "run")
    command.chmod(mode)
    problem = "phate.environment = 'phate': workflow/environments/phate needs a command: run.py, or"
    assert any(problem in str(e) for e in plan(root).unused_mistakes) == broken


def test_mistake_in_an_entry_costs_the_studies_that_use_it(root):
    """Be it a method, what wraps it, a dataset or the scorer of a metric."""
    wrong = {
        "methods": ("tsne", "class"),
        "datasets": ("digits", "function"),
        "metrics": ("ranks", "function"),
    }
    for kind, (name, key) in wrong.items():
        file = root / f"workflow/catalog/{kind}.yaml"
        content = yaml.safe_load(file.read_text())
        content[name][key] = "absent.thing"
        file.write_text(yaml.safe_dump(content))
    fine = changed(datasets=["gp"], methods=["pca"], metrics=["stress"])
    studies = {
        "tsne": {**fine, "methods": ["pca", "tsne"]},
        "wrapped": {**fine, "methods": ["tsne_imputed"]},
        "digits": {**fine, "datasets": ["digits"]},
        "ranks": {**fine, "metrics": ["trustworthiness_k3"]},
    }
    add_studies(root, **studies)
    planned = plan(root, fine)
    assert list(planned.studies) == ["mine"]
    assert planned.broken.keys() == studies.keys()
    assert planned.broken["wrapped"] is planned.broken["tsne"]
    assert all("absent.thing" in str(error) for error in planned.broken.values())
    assert [str(e).partition(".")[0] for e in planned.unused_mistakes if "tsne" not in str(e)] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("digits: {title: again}", "the key 'digits' is given twice: remove or rename one"),
        ("mine: {title: x\n# a comment", "not valid YAML: "),
        ("mine:\n  title: 1:40", "'1:40' may be a text or a number to base 60: quote it"),
    ],
)
def test_entry_that_is_no_yaml_leaves_the_others(root, text, message):
    catalog = root / "workflow/catalog/datasets.yaml"
    line = catalog.read_text().count("\n") + 1
    catalog.write_text(f"{catalog.read_text()}{text}\n")
    name = text.partition(":")[0]
    add_studies(root, other=changed(datasets=[name]))
    planned = plan(root, changed(datasets=["gp"]))
    assert list(planned.studies) == ["mine"]
    assert list(planned.catalog.broken) == [("datasets", name)]
    mistake = str(planned.broken["other"])
    assert mistake.startswith("workflow/catalog/datasets.yaml: line ")
    assert int(re.search(r"\d+", mistake)[0]) in (line, line + 1, line + 2)
    assert message in mistake


def test_names_that_are_no_file_names_or_differ_in_case(root):
    names = {"Mine": "in case only", "a{b}": "names have letters, digits"}
    add_studies(root, **dict.fromkeys(names, STUDY))
    broken = plan(root).broken
    assert all(message in str(broken[name]) for name, message in names.items())


def test_catalog_that_would_be_ignored(root):
    (root / "workflow/catalog/mine.YAML").write_text("")
    message = "workflow/catalog/mine.YAML: only .yaml files are read: rename it to mine.yaml"
    with pytest.raises(PlanError, match="^" + re.escape(message)):
        plan(root)


def test_published_file_that_is_no_text(root):
    (root / "workflow/published/mine.csv").write_bytes(b"dataset,\xff\n")
    study = changed(published={"file": "mine.csv", "keys": {}, "values": {}})
    with pytest.raises(
        PlanError, match=r"published.file = 'mine.csv': is not a CSV file in UTF-8 \("
    ):
        plan(root, study, studies=["mine"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"import numpy\n\ndef f(:\n", r": line 3: invalid syntax: correct the module"),
        (b"x = '\xff'\n", r"(: line 1)?: .*: correct the module"),
        (b"x = 1\0\n", r".*: correct the module"),
    ],
)
def test_module_of_a_user_that_is_no_python(root, monkeypatch, content, message):
    (root / "my_method.py").write_bytes(content)
    monkeypatch.syspath_prepend(root)
    catalog = root / "workflow/catalog/methods.yaml"
    text = catalog.read_text()
    catalog.write_text(text.replace("sklearn.decomposition.PCA", "my_method.PCA"))
    entry = f"workflow/catalog/methods.yaml: pca.class = 'my_method.PCA': {root}/my_method.py"
    with pytest.raises(PlanError, match="^" + re.escape(entry) + message):
        plan(root, studies=["mine"])


@pytest.mark.parametrize("module", ["mine.py", "plots/mine.py"])
def test_figures_may_be_functions_of_the_project(root, monkeypatch, module):
    (root / "src/plots").mkdir(parents=True)
    (root / "src" / module).write_text("def bars(results): ...")
    monkeypatch.syspath_prepend(root / "src")
    path = f"{module.removesuffix('.py').replace('/', '.')}.bars"
    plan(root, changed(figure={"function": path}), studies=["mine"])


def test_long_trials_run_several_at_once(root, monkeypatch):
    planned = plan(root)
    cost = planned.forecast.cost(Step("embed", "digits", "pca@n_components=2", trials=1))
    monkeypatch.setattr(planned.forecast, "cost", lambda step: cost._replace(cpu_seconds=100.0))
    values = [
        planned.threads("digits", "pca@n_components=2", trials, 4) for trials in (1, 6, 7, 50)
    ]
    assert values == [1, 1, 2, 4]
