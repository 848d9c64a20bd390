"""The checks of ``make lint`` find what they are for."""

import json

import lint
import pytest

SCHEMA = "# yaml-language-server: $schema=../schemas/study.json\n"
CELL = {"cell_type": "code", "outputs": ["1"], "execution_count": None}

# check, file, faulty text, message
FAULTS = [
    ("yaml", "workflow/studies/a.yaml", "title: A\n", "no comment names its schema"),
    ("yaml", "workflow/studies/a.yaml", SCHEMA + "unknown: A\n", "workflow/studies/a.yaml: "),
    ("yaml", "workflow/claims/a.yaml", SCHEMA.replace("study", "claims") + "claim: {}\n", "claim"),
    ("schemas", "workflow/schemas/study.json", "{}", "study.json: out of date, run `make schemas`"),
    ("paths", "README.md", "See `docs/absent.md`.", "README.md: docs/absent.md does not exist"),
    ("paths", "docs/guide/a.md", "See [a](../absent.md#b).", "a.md: ../absent.md does not exist"),
    ("commands", "docs/a.md", "snakemake --cores 2 --config scale=paper mine", "the target mine"),
    ("numbers", "docs/papers/ikd.md", "IKD has 0.98.", "'0.98' is a result"),
    ("numbers", "src/a.py", '"""R² is\nabout .98."""', "'R² is about .98' is a result"),
    (
        "numbers",
        "docs/a.md",
        "Its trustworthiness is 0.95.",
        "'trustworthiness is 0.95' is a result",
    ),
    ("numbers", "docs/a.md", "IKD has a T of .98.", "'T of .98' is a result"),
    ("numbers", "docs/a.md", "A fit takes 3.5 seconds.", "'3.5 seconds' is a result"),
    ("papers", "docs/papers/ikd.md", "As in `ikd_fig0`.", "is named ikd_fig0"),
    ("studies", "workflow/studies/a.yaml", "title: A\n", "no page of docs says what `a` is for"),
    ("lengths", "docs/papers/ikd.md", "word " * 1001, "1001 words, at most 1000"),
    ("lengths", "docs/a.md", "It is 1, 2, 3 and\n4 %.", "more than 3 numbers in 'It is 1, 2"),
    ("templates", "docs/templates/a.py", "class Mine:  # CHANGE\ndef mine():", "a.py:2: mark"),
    ("templates", "docs/templates/a.py", "x = 1", "no line is marked CHANGE"),
    ("notebooks", "docs/notebooks/a.ipynb", json.dumps({"cells": [CELL]}), "clear the outputs"),
    ("benchmarks", "benchmarks/a.py", "from nldr.methods import IKD, Absent", "has no Absent"),
]


@pytest.mark.parametrize(("check", "file", "text", "message"), FAULTS)
def test_fault_is_named(tmp_path, check, file, text, message):
    for name in lint.SCHEMAS:
        write(tmp_path / f"workflow/schemas/{name}.json", lint.schema_text(lint.SCHEMAS[name]))
    write(tmp_path / "workflow/catalog/methods.yaml", "pca: {}\n")
    write(tmp_path / file, text)
    messages = list(getattr(lint, f"check_{check}")(tmp_path))
    assert any(message in line for line in messages), messages


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
