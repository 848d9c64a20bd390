"""Whether the originals of a real dataset are here, for tests of what was published."""

from __future__ import annotations

import os
from pathlib import Path

import pooch
import pytest

from nldr.datasets.download import FILES


def need(folder: str) -> None:
    """Skip the test unless all files of a dataset are in the user's folder or in the cache."""
    places = [os.environ.get("NLDR_DATA_DIR"), os.environ.get("NLDR_CACHE_DIR")]
    places += [str(pooch.os_cache("nldr"))]
    names = [name for name in FILES if name.startswith(f"{folder}/")]
    assert names
    if not any(all(Path(p, name).is_file() for name in names) for p in places if p):
        pytest.skip(f"the originals of {folder} are neither in NLDR_DATA_DIR nor in the cache")
