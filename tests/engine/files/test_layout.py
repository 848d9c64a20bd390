"""Cells have readable, safe and unique names."""

import re

import numpy as np
import pytest
from snakemake.target_jobs import parse_target_jobs_cli_args
from snakemake_interface_executor_plugins.utils import TargetSpec, encode_target_jobs_cli_args

from nldr.engine.files.layout import (
    DATA,
    EMBEDDINGS,
    MAX_CELL,
    SCORES,
    Outputs,
    cell_name,
    scorers_name,
    seed,
    trial_file,
)


def test_defaults_are_left_out_and_order_does_not_matter():
    defaults = {"a": 1, "b": 2.0}
    assert cell_name("x", {"b": 2.0, "a": 1}, defaults) == "x"
    assert cell_name("x", {"c": 3, "a": 5}, defaults) == cell_name("x", {"a": 5, "c": 3}, defaults)
    assert cell_name("x", {"a": 5, "c": 3}, defaults) == "x@a=5@c=3"


@pytest.mark.parametrize("value", ["a/b", "a b", "{w}", "..", "ü", [1, 2], None, True, -1.5e-3])
def test_names_are_safe_in_paths_and_wildcards(value):
    assert re.fullmatch(r"x@p=[\w~+.-]+", cell_name("x", {"p": value}, {}), re.ASCII)


def test_different_values_have_different_names():
    values = [1, 1.5, "1.5x", True, None, "None", "true", "1", [1], [[1]], "a/b", "a~2Fb"]
    assert len({cell_name("x", {"p": v}, {}) for v in values}) == len(values)


def test_names_reach_a_cluster_node():
    """Snakemake hands wildcards to the jobs it submits as text with commas between them."""
    name = cell_name("gp", {"a": "x,y=z", "b": [1, 2], "c": -0.5}, {})
    sent = encode_target_jobs_cli_args([TargetSpec("embed", {"data": name, "trials": "3"})])
    (received,) = parse_target_jobs_cli_args(sent)
    assert received.wildcards_dict == {"data": name, "trials": "3"}


def test_long_names_are_hashed():
    names = {cell_name("x", {"p": "y" * 200, "q": i}, {}) for i in range(5)}
    assert len(names) == 5
    assert all(len(n) < MAX_CELL and n.startswith("x@sha=") for n in names)


def test_seeds_differ_by_kind_name_and_trial():
    seeds = {seed(k, n, t) for k in ("data", "method") for n in ("a", "b") for t in range(50)}
    assert len(seeds) == 200
    assert all(0 <= s < 2**128 for s in seeds)


@pytest.mark.parametrize(
    ("kind", "name", "trial", "expected", "drawn"),
    [
        ("data", "gp", 0, 0xACB78B1B137B03887D1941216E5E0FC6, [0.105961, 0.176593, 0.681288]),
        ("data", "gp", 1, 0x598B2FA01108C0C97239868291BC7ECE, [0.120587, 0.339507, 0.109204]),
        (
            "transform",
            "digits",
            0,
            0x1DA788C6A88ABD83C616394BD7BE8241,
            [0.715971, 0.497113, 0.273772],
        ),
        ("method", "tsne", 0, 0xE7B983D1FAB137BE4B51619900892A77, [0.436779, 0.143884, 0.773781]),
    ],
)
def test_random_numbers_stay_the_same(kind, name, trial, expected, drawn):
    """All results change with these numbers: a change needs a new version and a word about it."""
    assert seed(kind, name, trial) == expected
    numbers = np.random.default_rng(expected).random(3)
    np.testing.assert_allclose(numbers, drawn, atol=1e-6)


def test_files_of_trials_stand_beside_the_manifest_of_any_number():
    where = {"data": "gp", "method": "pca"}
    for pattern in (DATA, EMBEDDINGS):
        files = {trial_file(pattern.format(**where, trials=trials), 3) for trials in (5, 50)}
        assert [path.name for path in files] == ["trial-3.npz"]


def test_files_of_a_scale_stand_in_its_folder_under_names_of_their_own():
    files = {name: file for name, file in vars(Outputs("smoke")).items() if name != "folder"}
    assert len(files) > 15
    assert all(file.startswith("results/smoke/") for file in files.values())
    assert len({*files.values()}) == len(files)


def test_sets_of_scorers_have_one_name_each():
    assert scorers_name(["ranks", "alignment"]) == scorers_name(["alignment", "ranks"])
    assert scorers_name([]) == "none"
    many = [f"scorer_{number}@rows=test" for number in range(20)]
    assert scorers_name(many) != scorers_name(many[1:])
    assert len(scorers_name(many)) <= MAX_CELL
    assert SCORES.count("{") == 4
