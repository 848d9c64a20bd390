"""What nldr.validation takes from the private parts of scikit-learn still does what ours need."""

from numbers import Integral

import pytest
from sklearn.base import BaseEstimator

from nldr.validation import HasMethods, Interval, StrOptions, fit_context


class Estimator(BaseEstimator):
    """An estimator with a parameter of each kind."""

    _parameter_constraints: dict = {
        "number": [Interval(Integral, 1, 3, closed="left"), None],
        "name": [StrOptions({"a", "b"})],
        "model": [HasMethods("fit")],
    }

    def __init__(self, number=1, name="a", model=None):
        self.number = number
        self.name = name
        self.model = model

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        return self


@pytest.mark.parametrize("number", [1, 2, None])
def test_allowed_parameters_pass(number):
    model = Estimator(number, "b", model=Estimator())
    assert model.fit([[0.0]]) is model


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"number": 3}, "'number' parameter of Estimator must be an int in the range"),
        ({"name": "c"}, "'name' parameter of Estimator must be a str among"),
        ({"model": 1}, "'model' parameter of Estimator must be an object implementing 'fit'"),
    ],
)
def test_others_are_refused_by_name(params, message):
    with pytest.raises(ValueError, match=message):
        Estimator(**{"model": Estimator()} | params).fit([[0.0]])
