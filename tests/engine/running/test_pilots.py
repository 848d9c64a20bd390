"""Pilot jobs against a pretended Slurm: a folder with one file of state for each job."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from nldr.engine.running.pilots import VISIBLE_AFTER, Pilots, PilotSettings, SlurmError, tail

SBATCH = """#!/bin/sh
cd "$(dirname "$0")/.." || exit 1
if [ -e refusal ]; then cat refusal >&2; exit 1; fi
id=$(($(ls jobs | wc -l) + 1))
printf '%s\\n' "$@" > "arguments.$id"
cat > "script.$id"
echo "PENDING|Priority" > "jobs/$id"
echo "$id;main"
"""
SQUEUE = """#!/bin/sh
cd "$(dirname "$0")/.." || exit 1
if [ -e outage ]; then cat outage >&2; exit 1; fi
for job in $(ls jobs); do echo "$job|$(cat "jobs/$job")"; done
"""
SCANCEL = """#!/bin/sh
cd "$(dirname "$0")/.." || exit 1
printf '%s\\n' "$@" >> canceled
"""


class Queue:
    """The pretended Slurm."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "jobs").mkdir()
        (folder / "bin").mkdir()
        for name, text in (("sbatch", SBATCH), ("squeue", SQUEUE), ("scancel", SCANCEL)):
            (folder / "bin" / name).write_text(text)
            (folder / "bin" / name).chmod(0o755)

    def set(self, job: str, state: str, reason: str = "None") -> None:
        (self.folder / "jobs" / job).write_text(f"{state}|{reason}\n")

    def arguments(self, job: str) -> list[str]:
        return (self.folder / f"arguments.{job}").read_text().splitlines()


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Queue:
    queue = Queue(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    return queue


def make(queue: Queue, **settings) -> tuple[Pilots, list[str]]:
    messages: list[str] = []
    command = ["/opt/python 3/bin/python", "-m", "nldr.engine.running.pilot", "it's"]
    defaults = {"cores": 4, "pilots": 3, "submissions": 6}
    chosen = PilotSettings(**defaults | settings)
    return Pilots(command, queue.folder / "logs", chosen, messages.append), messages


@pytest.mark.parametrize(("wanted", "pilots"), [(0, 0), (1, 1), (4, 1), (5, 2), (12, 3), (100, 3)])
def test_pilots_cover_the_wanted_cores_up_to_the_maximum(
    queue: Queue, wanted: int, pilots: int
) -> None:
    ours, _ = make(queue)
    ours.ensure(wanted)
    assert len(ours.active) == pilots
    # Asking again submits nothing: those in the queue count.
    ours.poll()
    ours.ensure(wanted)
    assert len(ours.active) == len(list((queue.folder / "jobs").iterdir())) == pilots


def test_sbatch_gets_the_settings_and_the_command(queue: Queue) -> None:
    ours, _ = make(
        queue, account="acc", partition="short", memory_mb=900, minutes=30, options=["--qos=low"]
    )
    ours.ensure(1)
    arguments = queue.arguments("1")
    assert {"--account=acc", "--partition=short", "--mem=900M", "--time=30", "--cpus-per-task=4",
            "--no-requeue", "--export=ALL", "--qos=low"} <= set(arguments)  # fmt: skip
    assert f"--output={queue.folder}/logs/%j.log" in arguments
    script = (queue.folder / "script.1").read_text()
    assert script.startswith(
        "#!/bin/sh\nexec '/opt/python 3/bin/python' -m nldr.engine.running.pilot "
    )
    assert script.endswith("'it'\"'\"'s'\n")


def test_no_account_and_no_partition_unless_set(queue: Queue) -> None:
    ours, _ = make(queue)
    ours.ensure(1)
    text = " ".join(queue.arguments("1"))
    assert "--account" not in text
    assert "--partition" not in text


@pytest.mark.parametrize("state", ["NODE_FAIL", "TIMEOUT", "OUT_OF_MEMORY", "CANCELLED", "FAILED"])
def test_a_lost_pilot_is_replaced(queue: Queue, state: str) -> None:
    ours, messages = make(queue)
    ours.ensure(8)
    ours.connected("1")
    queue.set("1", state)
    queue.set("2", "RUNNING")
    assert ours.poll() == {"1": state, "2": "RUNNING"}
    assert ours.active == ["2"]
    ours.ensure(8)
    assert ours.active == ["2", "3"]
    assert any(m.startswith(f"pilot 1: {state}") and "logs/1.log" in m for m in messages)


def test_a_pilot_that_left_the_queue_is_gone(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, _ = make(queue)
    ours.ensure(1)
    (queue.folder / "jobs/1").unlink()
    # The queue may show a new job late.
    assert ours.poll() == {"1": "PENDING"}
    monkeypatch.setattr(ours._pilots["1"], "submitted", -VISIBLE_AFTER)
    assert ours.poll() == {"1": "GONE"}


def test_an_unusual_reason_to_wait_is_logged_once(queue: Queue) -> None:
    ours, messages = make(queue)
    ours.ensure(1)
    for reason in ("Priority", "PartitionTimeLimit", "PartitionTimeLimit"):
        queue.set("1", "PENDING", reason)
        ours.poll()
    assert messages[1:] == ["pilot 1: PENDING (PartitionTimeLimit): `squeue --job=1` shows it"]


def test_submissions_are_limited(queue: Queue) -> None:
    ours, _ = make(queue, submissions=4)
    for number in range(1, 5):
        ours.ensure(1)
        assert ours.active == [str(number)]
        ours.connected(str(number))
        queue.set(str(number), "TIMEOUT", "TimeLimit")
        ours.poll()
    with pytest.raises(SlurmError, match=r"all 4 pilots of this run have ended.*run the same"):
        ours.ensure(1)


def test_used_submissions_are_no_error_while_a_pilot_works(queue: Queue) -> None:
    ours, _ = make(queue, submissions=2)
    ours.ensure(8)
    queue.set("1", "NODE_FAIL")
    ours.poll()
    ours.ensure(8)
    assert ours.active == ["2"]


def test_pilots_that_never_connect_end_the_run(queue: Queue) -> None:
    ours, _ = make(queue)
    (queue.folder / "logs").mkdir()
    for number in range(1, 4):
        ours.ensure(1)
        (queue.folder / f"logs/{number}.log").write_text("python: not found\n")
        queue.set(str(number), "FAILED", "NonZeroExitCode")
        ours.poll()
    with pytest.raises(SlurmError, match=r"(?s)before they connected.*FAILED.*python: not found"):
        ours.ensure(1)


def test_canceled_pilots_are_no_failed_starts(queue: Queue) -> None:
    ours, _ = make(queue)
    for number in range(1, 5):
        ours.ensure(1)
        queue.set(str(number), "CANCELLED")
        ours.poll()
    ours.ensure(1)
    assert ours.active == ["5"]


@pytest.mark.parametrize(
    ("refusal", "remedy"),
    [
        ("sbatch: error: invalid partition specified: bar", "Set `partition`"),
        ("sbatch: error: Invalid account or account/partition combination", "Set `account`"),
        ("sbatch: error: Requested time limit is invalid", "Lower `minutes`"),
        ("sbatch: error: Requested node configuration is not available", "Ask for less"),
        ("sbatch: error: Unable to contact slurm controller", "try again later"),
        ("sbatch: error: something else", "as your cluster asks"),
    ],
)
def test_a_refusal_is_shown_with_its_remedy(queue: Queue, refusal: str, remedy: str) -> None:
    (queue.folder / "refusal").write_text(refusal)
    ours, _ = make(queue)
    with pytest.raises(SlurmError) as caught:
        ours.ensure(1)
    assert refusal in str(caught.value)
    assert remedy in str(caught.value)


def test_a_refusal_is_logged_once_while_other_pilots_are_there(queue: Queue) -> None:
    ours, messages = make(queue)
    ours.ensure(4)
    (queue.folder / "refusal").write_text("sbatch: error: QOSMaxSubmitJobPerUserLimit\n")
    ours.ensure(8)
    ours.ensure(8)
    assert sum("QOSMaxSubmitJobPerUserLimit" in m for m in messages) == 1
    (queue.folder / "refusal").unlink()
    ours.ensure(8)
    assert ours.active == ["1", "2"]


def test_refusals_after_the_first_pilot_are_borne_for_a_while(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, _ = make(queue)
    ours.ensure(1)
    queue.set("1", "NODE_FAIL")
    ours.poll()
    (queue.folder / "refusal").write_text("sbatch: error: Unable to contact slurm controller\n")
    ours.ensure(1)
    monkeypatch.setattr("nldr.engine.running.pilots.PATIENCE", 0)
    with pytest.raises(SlurmError, match="Unable to contact"):
        ours.ensure(1)


def test_an_outage_of_squeue_keeps_the_last_states(queue: Queue) -> None:
    ours, messages = make(queue)
    ours.ensure(1)
    queue.set("1", "RUNNING")
    ours.poll()
    (queue.folder / "outage").write_text("slurm_load_jobs error: Unable to contact\n")
    queue.set("1", "FAILED")
    assert ours.poll() == ours.poll() == {"1": "RUNNING"}
    assert sum("squeue fails" in m for m in messages) == 1
    (queue.folder / "outage").unlink()
    assert ours.poll() == {"1": "FAILED"}


def test_cancel_cancels_what_is_left(queue: Queue) -> None:
    ours, _ = make(queue)
    ours.ensure(12)
    queue.set("2", "COMPLETED")
    ours.poll()
    ours.cancel()
    assert (queue.folder / "canceled").read_text().split() == ["1", "3"]
    assert ours.active == []
    ours.cancel()
    assert (queue.folder / "canceled").read_text().split() == ["1", "3"]


def test_a_machine_without_slurm_is_named(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(queue.folder))
    ours, _ = make(queue)
    with pytest.raises(SlurmError, match=r"sbatch: command not found.*\n.*has Slurm's commands"):
        ours.ensure(1)


def test_logs_go_to_the_folder(queue: Queue) -> None:
    ours, _ = make(queue)
    ours.ensure(1)
    assert stat.S_ISDIR((queue.folder / "logs").stat().st_mode)
    assert "cannot be read" in tail(queue.folder / "logs/1.log")
