"""Whatever a YAML file holds, it is read as meant or refused with file, line and remedy."""

import re

import pytest

from nldr.engine.reading.parsing import MAX_DEPTH, PlanError, read_entries, read_model, read_yaml
from nldr.engine.reading.specs import Config, MethodLimits

LAUGHS = "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9)
)


def read(tmp_path, content):
    (tmp_path / "f.yaml").write_bytes(content)
    return read_yaml(tmp_path, "f.yaml")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e3", 1000.0),
        ("0", 0),
        ("-0.5", -0.5),
        ("1_000", 1000),
        ("0x10", 16),
        (".inf", float("inf")),
        ("true", True),
        ("null", None),
        ("'1:40'", "1:40"),
        ("'no'", "no"),
        ("y", "y"),
        ("2020-01-01", "2020-01-01"),
        ("node", "node"),
        ("[&k [3, 4], *k]", [[3, 4], [3, 4]]),
    ],
)
def test_values_are_read_as_meant(tmp_path, text, value):
    assert read(tmp_path, f"a: {text}".encode()) == {"a": value}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: 1\nb: 1:40", "line 2: '1:40' may be a text or a number to base 60: quote it, or "),
        (b"a: 12:30:45.5", "line 1: '12:30:45.5' may be a text or a number to base 60"),
        (b"a: 010", "line 1: '010' may be a text or a number to base 8 or 10: quote it, or leave"),
        (b"a: -08", "line 1: '-08' may be a text or a number to base 8 or 10"),
        (b"a: [010]\nb: 020", "line 1: '010' may be"),  # the first of two
        (b"a: [1, Yes]", "line 1: 'Yes' may be a text or a truth value: quote it, or write true"),
        (b"off: 1", "line 1: 'off' may be a text or a truth value"),
        (b"a: .NaN", "line 1: '.NaN' is not a number: write one"),
        (b"a: 1\nb: 2\na: 3", "line 3: the key 'a' is given twice"),
        (b"a:\n  b: 1\n  'b': 2", "line 3: the key 'b' is given twice"),
        (b"a: 1\nb: x\0", "line 2: the character U+0000 is not allowed: remove it"),
        (b'a: "x\\0"', "line 1: the character U+0000 is not allowed: remove it"),
        (b'a: "x\\e[31m"', "line 1: the character U+001B is not allowed: remove it"),
        ("a: x\u202e".encode(), "line 1: the character U+202E is not allowed: remove it"),
        ("a: x\u061c".encode(), "line 1: the character U+061C is not allowed: remove it"),
        (b'a: "x\\u2028"', "line 1: the character U+2028 is not allowed: remove it"),
        (b"a: 1\nb: \xff", "line 2: not UTF-8: save the file as UTF-8"),
        (b"[" * 100_000, "line 1: nested too deeply"),
        (b"- " * 100_000, "line 1: nested too deeply"),
        (b"a:\n  &a [*a]", "line 2: nested too deeply, or an alias that contains itself"),
        (LAUGHS.encode(), "line 1: too long with all that its aliases repeat"),
        (b"a: " + b"1" * 5000, "line 1: '" + "1" * 56 + "... is not a valid int: correct it"),
        (b"a: !!bool x", "line 1: 'x' is not a valid bool: correct it"),
        (b"a: !!set {b}", "line 1: not valid YAML: could not determine a constructor"),
        (b"a: !!python/object:os.system x", "line 1: not valid YAML: could not determine a const"),
        (b"? [a]\n: b", "line 1: not valid YAML: found unhashable key"),
        (b"a: [", "line 1: not valid YAML: "),
        (b"a: 1\n---\nb: 2", "line 2: not valid YAML: but found another document"),
    ],
)
def test_hostile_file_is_refused_by_line(tmp_path, content, message):
    with pytest.raises(PlanError, match="^" + re.escape(f"f.yaml: {message}")) as caught:
        read(tmp_path, content)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_lists_may_be_nested_as_deeply_as_anyone_needs(tmp_path):
    text = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
    assert isinstance(read(tmp_path, text.encode()), list)


@pytest.mark.parametrize("value", [".inf", "-.inf", "1e999"])
def test_limit_that_is_infinite_is_refused(tmp_path, value):
    (tmp_path / "limits.yaml").write_text(f"seconds: {value}")
    with pytest.raises(PlanError, match=r"^limits.yaml: seconds = -?inf: Input should be .*number"):
        read_model(MethodLimits, tmp_path, "limits.yaml")


def test_data_dir_that_is_no_folder_is_refused(tmp_path):
    (tmp_path / "config.yaml").write_text("data_dir: /nowhere")
    message = "config.yaml: data_dir = '/nowhere': there is no such folder: create it, or correct"
    with pytest.raises(PlanError, match="^" + re.escape(message)):
        read_model(Config, tmp_path, "config.yaml")
    (tmp_path / "config.yaml").write_text(f"data_dir: {tmp_path}")
    assert read_model(Config, tmp_path, "config.yaml").data_dir == str(tmp_path)


@pytest.mark.parametrize("content", ["- a\n- b: [\n", "{\na: 1\na: 2\n", "&x\na: [\n"])
def test_catalog_that_has_no_entries_is_refused_as_a_whole(tmp_path, content):
    (tmp_path / "f.yaml").write_text(content)
    with pytest.raises(PlanError, match=r"^f.yaml: line \d"):
        read_entries(tmp_path, "f.yaml")


def test_entries_may_repeat_parts_of_others(tmp_path):
    text = "a: {x: &n 1}\nb: {y: *n}\nb: {y: 2}\n\nc: {x: &m 1:40}\nd: {y: *m}\ne: {y: *n}\n"
    (tmp_path / "f.yaml").write_text(text)
    content, mistakes = read_entries(tmp_path, "f.yaml")
    assert content == {"a": {"x": 1}, "e": {"y": 1}}
    assert [str(mistakes[name]).split(": ")[1] for name in "bcd"] == ["line 3", "line 5", "line 6"]


def test_names_of_entries_may_be_quoted(tmp_path):
    (tmp_path / "f.yaml").write_text("# mine\n\n'a b': {c: 1}\n\"d\" : [\ne:\n  - 2\n\n")
    content, mistakes = read_entries(tmp_path, "f.yaml")
    assert content == {"a b": {"c": 1}, "e": [2]}
    assert [*mistakes] == ["d"]
    assert str(mistakes["d"]).startswith("f.yaml: line 5: not valid YAML: ")
