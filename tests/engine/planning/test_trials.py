"""How many trials a cell has, and what decides each."""

from dataclasses import replace

from drafts import changed, plan

from nldr.engine.jobs.specs import Limits
from nldr.engine.planning import studies


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


def test_trials_of_a_study_are_limited(root, monkeypatch):
    monkeypatch.setattr(studies, "MAX_TRIALS", 7)
    study = changed(datasets=["gp"], methods=["pca"], trials=7)
    assert plan(root, study).broken == {}
    more = plan(root, study | {"trials": 8}).broken["mine"]
    assert "1 cells are 8 trials, more than 7: ask for fewer" in str(more)


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
