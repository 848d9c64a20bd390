"""The parts of a variance are those of an analysis of variance, and those that were planted."""

import numpy as np
import pandas as pd
import pytest

from nldr.statistics.variance import arrange, decompose


def plant(rng, sds, shape):
    """Return values with effects of draw, seed, their interaction, and the machine."""
    n_draws, n_seeds, _ = shape
    draw, seed, both, machine = sds
    return (
        draw * rng.standard_normal((n_draws, 1, 1))
        + seed * rng.standard_normal((1, n_seeds, 1))
        + both * rng.standard_normal((n_draws, n_seeds, 1))
        + machine * rng.standard_normal(shape)
    )


def residual(values, *groups):
    """Return the sum of squares that is left by the least-squares fit of group means."""
    columns = [np.ones(len(values))]
    columns += [(group == level).astype(float) for group in groups for level in np.unique(group)]
    design = np.column_stack(columns)
    fit = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return float(np.square(values - fit).sum())


def test_variances_are_those_of_an_analysis_of_variance(rng):
    values = plant(rng, (1.0, 0.5, 0.3, 0.0), (6, 4, 1))
    variances = decompose(values)
    # Mean squares as differences between nested regressions
    y = values.ravel()
    draw, seed = (index.ravel() for index in np.indices((6, 4)))
    only_seed, both = residual(y, seed), residual(y, draw, seed)
    ms_draw, ms_interaction = (only_seed - both) / 5, both / 15
    assert variances.data == pytest.approx(max(0, (ms_draw - ms_interaction) / 4), rel=1e-6)
    assert variances.method == pytest.approx(residual(y, draw) / 18, rel=1e-6)
    assert np.isnan(variances.machine)


def test_planted_variances_are_found_without_bias(rng):
    values = [decompose(plant(rng, (1.0, 0.4, 0.3, 0.2), (5, 4, 2))).parts for _ in range(2000)]
    mean, error = np.mean(values, axis=0), np.std(values, axis=0) / np.sqrt(2000)
    expected = [1.0, 0.4**2 + 0.3**2, 0.2**2]
    assert (np.abs(mean - expected) < 4 * error + 0.01).all()


def test_equal_repetitions_have_no_machine_noise(rng):
    once = plant(rng, (1.0, 0.5, 0.0, 0.0), (4, 3, 1))
    variances = decompose(np.concatenate([once, once], axis=2))
    assert variances.machine == 0
    assert variances.n_repeated == 12
    assert sum(variances.shares) == pytest.approx(1)
    assert variances.sd == pytest.approx(np.sqrt(variances.data + variances.method))


def test_a_method_without_randomness_has_no_share(rng):
    variances = decompose(np.repeat(rng.standard_normal((5, 1, 1)), 3, axis=1))
    assert variances.method == pytest.approx(0)
    assert variances.shares == pytest.approx((1, 0, 0))
    assert decompose(np.ones((2, 2, 1))).shares == (0, 0, 0)


def test_draws_with_failures_are_left_out(rng):
    values = plant(rng, (1.0, 0.5, 0.0, 0.1), (4, 3, 2))
    values[1, 2, 0] = np.nan
    variances = decompose(values)
    assert (variances.n_draws, variances.n_repeated) == (3, 11)
    assert variances.data == decompose(values[[0, 2, 3], :, :1]).data


def test_runs_are_arranged_by_draw_seed_and_repetition():
    rows = pd.DataFrame(
        {
            "data.draw": [2, 2, 0, 0, 0],
            "trial": [1, 0, 0, 1, 0],
            "data.repeat": ["", "", "", "", 1],
            "ok": [True, True, True, False, True],
            "r2": [0.4, 0.3, 0.1, 0.2, 0.11],
        }
    )
    values = arrange(rows, "r2")
    assert values.shape == (2, 2, 2)
    np.testing.assert_array_equal(values[:, :, 0], [[0.1, np.nan], [0.3, 0.4]])
    assert values[0, 0, 1] == 0.11
    assert np.isnan(values[1, 0, 1])
    with pytest.raises(ValueError, match="two runs have the same draw"):
        arrange(pd.concat([rows, rows]), "r2")


@pytest.mark.parametrize("shape", [(1, 3, 1), (3, 1, 1)])
def test_too_few_draws_or_seeds_raise(shape):
    with pytest.raises(ValueError, match="a variance needs two of each"):
        decompose(np.zeros(shape))
