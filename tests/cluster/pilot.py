"""A stand-in for the warm parent: a pilot that sleeps, or fills memory, as it is asked to."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from nldr.engine.running.rendezvous import connect


def main() -> None:
    """Serve requests until the main process closes the connection."""
    link = connect(Path(sys.argv[1]))
    lock = threading.Lock()
    kept = []

    def serve(number: int, seconds: float, megabytes: int) -> None:
        for _ in range(megabytes // 50):
            kept.append(b"1" * 50 * 2**20)
            time.sleep(0.2)
        time.sleep(seconds)
        with lock:
            link.send(number)

    while True:
        try:
            request = link.recv()
        except (EOFError, OSError):
            return
        threading.Thread(target=serve, args=request, daemon=True).start()


if __name__ == "__main__":
    main()
