"""Every status belongs to exactly one of the groups that the engine asks for."""

from nldr.engine.status import Status


def test_groups():
    assert [status.value for status in Status if status.is_ok] == ["ok"]
    assert [status.value for status in Status if status.has_result] == ["ok", "not_converged"]
    assert [s.value for s in Status if s.is_limit] == ["timeout", "out_of_memory"]
    assert all(status.failed != status.has_result for status in Status)


def test_value_is_written_and_read_back():
    assert f"{Status.OUT_OF_MEMORY}" == "out_of_memory"
    assert all(Status(status.value) is status for status in Status)
