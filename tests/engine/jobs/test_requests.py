"""Defaults of requests, replies and limits."""

from nldr.engine.jobs.requests import REPORT_LIMITS, Reply, Request


def test_requests_and_replies_have_defaults():
    request = Request("job", "key", {}, {"manifest": "m"}, "log")
    assert request.manifest == "m"
    assert (request.imports, request.threads, request.cores, request.rows) == ((), 1, 1, 0)
    assert (request.parts, request.blamed) == ({}, False)
    assert Reply() == ("", False, 0, (), 0.0, 0.0, ())


def test_reports_have_half_an_hour():
    assert (REPORT_LIMITS.seconds, REPORT_LIMITS.memory_mb) == (30 * 60, 8 * 1024)
