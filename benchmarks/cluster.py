"""Overhead of blocks on a cluster: many requests of a second on pretended cores.

A private Slurm is started (tests/cluster/slurm.py, Debian or Ubuntu) and removed at the end. The
requests only sleep, so two cores can pretend to be 64, once they have started 64 processes. They
are sent by as many threads as there are cores, and then by the steps of a workflow of Snakemake.
Example::

    python benchmarks/cluster.py --requests 5000 --cores 64
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
for folder in (ROOT / "src", ROOT / "tests/cluster", ROOT / "benchmarks"):
    sys.path.insert(0, str(folder))

import slurm  # noqa: E402

import nldr.engine.running.cluster as cluster  # noqa: E402
from nldr.engine.jobs.requests import Reply, Request  # noqa: E402
from nldr.engine.reading.clusters import Slurm  # noqa: E402

WORKFLOW = """
import time
from pathlib import Path

from nldr.engine.running import tuning
from cluster import REQUEST, start_pool

tuning.speed_up_scheduler()
pool = start_pool({cores})
began = time.monotonic()


rule all:
    input:
        expand("steps/{{number}}", number=range({requests})),


rule step:
    output:
        touch("steps/{{number}}"),
    run:
        assert not pool.run(REQUEST).error


onsuccess:
    Path("seconds").write_text(str(time.monotonic() - began))
    pool.stop()


onerror:
    pool.stop()
"""
REQUEST = Request(1.0, "", {}, {"manifest": ""}, "")


def sleep(request: Request, secret: bytes) -> Reply:
    """Wait for a second, on a node."""
    time.sleep(request.job)
    return Reply()


def start_pool(cores: int) -> cluster.Pool:
    """Start a pool of 8 blocks in which requests only sleep, and wait until all of it works."""
    from cluster import sleep as sleep_on_node  # by its name, under which nodes import it

    began = time.monotonic()
    settings = Slurm(scheduler="slurm", cores=cores // 8, memory_gb=1, blocks=8)
    cluster.run_on_node = sleep_on_node
    pool = cluster.Pool(settings, lambda line: None)
    while ask(pool, cores, cores) > 1.5:
        pass
    print(f"start of {cores} workers on {os.cpu_count()} cores: {time.monotonic() - began:.1f} s")
    return pool


def ask(pool: cluster.Pool, requests: int, cores: int) -> float:
    """Send requests from threads and return the seconds until all have ended."""
    began = time.monotonic()
    with ThreadPoolExecutor(cores) as threads:
        replies = list(threads.map(pool.run, [REQUEST] * requests))
    assert not any(reply.error for reply in replies)
    return time.monotonic() - began


def measure_pool(requests: int, cores: int) -> float:
    """Send requests from threads and return the seconds until all have ended."""
    pool = start_pool(cores)
    seconds = ask(pool, requests, cores)
    pool.stop()
    return seconds


def measure_snakemake(requests: int, cores: int) -> float:
    """Send requests from steps of Snakemake and return the seconds of planning and run."""
    Path("Snakefile").write_text(WORKFLOW.format(requests=requests, cores=cores))
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "--force-use-threads"]
    command += ["--quiet", "all", "--scheduler", "greedy", "--nolock"]
    subprocess.run(command, check=True)
    return float(Path("seconds").read_text())


def main() -> None:
    """Measure both and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--cores", type=int, default=64)
    chosen = parser.parse_args()
    ideal = chosen.requests / chosen.cores
    print(f"{chosen.requests} requests of 1 s on {chosen.cores} cores, ideal {ideal:.1f} s")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        private = Path(folder) / "slurm"
        os.environ["PATH"] = f"{slurm.start(private, chosen.cores, 16000)}:{os.environ['PATH']}"
        os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:3])
        try:
            for name, measure in (("threads", measure_pool), ("Snakemake", measure_snakemake)):
                seconds = measure(chosen.requests, chosen.cores)
                print(f"asked by {name}: {seconds:.1f} s, {seconds / ideal:.2f} of ideal")
        finally:
            os.chdir(ROOT)
            slurm.stop(private)


if __name__ == "__main__":
    main()
