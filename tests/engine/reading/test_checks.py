"""Files that would be ignored for their suffix are found."""

import re

import pytest

from nldr.engine.reading.checks import check_config, yaml_files
from nldr.engine.reading.parsing import PlanError


def test_files_that_are_meant_to_be_yaml(tmp_path):
    for name in ("b.yaml", "a.yml", "C.YAML", ".hidden.yml", "a.yaml~", "notes.md", "my.yaml.bak"):
        (tmp_path / name).write_text("")
    assert [path.name for path in yaml_files(tmp_path)] == ["C.YAML", "a.yml", "b.yaml"]
    assert yaml_files(tmp_path / "absent") == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("config.yaml", "scale: smoke\nscale: paper", "line 2: the key 'scale' is given twice"),
        ("config.yml", "", "only .yaml files are read: rename it to config.yaml"),
        ("environment.yml", "a: [", None),
    ],
)
def test_config_that_snakemake_would_misread(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    if message is None:
        check_config(tmp_path)
    else:
        with pytest.raises(PlanError, match="^" + re.escape(f"{name}: {message}")):
            check_config(tmp_path)
