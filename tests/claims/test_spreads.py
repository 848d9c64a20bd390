"""A metric changes little with a parameter only where the data exclude a larger change."""

import pytest

from nldr.claims import decide, spread

WIDTHS = ["[64]", "[128]", "[64, 32]"]
PARAMS = {"method": "net", "metric": "r2", "x": "method.hidden", "at_most": 0.05}


@pytest.fixture
def network(plant, join, rng):
    """Return a function that plants a network with each width on two datasets, moved by shifts."""

    def make(shifts, sd=0.004):
        bases = {name: rng.normal(0.8, 0.05, 5) for name in ("digits", "letter")}
        parts = [
            plant(
                {"net": base + shift + rng.normal(0, sd, 5)},
                **{"dataset": name, "method_cell": width, "method.hidden": width},
            )
            for name, base in bases.items()
            for width, shift in zip(WIDTHS, shifts, strict=True)
        ]
        return join(*parts)

    return make


def find(evidence, **changes):
    return decide([spread(evidence, **PARAMS | changes)], level=0.05).verdict


def find_sentence(evidence):
    return decide([spread(evidence, **PARAMS)], level=0.05).sentence


def test_equal_settings_hold(network):
    finding = spread(network([0, 0, 0]), **PARAMS)
    judgment = decide([finding], level=0.05)
    assert judgment.verdict == "holds"
    # All ordered pairs of three widths on each of two datasets
    assert [len(setting.comparisons) for setting in finding.settings] == [6, 6]
    text = "The R² of NET differs by at most 0.05 between any two of 3 values of hidden in both"
    assert judgment.sentence.startswith(text)
    assert "] against [64] on " in find_sentence(network([0.04, 0, 0], 1e-4))


def test_one_setting_that_differs_fails_in_both_directions_and_noise_is_open(network):
    assert find(network([0, 0.1, 0])) == "fails"
    assert find(network([0, 0, -0.1])) == "fails"
    assert find(network([0, 0, -0.1]), at_most=0.2) == "holds"
    assert find(network([0, 0, 0], sd=0.08)) == "open"


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
def test_bad_parameters_raise(network, changes, message):
    with pytest.raises(ValueError, match=message):
        find(network([0, 0, 0]), **changes)
