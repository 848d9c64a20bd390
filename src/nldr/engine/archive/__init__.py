"""The archive of results: what a build at full size found, small enough for the repository."""

from nldr.engine.archive.collect import collect
from nldr.engine.archive.contents import ARCHIVE, Archive
from nldr.engine.archive.restore import restore

__all__ = ["ARCHIVE", "Archive", "collect", "restore"]
