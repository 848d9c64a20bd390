from __future__ import annotations

from dataclasses import replace


def titles(study, kind, **columns):
    table = study.table.assign(**{f"{kind}.{name}": value for name, value in columns.items()})
    study = replace(study, table=table)
    return study.data_titles() if kind == "data" else study.method_titles()


def test_a_parameter_that_is_the_same_everywhere_is_not_told(make_study):
    study = make_study(sizes=(10,))
    assert set(study.data_titles()) == {"gp"}
    assert set(study.method_titles()) == {"PCA", "t-SNE", "IKD", "random"}


def test_a_parameter_that_varies_is_told_unless_it_is_on_an_axis(make_study):
    study = make_study(sizes=(10, 20))
    assert set(study.data_titles()) == {"gp, n_features = 10", "gp, n_features = 20"}
    assert set(study.data_titles(["data.n_features"])) == {"gp"}


def test_data_sets_are_not_compared_with_one_another(make_study):
    study = make_study(("gp", "roll"), sizes=(10,))
    sizes = study.table["dataset"].map({"gp": 5, "roll": 6})
    assert set(titles(study, "data", height=sizes)) == {"gp", "roll"}


def test_methods_are_compared_on_the_same_data_only(make_study):
    study = make_study(("gp", "roll"), sizes=(10,))
    latent = study.table["dataset"].map({"gp": 3, "roll": 2})
    assert set(titles(study, "method", n_components=latent)) == {"PCA", "t-SNE", "IKD", "random"}


def test_only_the_method_that_has_the_parameter_is_told_apart(make_study):
    study = make_study(sizes=(10,), trials=2)
    kernel = study.table["trial"].map({0: "se", 1: "rq"}).where(study.table["method"] == "ikd", "")
    assert set(titles(study, "method", kernel=kernel)) == {
        "PCA", "t-SNE", "IKD, kernel = se", "IKD, kernel = rq", "random",
    }  # fmt: skip
