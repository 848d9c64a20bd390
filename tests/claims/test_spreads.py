"""A metric changes little with a parameter only where the data exclude a larger change."""

import pandas as pd
import pytest

from nldr.claims import Evidence, decide, spread

WIDTHS = ["[64]", "[128]", "[64, 32]"]


def network(rng, shifts, sd=0.004):
    """Return µ of a network in five trials for each width, moved by ``shifts``."""
    data = rng.normal(0.8, 0.05, size=(2, 5))
    rows = [
        {
            "dataset": dataset,
            "data_cell": dataset,
            "method": "net",
            "method_cell": width,
            "method.hidden": width,
            "trial": trial,
            "ok": True,
            "status": "ok",
            "mu": data[i, trial] + shift + rng.normal(0, sd),
            "seconds": 1.0,
        }
        for i, dataset in enumerate(("digits", "letter"))
        for width, shift in zip(WIDTHS, shifts, strict=True)
        for trial in range(5)
    ]
    facts = {"mu": {"label": "µ", "range": [0, 1], "direction": "higher"}}
    return Evidence(
        table=pd.DataFrame(rows),
        methods={"net": "network"},
        datasets={"digits": "Digits", "letter": "Letter"},
        metrics=facts,
    )


def find(evidence, at_most=0.05):
    finding = spread(evidence, "net", metric="mu", x="method.hidden", at_most=at_most)
    return str(decide([finding], level=0.05).verdict)


def test_equal_settings_hold(rng):
    finding = spread(network(rng, [0, 0, 0]), "net", metric="mu", x="method.hidden", at_most=0.05)
    judgment = decide([finding], level=0.05)
    assert judgment.verdict == "holds"
    # All ordered pairs of three widths on each of two datasets
    assert [len(setting.comparisons) for setting in finding.settings] == [6, 6]
    text = "The µ of network differs by at most 0.05 between any two of 3 values of hidden in both"
    assert judgment.sentence.startswith(text)


def test_one_setting_that_differs_fails_in_both_directions(rng):
    assert find(network(rng, [0, 0.1, 0])) == "fails"
    assert find(network(rng, [0, 0, -0.1])) == "fails"
    assert find(network(rng, [0, 0, -0.1]), at_most=0.2) == "holds"


def test_too_much_noise_is_open(rng):
    assert find(network(rng, [0, 0, 0], sd=0.08)) == "open"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"at_most": -0.1}, "at_most = -0.1: must be at least 0"),
        ({"x": "method.depth"}, "'method.depth' is not a column"),
        (
            {"method": {"methods": ["net"], "where": {"method.hidden": ["[64]"]}}},
            "was run at 1 value of method.hidden",
        ),
    ],
)
def test_bad_parameters_raise(rng, changes, message):
    params = {"method": "net", "metric": "mu", "x": "method.hidden", "at_most": 0.05} | changes
    method = params.pop("method")
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        spread(network(rng, [0, 0, 0]), method, **params)
