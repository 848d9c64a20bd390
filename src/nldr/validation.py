"""Checks of an estimator's parameters: the private parts of scikit-learn that ours rely on.

No other module of ours imports them, so that a change in scikit-learn is answered here. An
estimator lists the allowed values of its parameters in ``_parameter_constraints``, and a ``fit``
decorated with :func:`fit_context` checks them.

Examples
--------
>>> from numbers import Integral
>>> validate_parameter_constraints(
...     {"n_components": [Interval(Integral, 1, None, closed="left")]}, {"n_components": 0}, "PCA"
... )
Traceback (most recent call last):
    ...
sklearn.utils._param_validation.InvalidParameterError: The 'n_components' parameter of PCA must be \
an int in the range [1, inf). Got 0 instead.
"""

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)

__all__ = ["HasMethods", "Interval", "StrOptions", "fit_context", "validate_parameter_constraints"]
