"""Requests run in blocks, which Parsl replaces; what a scheduler is given is stored in scripts/."""

import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import on_node
import psutil
import pytest
import yaml
from conftest import ROOT
from parsl.jobs.states import JobState
from parsl.providers import LocalProvider
from parsl.providers.cluster_provider import ClusterProvider
from parsl.providers.kubernetes import kube
from small import SOURCES, Small

from nldr.engine.jobs.requests import Request
from nldr.engine.reading import clusters
from nldr.engine.reading.clusters import Block
from nldr.engine.reading.parsing import PlanError, parse
from nldr.engine.reading.specs import Config
from nldr.engine.running import cluster
from nldr.engine.running.cluster import Pool, make_executor
from nldr.engine.running.workers import PROGRAM

SCRIPTS = Path(__file__).parent / "scripts"
# The command of each scheduler that submits a block, and what it says
SUBMITTED = {
    "slurm": ("sbatch", "Submitted batch job 17"),
    "pbs": ("qsub", "17.server"),
    "lsf": ("bsub", "Job <17> is submitted to queue <normal>."),
    "sge": ("qsub", "17"),
    "htcondor": ("condor_submit", "1 job(s) submitted to cluster 17."),
    "kubernetes": ("", ""),
}


class Here(Block):
    """A scheduler that starts blocks of two cores on this machine."""

    hint = "`cores`"

    def provider(self, setup):
        return LocalProvider(init_blocks=0, max_blocks=self.blocks, worker_init=setup)


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Return a function that starts a pool of one block of each kind, with short periods."""
    monkeypatch.setenv("PYTHONPATH", SOURCES)
    monkeypatch.chdir(tmp_path)
    for name in ("SECONDS_BETWEEN_POLLS", "HEARTBEAT"):
        monkeypatch.setattr(cluster, name, 1)
    pools = []

    def start_pool(**settings):
        settings = {"cores": 2, "blocks": 1, "host": "127.0.0.1"} | settings
        pools.append(Pool(Here(**settings), lambda line: print(line, flush=True)))
        return pools[-1]

    yield start_pool
    for pool in pools:
        pool.stop()


def warm_parents(folder):
    """Return the warm parents that work in a folder, without what they have forked."""
    processes = {}
    for process in psutil.process_iter(["cmdline"]):
        with suppress(psutil.Error):
            if PROGRAM in (process.info["cmdline"] or []) and process.cwd() == str(folder):
                processes[process.pid] = process
    return [process for process in processes.values() if process.ppid() not in processes]


def test_workers_of_a_block_share_a_warm_parent_that_is_replaced(start, tmp_path):
    small = Small(tmp_path, start())
    small.data()
    with ThreadPoolExecutor() as threads:
        replies = list(threads.map(lambda trials: small.embed(trials=trials), (1, 2, 3, 4)))
    assert [reply.error for reply in replies] == [""] * 4
    (parent,) = warm_parents(tmp_path)
    parent.kill()
    # Its own parent, a worker, does not wait for it.
    while parent.is_running() and parent.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    assert small.embed("Centers").error == ""
    # A busy machine may start some cold while the parent imports packages.
    assert "warm" in [row["start"] for n in (1, 4) for row in small.rows(trials=n)]
    assert len(warm_parents(tmp_path)) == 1
    # A request of several threads has a block of its own.
    small.embed("Random", threads=2)
    assert len(warm_parents(tmp_path)) == 2


def test_only_what_a_machine_has_lost_is_tried_again(start, tmp_path, monkeypatch):
    pool = start()
    small = Small(tmp_path, pool)
    small.data()
    assert "killed from outside" in small.embed("Signals").error
    assert small.embed("Signals").error.endswith(", 3 times")
    for function, attempts in ((on_node.lose_worker, 3), (on_node.fail, 1)):
        monkeypatch.setattr(cluster, "run_on_node", function)
        reply = pool.run(request(tmp_path / function.__name__))
        assert reply.error
        assert (tmp_path / function.__name__).read_text() == "x" * attempts


def request(job=None, threads=1):
    return Request(job, "", {}, {"manifest": ""}, "", threads=threads)


def test_three_blocks_that_do_not_start_end_the_run(start, capsys):
    pool = start(setup=["echo no scratch here; exit 1"])
    error = pool.run(request()).error
    assert error.startswith("3 blocks in a row did not start. The last: block narrow 2")
    assert "no scratch here\nIf the scheduler refuses blocks, check `cores`." in error
    assert pool.run(request()).error == error
    # The reason is told with the first block, and once.
    printed = capsys.readouterr().out
    assert re.search(r"block narrow 0 \(job \S+\): \w+: .*no scratch here", printed)
    assert printed.count("no scratch here") == 1


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_requests_end_with_the_run(start, monkeypatch, how):
    monkeypatch.setattr(cluster, "run_on_node", on_node.sleep)
    pool = start()
    assert pool.run(request(0.0)).error == ""
    with ThreadPoolExecutor() as threads:
        replies = [threads.submit(pool.run, request(600.0)) for _ in range(3)]
        if how == "stop":
            pool.stop()
        else:  # the server of Parsl
            pool._executors[0].interchange_proc.kill()
        expected = {"stop": "the run was ended", "kill": "Parsl's server for narrow blocks"}[how]
        assert all(reply.result(10).error.startswith(expected) for reply in replies)
    pool.stop()
    processes = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has just ended
            if "parsl" in str(process.cmdline()):
                processes.append(process)
    assert psutil.wait_procs(processes, timeout=15)[1] == []


@pytest.mark.parametrize("name", SUBMITTED)
def test_submit_scripts(name, tmp_path, monkeypatch):
    """With ``NLDR_UPDATE=1`` in the environment the scripts are stored anew."""
    stand_in_for_schedulers(monkeypatch, name)
    executor = executor_of(name, tmp_path, monkeypatch)
    executor.initialize_scaling()
    executor.provider.submit(executor._get_launch_command("0"), 1, "parsl.narrow.block-0")
    files = sorted((tmp_path / "scripts").iterdir())
    text = "\n".join(f"--- {file.name}\n{file.read_text()}" for file in files)
    text = text.replace(str(tmp_path), "PROJECT").replace(sys.executable, "PYTHON")
    text = re.sub(r"\.\d{10}\.\d+", ".TIME", text)
    stored = SCRIPTS / f"{name}.txt"
    if os.environ.get("NLDR_UPDATE"):
        stored.write_text(text)
    assert text == stored.read_text()


def executor_of(name, folder, monkeypatch):
    """Return the executor for the settings of a profile, with nothing in it that changes."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", "src")
    (file,) = yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text())["configfile"]
    settings = Config(**yaml.safe_load((ROOT / file).read_text())).cluster
    executor = make_executor(
        settings.model_copy(update={"host": "127.0.0.1"}), "narrow", 1, lambda *_: None
    )
    executor.run_dir, executor.cert_dir = str(folder), str(folder / "certificates")
    executor.worker_port, executor.logconf_path = 54000, None
    executor.provider.script_dir = str(folder / "scripts")
    (folder / "scripts").mkdir()
    return executor


