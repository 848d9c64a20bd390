from nldr.methods.gp import _progress
from nldr.methods.gp._progress import Progress


def test_a_line_is_printed_only_after_the_interval(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr(_progress.time, "monotonic", lambda: now[0])
    progress = Progress("fit", "bound")
    for iteration, now[0] in enumerate([109.0, 111.0, 120.0, 122.0]):
        progress.report(iteration, -1234567.0)
    assert capsys.readouterr().out == (
        "fit: iteration 1, bound -1.23457e+06\nfit: iteration 3, bound -1.23457e+06\n"
    )
