"""Cells have readable, safe and unique names."""

from __future__ import annotations

import re

import pytest
from snakemake.target_jobs import parse_target_jobs_cli_args
from snakemake_interface_executor_plugins.utils import TargetSpec, encode_target_jobs_cli_args

from nldr.engine.layout import MAX_CELL, cell_name, seed


def test_defaults_are_left_out_and_order_does_not_matter() -> None:
    defaults = {"a": 1, "b": 2.0}
    assert cell_name("x", {"b": 2.0, "a": 1}, defaults) == "x"
    assert cell_name("x", {"c": 3, "a": 5}, defaults) == cell_name("x", {"a": 5, "c": 3}, defaults)
    assert cell_name("x", {"a": 5, "c": 3}, defaults) == "x@a=5@c=3"


@pytest.mark.parametrize("value", ["a/b", "a b", "{w}", "..", "ü", [1, 2], None, True, -1.5e-3])
def test_names_are_safe_in_paths_and_wildcards(value: object) -> None:
    assert re.fullmatch(r"x@p=[\w~+.-]+", cell_name("x", {"p": value}, {}), re.ASCII)


def test_different_values_have_different_names() -> None:
    values = [1, 1.5, "1.5x", True, None, "None", "true", "1", [1], [[1]], "a/b", "a~2Fb"]
    assert len({cell_name("x", {"p": v}, {}) for v in values}) == len(values)


def test_names_reach_a_cluster_node() -> None:
    """Snakemake hands wildcards to the jobs it submits as text with commas between them."""
    name = cell_name("gp", {"a": "x,y=z", "b": [1, 2], "c": -0.5}, {})
    sent = encode_target_jobs_cli_args([TargetSpec("embed", {"data": name, "trial": "0"})])
    (received,) = parse_target_jobs_cli_args(sent)
    assert received.wildcards_dict == {"data": name, "trial": "0"}


def test_long_names_are_hashed() -> None:
    names = {cell_name("x", {"p": "y" * 200, "q": i}, {}) for i in range(5)}
    assert len(names) == 5
    assert all(len(n) < MAX_CELL and n.startswith("x@sha=") for n in names)


def test_seeds_differ_by_kind_name_and_trial() -> None:
    seeds = {seed(k, n, t) for k in ("data", "method") for n in ("a", "b") for t in range(50)}
    assert len(seeds) == 200
    assert all(0 <= s < 2**128 for s in seeds)
