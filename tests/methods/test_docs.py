"""Docstrings of the estimators: shared paragraphs, and every parameter described."""

import inspect
import re

import pytest

from nldr import methods
from nldr.methods._docs import inherit_docs


class Source:
    """A source.

    Parameters
    ----------
    tol : float, default=0.1
        Tolerance,
        in two lines.
    name : str
        A name.

    Attributes
    ----------
    bound_ : float
        A bound.
    """


class Complete:
    """A class.

    Parameters
    ----------
    extra : int, default=3
        Described here.
    tol, name

    Attributes
    ----------
    bound_

    Examples
    --------
    >>> True
    True
    """

    def __init__(self, extra=3, *, tol=1e-6, name="a"):
        pass


def described(cls):
    """Return the names in the section of parameters of a docstring."""
    section = inspect.getdoc(cls).split("Parameters\n----------\n")[1].split("\n\nAttributes")[0]
    headers = re.findall(r"^(\w[\w, ]*?) : ", section, re.MULTILINE)
    return [name for header in headers for name in header.split(", ")]


def test_names_are_replaced_by_paragraphs_with_the_defaults_of_the_class():
    before = inspect.cleandoc(Complete.__doc__)
    assert inherit_docs(Source)(Complete) is Complete
    paragraphs = (
        'tol : float, default=1e-06\n    Tolerance,\n    in two lines.\nname : str, default="a"\n'
        "    A name."
    )
    expected = before.replace("tol, name", paragraphs)
    expected = expected.replace("\nbound_\n", "\nbound_ : float\n    A bound.\n")
    assert Complete.__doc__ == expected


def test_a_name_without_description_is_an_error():
    def undescribed():
        """Return nothing.

        Parameters
        ----------
        missing
        """

    with pytest.raises(KeyError, match="missing"):
        inherit_docs(Source)(undescribed)


@pytest.mark.parametrize("name", methods.__all__)
def test_every_parameter_is_described_once(name):
    cls = getattr(methods, name)
    assert sorted(described(cls)) == sorted(inspect.signature(cls).parameters)
