"""Packed numbers: what a reader of the documented formats gets back, in how many bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports import read_column

from nldr.report.packing import Packer


@given(st.integers(0, 2**32 - 1), st.integers(1, 50), st.floats(1e-12, 1e12))
def test_coordinates_are_kept_to_half_a_step(seed, n, scale):
    values = np.random.default_rng(seed).normal(5, 1, n) * scale
    packer = Packer()
    part = packer.coordinate(values)
    assert len(packer.data()) == n + (n + 1) // 2
    error = np.abs(read_column(part, packer.data()) - values).max()
    assert error <= 1.001 * np.ptp(values) / 4095 / 2 + 1e-9 * scale


def test_levels_keep_what_is_missing_and_clip_what_is_beyond():
    packer = Packer()
    part = packer.level([-9.0, np.nan, 0.5, np.inf, -np.inf, 1.0], 0.0, 1.0)
    levels = read_column(part, packer.data())
    np.testing.assert_allclose(levels, [0, np.nan, 0.5, 1, 0, 1], atol=2e-3)


@pytest.mark.parametrize(("largest", "form"), [(255, "i8"), (256, "i16"), (70_000, "i32")])
def test_integers_are_exact_in_the_smallest_size(largest, form):
    packer = Packer()
    packer.level([0.0], 0.0, 1.0)  # one byte, so that what follows needs a gap
    part = packer.index(np.array([3, largest, 0]))
    assert part["as"] == form
    assert read_column(part, packer.data()).tolist() == [3, largest, 0]


def test_columns_stand_behind_each_other():
    packer = Packer()
    values = [np.arange(7.0), np.arange(4.0) ** 2, np.full(3, 2.5), np.zeros(0)]
    parts = [packer.coordinate(column) for column in values]
    for part, column in zip(parts, values, strict=True):
        np.testing.assert_allclose(read_column(part, packer.data()), column, atol=2e-3)
