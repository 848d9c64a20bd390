"""The archive of results: what a build at full size found, small enough for the repository."""

from nldr.archive.collect import collect
from nldr.archive.contents import ARCHIVE, Archive
from nldr.archive.restore import restore

__all__ = ["ARCHIVE", "Archive", "collect", "restore"]
