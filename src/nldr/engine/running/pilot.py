"""A pilot job on a node of a cluster: it asks the main process for work until the run ends."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

from nldr.engine.files.layout import RESULTS
from nldr.engine.jobs.requests import Request
from nldr.engine.running.rendezvous import connect
from nldr.engine.running.workers import Workers


def main() -> None:
    """Run the requests that arrive, each in a thread that waits for this node's warm parent."""
    link = connect(Path(sys.argv[1]))
    workers = Workers("warm", Path(RESULTS) / "logs/warm.log")
    workers.launch()
    sending = threading.Lock()

    def run(number: int, request: Request) -> None:
        reply: Any = workers.run(request)
        with sending:
            link.send((number, reply))

    try:
        while True:
            threading.Thread(target=run, args=link.recv(), daemon=True).start()
    except (EOFError, OSError):  # the run has ended
        workers.stop()


if __name__ == "__main__":
    main()
