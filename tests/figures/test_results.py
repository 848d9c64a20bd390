"""Titles of cells, and published numbers for cells and panels."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from nldr.figures.results import NO_BREAK

X = "data.n_features"
HERE = {"dataset": "gp"}


def titles(study, kind, **columns):
    table = study.table.assign(**{f"{kind}.{name}": value for name, value in columns.items()})
    study = replace(study, table=table)
    return study.data_titles() if kind == "data" else study.method_titles()


def test_varying_parameters_are_in_titles_unless_on_an_axis(make_study):
    study = make_study(sizes=(10, 20))
    assert set(study.data_titles()) == {"gp, n_features = 10", "gp, n_features = 20"}
    assert set(study.data_titles(["data.n_features"])) == {"gp"}


def test_the_best_of_several_settings_has_one_title(make_study):
    study = make_study(sizes=(10,))
    settings = {"method.k": [5, 10], "method.n_components": [2, 3]}
    both = [study.table.assign(**{k: v[i] for k, v in settings.items()}) for i in (0, 1)]
    study = replace(study, table=pd.concat(both, ignore_index=True), selected=["ikd"])
    others = {f"{n}, k = {k}" for n in ("PCA", "t-SNE", "random") for k in (5, 10)}
    assert set(study.method_titles(["method.n_components"])) == {"IKD", *others}
    assert {"IKD, n_components = 2", "IKD, n_components = 3"} <= set(study.method_titles())


def test_what_differs_between_datasets_only_is_not_in_titles(make_study):
    study = make_study(("gp", "roll"), sizes=(10,))
    value = study.table["dataset"].map({"gp": 3, "roll": 2})
    assert set(titles(study, "data", height=value)) == {"gp", "roll"}
    assert set(titles(study, "method", n_components=value)) == {"PCA", "t-SNE", "IKD", "random"}


def test_only_methods_with_the_parameter_have_it_in_their_title(make_study):
    study = make_study(sizes=(10,), trials=2)
    kernel = study.table["trial"].map({0: "se", 1: "rq"}).where(study.table["method"] == "ikd", "")
    expected = {"PCA", "t-SNE", "IKD, kernel = se", "IKD, kernel = rq", "random"}
    assert set(titles(study, "method", kernel=kernel)) == expected


def test_published_values_are_found_by_cell(make_study, make_published):
    theirs = make_published(sizes=(10, 100), values={"r2_affine": 0.25, "seconds": 7.0})
    theirs.loc[0, ["data_cell", "method_cell"]] = np.nan  # the value of pca with 10 features
    study = make_study(published=theirs)
    assert study.published_values("r2_affine") == {
        ("gp,n_features=100", "pca", "pca"): 0.25,
        ("gp,n_features=10", "tsne", "tsne"): 0.25,
        ("gp,n_features=100", "tsne", "tsne"): 0.25,
    }
    assert len(study.published_values("seconds")) == 4
    assert study.published_values("stress") == make_study().published_values("seconds") == {}


def test_published_curves_have_values_without_a_cell_of_ours(make_study, make_published):
    theirs = make_published(methods=("pca",), sizes=(100, 10, 5000))
    theirs.loc[theirs[X] == 5000, ["data_cell", "method_cell"]] = np.nan
    curves = make_study(published=theirs).published_curves("r2_affine", X, HERE, ["pca", "ikd"])
    assert set(curves) == {"pca"}
    assert curves["pca"]["x"].tolist() == [10, 100, 5000]
    assert curves["pca"]["sd"].tolist() == [0.1] * 3


def test_a_missing_dataset_means_any(make_study, make_published):
    theirs = make_published(methods=("pca",)).assign(dataset=np.nan)
    study = make_study(("gp", "roll"), published=theirs)
    for dataset in ("gp", "roll"):
        assert "pca" in study.published_curves("r2_affine", X, {"dataset": dataset}, ["pca"])
    elsewhere = make_study(published=make_published(dataset="roll"))
    assert elsewhere.published_curves("r2_affine", X, HERE, ["pca"]) == {}


def test_parameters_of_published_curves_are_compared_as_numbers(make_study, make_published):
    theirs = make_published(methods=("pca",)).assign(**{"data.dropout": 0.5})
    for ours, drawn in (("0.50", True), (0.5, True), (0.05, False), ("", False)):
        study = make_study(published=theirs)
        study = replace(study, table=study.table.assign(**{"data.dropout": ours}))
        assert bool(study.published_curves("r2_affine", X, HERE, ["pca"])) == drawn


def test_a_varying_parameter_must_be_fixed_by_the_panel(make_study, make_published):
    study = make_study(methods={"pca": "PCA"}, sizes=(10,), trials=2)
    kernel = study.table["trial"].map({0: "se", 1: "rq"})
    theirs = make_published(methods=("pca",), sizes=(10,)).assign(**{"method.kernel": "se"})
    study = replace(study, table=study.table.assign(**{"method.kernel": kernel}), published=theirs)
    assert study.published_curves("r2_affine", X, HERE, ["pca"]) == {}
    for value, drawn in (("se", True), ("rq", False)):
        fixed = {**HERE, "method.kernel": value}
        assert bool(study.published_curves("r2_affine", X, fixed, ["pca"])) == drawn


def test_one_point_is_drawn_for_a_number_with_several_cells(make_study, make_published):
    theirs = make_published(methods=("pca",), sizes=(10, 100))
    twice = pd.concat([theirs, theirs.assign(method_cell="pca@n_components=3")])
    curves = make_study(published=twice).published_curves("r2_affine", X, HERE, ["pca"])
    assert curves["pca"]["x"].tolist() == [10, 100]


def test_facts_have_scale_points_and_trials(make_study):
    study = make_study(sizes=(10,), scale="paper")
    fitted = study.timings.assign(fitted_rows=np.where(study.timings["method"] == "pca", 40, 50))
    facts = replace(study, timings=fitted).facts().replace(NO_BREAK, " ")
    assert facts == "Scale paper; n = 40 to 50 fitted points; 3 trials."
    # A fit that failed is not counted; data sizes stand in where nothing was fitted
    fitted.loc[fitted["method"] == "pca", "fitted_rows"] = np.nan
    assert "n = 50 fitted" in replace(study, timings=fitted).facts().replace(NO_BREAK, " ")
    assert "n = 50 points" in study.facts().replace(NO_BREAK, " ")


def test_cells_may_differ_in_their_numbers_of_trials(make_study):
    study = make_study(sizes=(10,))
    kept = (study.table["method"] != "pca") | (study.table["trial"] == 0)
    assert replace(study, table=study.table[kept]).trials() == "1 to 3 trials"
    one = replace(study, table=study.table[study.table["trial"] == 0])
    assert (one.trials(), one.repeated, study.repeated) == ("1 trial", False, True)


@pytest.mark.parametrize(
    ("columns", "clock", "label", "note"),
    [
        ({}, "seconds", "fit time (s)", "Times: wall clock, while other jobs ran."),
        ({"cpu_seconds": 1.0}, "cpu_seconds", "fit time (CPU s)", "Times: CPU seconds."),
        (
            {"cpu_seconds": 1.0, "exclusive": True},
            "seconds",
            "fit time (s)",
            "Times: wall clock, without other jobs of the build beside a run.",
        ),
        (
            {"cpu_seconds": 1.0, "exclusive": ["False", *11 * ["True"]]},
            "cpu_seconds",
            "fit time (CPU s)",
            "Times: CPU seconds.",
        ),
    ],
)
def test_wall_times_count_only_where_runs_were_alone(make_study, columns, clock, label, note):
    study = make_study(sizes=(10,))
    study = replace(study, timings=study.timings.assign(**columns))
    assert study.clock() == clock
    assert study.cost_label("seconds") == label
    assert study.clock_note(["r2_affine", "seconds"]) == note
    assert study.clock_note(["r2_affine", "peak_mb"]) == ""
