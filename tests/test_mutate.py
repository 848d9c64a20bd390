"""The mutation test runs tests that exist, since pytest fails without any, as if for the mutant."""

from pathlib import Path

import mutate
import pytest
from conftest import ROOT


@pytest.mark.parametrize("area", mutate.AREAS)
def test_each_module_has_tests(area):
    modules = [path.relative_to(ROOT) for path in (ROOT / "src/nldr" / area).rglob("*.py")]
    tests = {ROOT / mutate.tests_of(module) for module in modules}
    assert [path for path in tests if not (path.is_file() or any(path.rglob("test_*.py")))] == []


@pytest.mark.parametrize(
    ("module", "tests"),
    [
        ("spectral/isomap.py", "spectral/test_isomap.py"),
        ("ikd/_centering.py", "ikd/test_centering.py"),
        ("spectral/kernel_pca.py", "spectral"),
        ("gp/exact/_likelihood.py", "gp"),
    ],
)
def test_tests_of_a_module_are_the_nearest(module, tests):
    assert mutate.tests_of(Path("src/nldr/methods") / module) == Path("tests/methods") / tests
