"""Environment variables that the jobs of a run inherit."""

from __future__ import annotations

import os
import time
from pathlib import Path

from nldr.engine.files.layout import STATE
from nldr.engine.files.method_environments import HOMES
from nldr.engine.files.store import cpu, digest_of


def set_environment(root: Path, data_dir: str | Path | None) -> None:
    """Set where jobs find code, data and compiled functions, and the name of the run."""
    # Jobs import the code of this project, also where it is not installed.
    paths = [str(root / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.environ["NLDR_RUN"] = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}-{os.getpid()}"
    # Code that jax has compiled is kept for the next job, for each kind of processor.
    compiled = Path(STATE).absolute() / f"jax-{digest_of(cpu())}"
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(compiled))
    os.environ["NLDR_ENVIRONMENTS"] = str(HOMES.absolute())
    if data_dir is not None:
        os.environ["NLDR_DATA_DIR"] = str(Path(data_dir).expanduser().resolve())
