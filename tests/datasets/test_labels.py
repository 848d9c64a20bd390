"""Codes of labels, and errors that quote an unknown label or not."""

import re

import numpy as np
import pytest

from nldr.datasets._labels import encode_labels


def test_codes_are_positions():
    codes = encode_labels(["b", "c", "a", "b"], ("a", "b", "c"), "file")
    np.testing.assert_array_equal(codes, [1, 2, 0, 1])
    assert codes.dtype == np.int64


@pytest.mark.parametrize(("show", "label"), [(True, "label 'x'"), (False, "label")])
def test_unknown_label_raises(show, label):
    message = f"file: row 2 of the data has an unknown {label}, expected one of a, b"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        encode_labels(["a", "x", "y"], ("a", "b"), "file", show=show)
