"""Cards tell who wins and loses in planted tables whose order is known."""

from dataclasses import replace

import pytest
from conftest import write_rows

from nldr.report.content import Card, Look, StudyContent
from nldr.report.data.cards import complete_cards

METHODS = ("a", "b", "c", "d", "truth")
NOISE = (0.001, -0.002, 0.0, 0.002, -0.001)  # of five trials
LOOKS = {name: Look("#000000", "o", True) for name in METHODS}


def entry(kind, name, competes=False):
    """Return a method, dataset or metric whose title is its name in capitals."""
    params, facts = {"p": 1}, {"Needs": "nothing"}
    return Card(
        kind, name, name.upper(), "family", "math.hypot", "ours", "", params, facts, competes
    )


def planned(direction="higher", **studies):
    """Return four methods and a control, two datasets, and studies with their exact cells."""
    entries = [
        *(entry("method", name, competes=name != "truth") for name in METHODS),
        *(entry("dataset", name) for name in ("roll", "digits")),
        entry("metric", "quality"),
    ]
    shared = StudyContent(
        *("", "", "", ""),
        methods={name: name for name in METHODS},
        datasets={"roll": "ROLL", "digits": "DIGITS"},
        metrics={"quality": {"title": "quality of all", "direction": direction}},
        scorings={"scorer": ["quality"]},
    )
    return entries, {
        name: replace(shared, name=name, exact=list(exact)) for name, exact in studies.items()
    }


def row(data, method, trial, value, **more):
    """Return a row of a study's table."""
    return {
        "dataset": data.partition("@")[0],
        "data_cell": data,
        "method": method.partition("@")[0],
        "method_cell": method,
        "best_of": "",
        "trial": trial,
        "status": "ok",
        "message": "",
        "method.n_components": 2,
        "quality": value,
        **more,
    }


def trials(data, values, noise=NOISE):
    """Return rows of trials around one value per method; the noise of a method is its own."""
    return [
        row(data, method, trial, value + noise[(trial + shift) % len(noise)])
        for shift, (method, value) in enumerate(values.items())
        for trial in range(len(noise))
    ]


@pytest.fixture
def cards(tmp_path):
    """Return a function that gives the cards by name, for the rows of each study of a plan."""

    def completed(plan=None, **tables):
        files = {name: write_rows(tmp_path / f"{name}.csv", rows) for name, rows in tables.items()}
        completed = complete_cards(*(plan or planned(planted=[])), LOOKS, {}, files, {})
        return {card.name: card for card in completed}

    return completed


ORDER = {"a": 0.9, "b": 0.7, "c": 0.5, "d": 0.3}


def test_planted_winner_is_best_and_loser_worst(cards):
    rows = trials("roll", ORDER | {"truth": 1.0}) + trials("digits", ORDER)
    by_name = cards(planted=rows)
    assert by_name["a"].studies == ["planted"]
    assert by_name["a"].wins == [
        "Best of 4 methods on 2 of 2 datasets in `planted` (quality of all): .900 on ROLL "
        "(next: B .700); .900 on DIGITS (next: B .700)."
    ]
    assert by_name["d"].losses == [
        "Worst of 4 methods on 2 of 2 datasets in `planted` (quality of all): .300 on ROLL "
        "(next: C .500); .300 on DIGITS (next: C .500)."
    ]
    assert not any((by_name["a"].losses, by_name["d"].wins, by_name["b"].wins, by_name["b"].losses))


def test_control_neither_competes_nor_counts(cards):
    rows = trials("roll", {"truth": 1.0} | ORDER)
    by_name = cards(planted=rows)
    assert by_name["truth"].wins == by_name["truth"].losses == []
    assert by_name["a"].wins[0].startswith("Best of 4 methods in")
    assert "TRUTH" not in " ".join(by_name["a"].wins + by_name["roll"].wins)


def test_lower_is_better_where_the_metric_says_so(cards):
    by_name = cards(planned("lower", planted=[]), planted=trials("roll", ORDER))
    assert by_name["d"].wins[0].startswith("Best of 4")
    assert "300 on ROLL (next: C .500)" in by_name["d"].wins[0]
    assert by_name["a"].losses[0].startswith("Worst of 4")


def test_difference_within_the_uncertainty_is_no_victory(cards):
    wide = [30 * value for value in NOISE]
    close = {"a": 0.71, "b": 0.7, "c": 0.5, "d": 0.3}
    by_name = cards(planted=trials("roll", close, wide))
    assert by_name["a"].wins[0].startswith("First of 4 methods in `planted`")
    assert "but not significantly" in by_name["a"].wins[0]
    assert by_name["d"].losses[0].startswith("Worst of 4")


def test_one_random_trial_cannot_tell_but_an_exact_one_can(cards):
    rows = [row("roll", name, 0, value) for name, value in ORDER.items()]
    random = cards(planted=rows)
    assert "First of 4" in random["a"].wins[0]
    assert "but one trial is not enough to tell" in random["a"].wins[0]
    exact = planned(planted=[("roll", name) for name in METHODS])
    assert cards(exact, planted=rows)["a"].wins[0].startswith("Best of 4")


def test_exact_method_is_compared_with_every_trial_of_a_random_one(cards):
    rows = [row("roll", "a", 0, 0.9), *trials("roll", {"b": 0.7, "c": 0.5})]
    by_name = cards(planned(planted=[("roll", "a")]), planted=rows)
    assert by_name["a"].wins[0].startswith("Best of 3")
    # The same single trial, where the method is random, cannot be told apart.
    assert "First of 3" in cards(planted=rows)["a"].wins[0]


