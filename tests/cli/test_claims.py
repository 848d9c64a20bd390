"""``nldr claim`` and ``verdicts`` tell the record, unless a scale of this machine is asked for."""

import json
import lzma
from types import SimpleNamespace

from conftest import ROOT

from nldr.claims.published.tally import OUTCOMES
from nldr.cli import main
from nldr.engine.files.layout import Record
from nldr.engine.reading.parsing import PlanError


def test_claim_of_the_record_is_shown(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    rows = json.loads(lzma.decompress((ROOT / Record().claim_details).read_bytes()))["claims"]
    verdicts = {row["claim"]: row["verdict"] for row in rows}
    assert main(["claim", "all"]) == 0
    shown, _, settling = capsys.readouterr().out.partition("\n\n")
    heading, *lines = shown.splitlines()
    assert len(lines) == len(verdicts)
    # A claim that holds may be open where all methods are tuned.
    tuned = {row["claim"]: row["decision"] for row in rows if row["basis"] == "equal_tuning"}
    at = heading.index("equal tuning")
    unsettled = {row["claim"] for row in rows if row["decision"] in ("open", "not run")}
    assert {line.split()[0] for line in settling.splitlines()[1:]} == unsettled
    for line in lines:
        name, _, rest = line.partition(" ")
        assert rest.strip().startswith(verdicts[name])
        assert line[at:].startswith(f"{tuned[name].replace('not applicable', '–')} ")
    assert main(["claim", "ikd-06"]) == 0
    assert capsys.readouterr().out.startswith(f"ikd-06: {verdicts['ikd-06']}\n")


def test_claim_without_a_verdict_is_no_unknown_claim(capsys, monkeypatch):
    """A claim of the user's own is planned before the record has it."""
    monkeypatch.chdir(ROOT)
    plan = SimpleNamespace(claims={"mine-01": None}, claims_mistake=None)
    monkeypatch.setattr("nldr.cli.claims.plan_of", lambda _: plan)
    assert main(["claim", "mine-01"]) == 2
    message = capsys.readouterr().err
    assert "not decided yet: nldr claim mine-01 --build; a verdict that is built here: " in message
    assert message.endswith("nldr claim mine-01 --scale quick\n")
    main(["claim", "mien-01"])
    assert "did you mean 'mine-01'?" in capsys.readouterr().err
    plan.claims |= {"mine-36": None}
    main(["claim", "mine-1"])
    assert "did you mean 'mine-01'?" in capsys.readouterr().err
    main(["claim", "xyz"])
    assert "unknown claim 'xyz': there are: mine-01, mine-36" in capsys.readouterr().err
    plan.claims_mistake = PlanError("workflow/claims/mine.yaml: unknown key")
    main(["claim", "mine-02"])
    assert "unknown key" in capsys.readouterr().err


def test_numbers_of_the_record_are_counted(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert main(["verdicts"]) == 0
    (total,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("all ")]
    numbers = json.loads((ROOT / "docs/found/numbers.json").read_text(encoding="utf-8"))["files"]
    counts = [sum(c[outcome] for c in numbers.values()) for outcome in OUTCOMES]
    assert [int(word) for word in total.split()[1:]] == [sum(counts), *counts]
