"""Soak test: builds that are killed, stopped and damaged end in the tables of an undisturbed one.

``python tests/soak.py --minutes 30`` builds all studies at smoke in a copy of the project. Then
it disturbs builds at random until the time is over: it kills the run or one of its processes, stops
and continues it, deletes results, flips bits in them, and changes ``--cores``. At the end, an
undisturbed build must give the same tables byte by byte. No process may outlive its run by more
than 10 s, and the main process may not gather file handles or memory.
"""

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]
DISTURBANCES = ("kill", "terminate", "kill a child", "stop", "delete", "flip", "none")
MOST_GROWTH = {"file handles": 30, "MB": 300}  # of the main process after its first seconds


class Soak:
    """A copy of the project, and what happened to it."""

    def __init__(self, folder, studies, seed):
        self.folder, self.studies = folder, studies
        self.random = random.Random(seed)
        self.counts = Counter()
        self.faults = []
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
        for name in filter(None, files.stdout.decode().split("\0")):
            if not name.startswith("results/") and (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)

    def start(self, cores):
        """Start a build in a process group of its own."""
        command = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
        command += ["--config", "scale=smoke", f"studies={self.studies}"]
        with (self.folder / "soak.log").open("ab") as log:
            return subprocess.Popen(
                command,
                cwd=self.folder,
                env=os.environ | {"PYTHONPATH": str(self.folder / "src")},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def finish(self):
        """Build without a disturbance and return the digests of all tables."""
        if self.start(2).wait():
            self.faults.append("an undisturbed build failed: see soak.log")
        tables = sorted((self.folder / "results/smoke/tables").glob("[!.]*"))
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in tables}

    def disturb(self, seconds):
        """Run one build with one disturbance, at most for some seconds."""
        kind = self.random.choice(DISTURBANCES)
        self.counts[kind] += 1
        if kind in ("delete", "flip"):
            self._damage(kind)
        run = self.start(self.random.choice([1, 2, 3]))
        main = psutil.Process(run.pid)
        until = time.monotonic() + self.random.uniform(3, seconds)
        first = None
        while run.poll() is None and time.monotonic() < until:
            time.sleep(1)
            first = self._watch(main, first)
        if run.poll() is None:
            self._interrupt(run, main, kind)
        self._look_for_orphans()

    def _interrupt(self, run, main, kind):
        """Disturb a running build, and end it if it goes on."""
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if kind == "kill a child" and (children := main.children(recursive=True)):
                self.random.choice(children).kill()
            if kind == "stop":
                os.killpg(run.pid, signal.SIGSTOP)
                time.sleep(3)
                os.killpg(run.pid, signal.SIGCONT)
            if kind in ("kill a child", "stop"):
                time.sleep(5)
            run.send_signal(signal.SIGKILL if kind == "kill" else signal.SIGTERM)
        try:
            run.wait(30)
        except subprocess.TimeoutExpired:
            self.faults.append(f"a run went on 30 s after its end ({kind})")
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()

    def _damage(self, kind):
        """Delete results, or flip a bit in each of some."""
        files = [path for path in (self.folder / "results").rglob("*") if path.is_file()]
        files = [path for path in files if "logs" not in path.parts and path.stat().st_size]
        for path in self.random.sample(files, min(len(files), 20)):
            if kind == "delete":
                path.unlink()
                continue
            content = bytearray(path.read_bytes())
            content[self.random.randrange(len(content))] ^= 1 << self.random.randrange(8)
            path.write_bytes(content)

    def _watch(self, main, first):
        """Compare handles and memory of the main process with those of its first seconds."""
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            now = {"file handles": main.num_fds(), "MB": main.memory_info().rss / 2**20}
            if first is None or time.time() - main.create_time() < 20:
                return now
            for name, most in MOST_GROWTH.items():
                if now[name] - first[name] > most:
                    self.faults.append(f"{name}: {first[name]:.0f} → {now[name]:.0f}")
        return first

    def _look_for_orphans(self):
        """Note processes in the folder that outlive their run by 10 s."""
        until = time.monotonic() + 10
        while (orphans := self._processes()) and time.monotonic() < until:
            time.sleep(0.5)
        for process in orphans:
            self.faults.append(f"process {process.pid} outlived its run")
            with suppress(psutil.NoSuchProcess):
                process.kill()

    def _processes(self):
        """Return the processes whose current folder is that of the project."""
        inside = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                if process.pid != os.getpid() and process.cwd() == str(self.folder):
                    inside.append(process)
        return inside


def main():
    """Run the soak test; the exit status is 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--studies", default="all")
    parser.add_argument("--seconds", type=float, default=60, help="most of one disturbed build")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        soak = Soak(Path(folder).resolve(), options.studies, options.seed)
        expected = soak.finish()
        print(f"{len(expected)} tables", flush=True)
        until = time.monotonic() + 60 * options.minutes
        while time.monotonic() < until:
            soak.disturb(options.seconds)
        tables = soak.finish()
        differing = sorted(n for n in expected | tables if expected.get(n) != tables.get(n))
        soak.faults += [f"{name} is another table" for name in differing]
        if soak.faults:
            shutil.copy2(soak.folder / "soak.log", "soak.log")
    print(f"{sum(soak.counts.values())} disturbed builds: {dict(soak.counts)}")
    print("\n".join(soak.faults) or "no fault")
    return int(bool(soak.faults))


if __name__ == "__main__":
    sys.exit(main())