def test_equal_methods_share_a_place_unless_half_of_them_do(cards):
    levels = {"a": 0.8, "b": 0.8, "c": 0.5, "d": 0.5, "e": 0.2}
    plan = planned(planted=[])
    plan[0].append(entry("method", "e", competes=True))
    rows = [
        row("roll", name, trial, level + noise)
        for name, level in levels.items()
        for trial, noise in enumerate(NOISE)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(LOOKS, "e", LOOKS["a"])
        by_name = cards(plan, planted=rows)
        assert "(shared with B, next: C .500)" in by_name["a"].wins[0]
        assert "(shared with A, next: C .500)" in by_name["b"].wins[0]
        flat = [row("roll", name, trial, 1.0) for name in "abc" for trial in range(3)]
        flat += [row("roll", name, trial, 0.5) for name in "de" for trial in range(3)]
        assert cards(plan, planted=flat)["a"].wins == []


def test_failed_trial_or_missing_score_is_left_out_of_the_mean_and_told_beside(cards):
    rows = trials("roll", ORDER)
    rows[0]["quality"] = ""
    losses = cards(planted=rows)["a"].losses
    assert losses == ["Failed in `planted` (quality of all): ROLL (no score, 1 of 5 trials)."]
    rows[0] |= {"status": "timeout", "quality": ""}
    by_name = cards(planted=rows)
    assert by_name["a"].wins[0].startswith("Best of 4")
    assert by_name["a"].losses == [
        "Failed in `planted` (quality of all): ROLL (timeout, 1 of 5 trials)."
    ]
    assert by_name["b"].wins == []


def test_method_without_a_solved_trial_is_not_ranked(cards):
    rows = trials("roll", ORDER)
    for failed in rows[: len(NOISE)]:
        failed |= {"status": "timeout", "quality": ""}
    by_name = cards(planted=rows)
    assert by_name["a"].wins == []
    assert by_name["a"].losses[0].endswith("ROLL (timeout, 5 of 5 trials).")
    assert by_name["b"].wins[0].startswith("Best of 3")


def test_best_setting_stands_for_a_method(cards):
    settings = {"a@k=1": 0.1, "a@k=2": 0.9, "b": 0.7, "c": 0.5}
    by_name = cards(planted=trials("roll", settings))
    assert by_name["a"].wins[0].startswith("Best of 3")
    assert by_name["a"].losses == []
    assert by_name["c"].losses[0].startswith("Worst of 3")


def test_best_of_several_methods_counts_for_the_one_that_it_is(cards):
    rows = trials("roll", {"b": 0.7, "c": 0.5})
    rows += [
        row("roll", "a@k=2", trial, 0.9 + noise) | {"method": "group"}
        for trial, noise in enumerate(NOISE)
    ]
    rows += [
        row("roll", "d", trial, 0.95 + noise, best_of="group") for trial, noise in enumerate(NOISE)
    ]
    by_name = cards(planted=rows)
    assert by_name["a"].wins[0].startswith("Best of 3")
    assert by_name["d"].wins == []  # a candidate that was not chosen


def test_settings_of_a_dataset_are_told_apart(cards):
    rows = [by_name | {"data.noise": 0.0} for by_name in trials("roll", ORDER)]
    rows += [by_name | {"data.noise": 0.1} for by_name in trials("roll@noise=0.1", ORDER)]
    by_name = cards(planted=rows)
    assert "on 2 of 2 settings" in by_name["a"].wins[0]
    assert ".900 on ROLL, noise = 0.1 (next: B .700)" in by_name["a"].wins[0]


def test_cells_of_two_studies_count_once(cards):
    rows = trials("roll", ORDER)
    few = [row for row in rows if row["method"] != "d"]
    by_name = cards(planned(few=[], many=[]), few=few, many=rows)
    wins = [text.partition(" (")[0] for text in by_name["a"].wins]
    assert wins == ["Best of 4 methods in `many`"]


def test_two_methods_are_no_contest(cards):
    rows = trials("roll", {"a": 0.9, "b": 0.7})
    by_name = cards(planted=rows)
    assert by_name["a"].wins == by_name["b"].losses == by_name["roll"].wins == []


def test_dataset_names_best_and_worst_methods(cards):
    by_name = cards(planted=trials("roll", ORDER))["roll"]
    assert by_name.wins == ["`planted` (quality of all), of 4: A .900, then B .700 and C .500."]
    assert by_name.losses == ["`planted` (quality of all), of 4: D .300, then C .500 and B .700."]


FAILED = {
    "stage": "embed",
    "data_cell": "roll",
    "method_cell": "a@k=2",
    "scorer": "",
    "trial": "0",
    "status": "error",
    "message": "broken",
}


def test_failures_belong_to_entries_and_count_once(tmp_path):
    plan = planned(one=[], two=[])
    rows = [
        FAILED,
        FAILED | {"trial": "1"},
        FAILED | {"stage": "score", "scorer": "scorer"},
        FAILED | {"stage": "data", "status": "timeout", "message": "slow"},
    ]
    files = {name: write_rows(tmp_path / f"{name}.csv", rows) for name in ("one", "two")}
    by_name = {card.name: card for card in complete_cards(*plan, LOOKS, {}, {}, files)}
    (failure,) = by_name["a"].failures
    assert (failure.cell, failure.trials) == ("roll/a@k=2", [0, 1])
    assert [failure.stage for failure in by_name["quality"].failures] == ["score"]
    assert [f.stage for f in by_name["roll"].failures] == ["embed", "score", "data"]
    assert by_name["b"].failures == by_name["digits"].failures == []
