"""``nldr archive``, ``restore`` and ``recompute``: results that are kept under version control."""

from __future__ import annotations

import argparse

from nldr.archive import commands
from nldr.cli.project import enter


def archive(options: argparse.Namespace) -> int:
    """Bring the archive up to date with what is built."""
    return commands.archive(enter(options), options)


def restore(options: argparse.Namespace) -> int:
    """Make results from the archive."""
    return commands.restore_all(enter(options))


def recompute(options: argparse.Namespace) -> int:
    """Compute a sample of the archive and compare it."""
    return commands.recompute(enter(options), options)