def stand_in_for_schedulers(monkeypatch, name):
    """Answer the commands of schedulers, and write the pods that Kubernetes is asked for."""

    def answer(_, command, timeout=None):
        return int(command.startswith("sacct")), SUBMITTED[name][1], ""

    def create_pod(namespace, body):
        Path("scripts/pod.yaml").write_text(
            yaml.safe_dump(body, sort_keys=False, width=sys.maxsize)
        )
        return SimpleNamespace(status="")

    class Client:
        """All models are dictionaries."""

        def __getattr__(self, model):
            return dict

        def CoreV1Api(self):
            return SimpleNamespace(create_namespaced_pod=create_pod)

    monkeypatch.setattr(clusters.shutil, "which", lambda command: f"/usr/bin/{command}")
    monkeypatch.setattr(ClusterProvider, "execute_wait", answer)
    monkeypatch.setattr(kube, "_kubernetes_enabled", True)
    configuration = SimpleNamespace(load_kube_config=lambda: None)
    monkeypatch.setattr(kube, "config", configuration, raising=False)
    monkeypatch.setattr(kube, "client", Client(), raising=False)
    monkeypatch.setattr(kube.uuid, "uuid4", lambda: SimpleNamespace(hex="12345678"))


@pytest.mark.parametrize("name", [name for name in SUBMITTED if name != "kubernetes"])
def test_missing_command_of_a_scheduler_is_named(name, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    command = SUBMITTED[name][0]
    with pytest.raises(PlanError, match=f"this machine has no command {command}, which submits"):
        executor_of(name, tmp_path, monkeypatch)


def test_missing_client_of_kubernetes_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(kube, "_kubernetes_enabled", False)
    with pytest.raises(PlanError, match="needs its client for Python: pip install kubernetes"):
        executor_of("kubernetes", tmp_path, monkeypatch)


def test_new_block_may_be_listed_late(tmp_path, monkeypatch):
    stand_in_for_schedulers(monkeypatch, "slurm")
    provider = executor_of("slurm", tmp_path, monkeypatch).provider
    job = provider.submit("true", 1, "block")
    squeue = "squeue --noheader --format='%i %t' --states=all --job '17,17'"
    answers = {squeue: (0, "", "")}
    monkeypatch.setattr(ClusterProvider, "execute_wait", lambda _, command: answers[command])
    clock = iter([100.0, 100.0, 159.0, 161.0])
    monkeypatch.setattr(cluster.time, "monotonic", lambda: next(clock))
    states = [provider.status([job])[0].state for _ in range(4)]
    assert states == [JobState.PENDING] * 3 + [JobState.COMPLETED]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scheduler": "slurm", "queue": "long"}, "unknown key 'queue'"),
        ({"scheduler": "pbs", "cores": "16"}, "cluster.pbs.cores"),
        ({"scheduler": "sge"}, "parallel_environment"),
        ({"scheduler": "moab"}, "'slurm', 'pbs', 'lsf', 'sge', 'htcondor', 'kubernetes'"),
    ],
)
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(PlanError, match=re.escape(message)):
        parse(Config, {"cluster": settings}, "cluster.yaml")
