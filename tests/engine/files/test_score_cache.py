"""Whole lines of a score cache are read, damaged ones are counted."""

from nldr.engine.files.score_cache import append_score, forget, read_scores

STATUSES = {"a": "ok", "b": "error", "c": "ok"}


def test_damaged_lines_are_counted_and_forgotten(tmp_path):
    path = tmp_path / "cache.jsonl"
    assert read_scores(path) == ({}, 0)
    scores = {key: {"status": status, "values": {"r2": 0.5}} for key, status in STATUSES.items()}
    for key, score in scores.items():
        append_score(path, key, score)
    expected = {key: {"key": key, **score} for key, score in scores.items()}
    assert read_scores(path) == (expected, 0)
    path.write_text(path.read_text().replace("0.5", "0.6", 1) + "no digest\n")
    del expected["a"]
    assert read_scores(path) == (expected, 2)
    forget(path)
    assert read_scores(path) == (expected, 0)
    forget(path, "error")
    assert [*read_scores(path)[0]] == ["c"]
