"""Docstrings of the estimators: shared paragraphs, and every parameter described."""

import ast
import inspect
import re

import pytest

from nldr import methods
from nldr.methods._docs import inherit_docs


def parameters_in(doc):
    """Return the parameters that a docstring describes, each with the default that it states."""
    section = doc.split("Parameters\n----------\n")[1].split("\n\nAttributes")[0]
    described = []
    for entry in re.split(r"\n(?=\w)", section):
        names, text = entry.split(" : ", 1)
        assert "\n    " in text, f"{names} has a type, but no description"
        value = inspect.Parameter.empty
        if default := re.search(r"default=(.*)|Default: (\w+)", text):
            value = default[2] or ast.literal_eval(default[1])
        described += [(name, value) for name in names.split(", ")]
    return described


@pytest.mark.parametrize("name", methods.__all__)
def test_every_parameter_is_described_once_with_its_default(name):
    parameters = inspect.signature(getattr(methods, name)).parameters.values()
    doc = inspect.getdoc(getattr(methods, name))
    expected = [(parameter.name, parameter.default) for parameter in parameters]
    assert sorted(parameters_in(doc), key=str) == sorted(expected, key=str)
    assert "default='" not in doc  # but with double quotes
    # Names of attributes are replaced by paragraphs as well
    assert not re.search(r"^\w+_(, \w+_)*$", doc, re.MULTILINE)


def test_a_name_without_description_is_an_error():
    def undescribed():
        """Return nothing.

        Parameters
        ----------
        missing
        """

    with pytest.raises(KeyError, match="missing"):
        inherit_docs(methods.TSNE)(undescribed)
